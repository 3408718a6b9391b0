import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { expect, test, vi } from "vitest";
import { requestState } from "../../../wire/exchange/exchange.ts";
import { dropStalledReader } from "./express-classes.ts";

/** Creates the inspected parts of a response and its socket. */
const createResponse = (given: { readonly timeout?: number; readonly waiting?: number } = {}) => {
  const socket = {
    // as on Bun
    writableLength: 0,
    timeout: given.timeout,
    setTimeout: (milliseconds: number) => (socket.timeout = milliseconds),
    destroy: vi.fn(),
  };
  const debug = vi.fn();
  const state = { logger: { debug } };
  const response = Object.assign(new EventEmitter(), {
    ...{ socket, writableLength: given.waiting ?? 1, [requestState]: state },
  });
  const watch = (timeout = 500): void =>
    dropStalledReader(response as unknown as ServerResponse, timeout);
  return { socket, response, debug, watch };
};

test("logs and drops a client that reads nothing, but only once", () => {
  const { socket, response, debug, watch } = createResponse();
  for (let writes = 0; writes < 20; writes++) watch();
  expect(socket.timeout).toBe(500);
  response.emit("timeout");
  expect(debug).toHaveBeenCalledOnce();
  expect(socket.destroy).toHaveBeenCalledOnce();
});

test("does not drop a client that has read everything and waits for the handler to send more", () => {
  const { socket, response, debug, watch } = createResponse();
  watch();
  response.writableLength = 0;
  response.emit("timeout");
  expect(debug).not.toHaveBeenCalled();
  expect(socket.destroy).not.toHaveBeenCalled();
});

test.each([
  ["no data waits to be read", { waiting: 0 }, 500, undefined],
  ["there is no limit", {}, 0, undefined],
  ["the application has its own timeout", { timeout: 900 }, 500, 900],
])("does not watch the client if %s", (_why, given, timeout, left) => {
  const { socket, response, watch } = createResponse(given);
  watch(timeout);
  expect(socket.timeout).toBe(left);
  expect(response.eventNames()).toEqual([]);
});

test.each([
  ["removes its own socket timeout", 500, 0],
  ["keeps a socket timeout set by the application", 900, 900],
])("%s when the response has finished", (_what, own, left) => {
  const { socket, response, watch } = createResponse();
  let seen: number | undefined;
  // stands for Node's own listener, which sets the timeout of the idle connection
  response.on("finish", () => (seen = socket.timeout));
  watch();
  socket.timeout = own;
  response.emit("finish");
  expect([seen, socket.timeout]).toEqual([left, left]);
});

test("ignores a response that no longer has a socket", () => {
  const response = new EventEmitter() as unknown as ServerResponse;
  Object.assign(response, { socket: null });
  dropStalledReader(response, 500);
  expect(response.eventNames()).toEqual([]);
});
