import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { expect, test, vi } from "vitest";
import { dropStalledReader } from "./stalled-reader.ts";

/** The part of a response and its socket that is inspected. */
const createResponse = (given: { readonly timeout?: number; readonly waiting?: number } = {}) => {
  const socket = {
    writableLength: given.waiting ?? 1,
    timeout: given.timeout,
    setTimeout: (milliseconds: number) => (socket.timeout = milliseconds),
    destroy: vi.fn(),
  };
  const response = Object.assign(new EventEmitter(), { socket });
  const report = vi.fn();
  const watch = (timeout = 500): void =>
    dropStalledReader(response as unknown as ServerResponse, { timeout, report });
  return { socket, response, report, watch };
};

test("reports and drops a client that reads nothing, once", () => {
  const { socket, response, report, watch } = createResponse();
  for (let writes = 0; writes < 20; writes++) watch();
  expect(socket.timeout).toBe(500);
  response.emit("timeout");
  expect(report.mock.calls).toEqual([[response]]);
  expect(socket.destroy).toHaveBeenCalledOnce();
});

test("waits for the handler if the client has read everything", () => {
  const { socket, response, report, watch } = createResponse();
  watch();
  socket.writableLength = 0;
  response.emit("timeout");
  expect(report).not.toHaveBeenCalled();
  expect(socket.destroy).not.toHaveBeenCalled();
});

test.each([
  ["nothing waits", { waiting: 0 }, 500, undefined],
  ["there is no limit", {}, 0, undefined],
  ["the application has its own timeout", { timeout: 900 }, 500, 900],
])("does not watch the client if %s", (_why, given, timeout, left) => {
  const { socket, response, watch } = createResponse(given);
  watch(timeout);
  expect(socket.timeout).toBe(left);
  expect(response.eventNames()).toEqual([]);
});

test.each([
  [500, 0],
  [900, 900],
])("a socket timeout of %i ms is %i once the response is sent", (own, left) => {
  const { socket, response, watch } = createResponse();
  let seen: number | undefined;
  // Node's own listener, which sets the timeout of the idle connection
  response.on("finish", () => (seen = socket.timeout));
  watch();
  socket.timeout = own;
  response.emit("finish");
  expect([seen, socket.timeout]).toEqual([left, left]);
});

test("ignores a response that has lost its socket", () => {
  const response = new EventEmitter() as unknown as ServerResponse;
  Object.assign(response, { socket: null });
  dropStalledReader(response, { timeout: 500, report: () => undefined });
  expect(response.eventNames()).toEqual([]);
});
