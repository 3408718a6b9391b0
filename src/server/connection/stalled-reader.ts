import type { ServerResponse } from "node:http";
import { findState } from "../../pipeline/request-state.ts";

const watched = new WeakSet<ServerResponse>();

/**
 * Drops the connection of a response whose client reads nothing for too long; called after each write.
 *
 * @param timeout in milliseconds; 0 for no limit
 */
export const dropStalledReader = (response: ServerResponse, timeout: number): void => {
  const { socket } = response;
  // an adapter's socket may have no `writableLength`
  if (!socket?.writableLength || timeout === 0 || watched.has(response)) return;
  // the application may have set its own timeout, and an adapter's socket may have no `setTimeout`
  if (socket.timeout || !("setTimeout" in socket)) return;
  watched.add(response);
  // Node's timeout also restarts when the client has read a part of a write
  socket.setTimeout(timeout);
  // this must run before Node sets the timeout of the idle connection
  response.prependOnceListener("finish", () => {
    if (socket.timeout === timeout) socket.setTimeout(0);
  });
  response.on("timeout", () => {
    // the timeout also expires if the handler pauses after the client has read everything
    if (socket.writableLength === 0) return;
    const text = "Closed the connection of a client that does not read its response";
    findState(response)?.logger.debug(text);
    socket.destroy();
  });
};
