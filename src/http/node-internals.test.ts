import type { ServerResponse } from "node:http";
import { expect, test } from "vitest";
import { hasLeft } from "./node-internals.ts";

test.each<[string, object, boolean]>([
  ["Node says so", { _headerSent: true }, true],
  [
    "Node says that nothing has",
    { _headerSent: false, headersSent: true, writableLength: 9 },
    false,
  ],
  [
    "nothing is made",
    { headersSent: false, writableLength: 0, socket: { bytesWritten: 9 } },
    false,
  ],
  ["a head waits", { headersSent: true, writableLength: 0, socket: { bytesWritten: 0 } }, false],
  ["no socket is there", { headersSent: true, writableLength: 0, socket: null }, false],
  ["a body is on its way", { headersSent: true, writableLength: 1, socket: null }, true],
  ["bytes were sent", { headersSent: true, writableLength: 0, socket: { bytesWritten: 1 } }, true],
])("whether a response has left, where %s", (_name, response, isLeft) => {
  expect(hasLeft(response as ServerResponse)).toBe(isLeft);
});
