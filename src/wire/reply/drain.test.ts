import { EventEmitter } from "node:events";
import type { IncomingMessage } from "node:http";
import { expect, test, vi } from "vitest";
import { drain } from "./close-after-reply.ts";

const createRequest = () => {
  const pieces: string[] = [];
  const read = vi.fn(() => pieces.shift() ?? null);
  const resume = vi.fn();
  const request = Object.assign(new EventEmitter(), { read, resume });
  return {
    pieces,
    read,
    resume,
    request,
    start: () => drain(request as unknown as IncomingMessage),
  };
};

test("discards the body of a request that nobody reads", () => {
  const { read, resume, start } = createRequest();
  start();
  expect(resume).toHaveBeenCalledOnce();
  expect(read).not.toHaveBeenCalled();
});

test("reads the rest of a body despite a `readable` listener, even if data arrives later", () => {
  const { pieces, read, resume, request, start } = createRequest();
  request.on("readable", () => undefined);
  pieces.push("a", "b");
  start();
  expect([pieces, read.mock.calls.length]).toEqual([[], 3]);
  pieces.push("c", "d");
  request.emit("readable");
  expect([pieces, read.mock.calls.length]).toEqual([[], 6]);
  expect(resume).not.toHaveBeenCalled();
});
