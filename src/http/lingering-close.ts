import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { drain } from "./drain.ts";
import { findSocket } from "./find-socket.ts";
import { endInstead } from "./node-internals.ts";

/**
 * The limits, in bytes and in milliseconds, for discarding data on a closing connection before the socket is destroyed.
 */
const maxDiscardedBytes = 256 * 1024;
const maxDiscardingTime = 500;

/**
 * Closes the connection after the response without losing the response.
 *
 * Closing a socket while the client is still sending resets the connection, and the reset may overtake the response. To
 * prevent this, the response is finished, the socket is half-closed, and incoming data is discarded for a while. Data
 * beyond a limit stays unread until the socket is destroyed.
 *
 * @param most the maximum number of bytes that are discarded
 * @param milliseconds how long data is discarded
 * @see RFC 9112, section 9.6
 */
export const closeAfterReply = (
  request: IncomingMessage,
  response: ServerResponse,
  most = maxDiscardedBytes,
  milliseconds = maxDiscardingTime,
): void => {
  if (response.headersSent) return;
  response.setHeader("Connection", "close");
  const socket = findSocket(response);
  if (!socket || isClosing(socket)) return;
  giveUp(request, socket, most);
  endInstead(socket, response, () => linger(request, socket, milliseconds));
  // otherwise Node would read the whole body once the response is finished
  if (most > 0 && !request.complete) discard(request);
};

/** The abandoned connections, each with a function that stops reading once too much data has arrived. */
const lingering = new WeakMap<object, () => void>();

/** Checks whether a connection has been abandoned, so that further data on it is ignored. */
export const isClosing = (socket: object): boolean => lingering.has(socket);

const giveUp = (request: IncomingMessage, socket: Socket, most: number): void => {
  const last = socket.bytesRead + most;
  lingering.set(socket, () => {
    if (socket.bytesRead < last) return;
    request.pause();
    // Node resumes the socket in a later tick, so it is paused again after that
    setImmediate(() => socket.pause());
  });
};

/** Half-closes a connection on which nothing more is sent, and destroys it after a while. */
const linger = (request: IncomingMessage, socket: Socket, milliseconds: number): void => {
  const timer = setTimeout(() => socket.destroy(), milliseconds);
  socket.once("close", () => clearTimeout(timer));
  socket.end();
  discard(request);
};

/** Reads and discards the body of a request, or the rest of the body. */
export const discard = (request: IncomingMessage): void => {
  const check = lingering.get(request.socket);
  if (check && !request.complete && !request.listeners("data").includes(check))
    request.on("data", check);
  drain(request);
  check?.();
};
