import type { ServerResponse } from "node:http";
import { expect, test } from "vitest";
import { hasBegun } from "./node-internals.ts";

test.each<[string, object, boolean]>([
  ["Node says so", { _headerSent: true }, true],
  [
    "Node says that nothing was sent",
    { _headerSent: false, headersSent: true, writableLength: 9 },
    false,
  ],
  [
    "nothing was created",
    { headersSent: false, writableLength: 0, socket: { bytesWritten: 9 } },
    false,
  ],
  [
    "a head is waiting",
    { headersSent: true, writableLength: 0, socket: { bytesWritten: 0 } },
    false,
  ],
  ["there is no socket", { headersSent: true, writableLength: 0, socket: null }, false],
  ["part of a body was written", { headersSent: true, writableLength: 1, socket: null }, true],
  ["bytes were sent", { headersSent: true, writableLength: 0, socket: { bytesWritten: 1 } }, true],
])("hasBegun tells whether any part of a response was sent: %s", (_name, response, isLeft) => {
  expect(hasBegun(response as ServerResponse)).toBe(isLeft);
});
