import type { IncomingMessage, ServerResponse } from "node:http";
import { drain } from "./drain.ts";
import { endInstead } from "./node-internals.ts";

/** How much is discarded of a connection that ends, and for how long, before the socket is destroyed. */
const maxDiscardedBytes = 256 * 1024;
const maxDiscardingTime = 500;

/**
 * Closes the connection after the reply without losing it.
 *
 * To close a socket while the client still sends resets the connection, and the reset may overtake the reply.
 * So the reply is finished, the socket half-closed, and what arrives is discarded for a while. What is sent beyond a limit
 * is not read, which keeps the connection open without a reset as well.
 *
 * @param most how much is discarded, in bytes
 * @param milliseconds for how long
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
  const { socket } = request;
  if (isClosing(socket)) return;
  giveUp(request, most);
  endInstead(socket, response, () => linger(request, milliseconds));
  // unless somebody reads it by then, Node itself reads all that is left, whatever it is
  if (most > 0 && !request.complete) discard(request);
};

/** Half-closes a connection on which nothing is to be sent any more, and destroys it after a while. */
export const endLingering = (request: IncomingMessage): void => {
  if (isClosing(request.socket)) return;
  giveUp(request, 0);
  linger(request, maxDiscardingTime);
};

/** The connections that were given up, with what stops to read them once too much has arrived. */
const lingering = new WeakMap<object, () => void>();

/** Tells whether a connection was given up: what else arrives on it does not matter. */
export const isClosing = (socket: object): boolean => lingering.has(socket);

const giveUp = (request: IncomingMessage, most: number): void => {
  const { socket } = request;
  const last = socket.bytesRead + most;
  lingering.set(socket, () => {
    if (socket.bytesRead < last) return;
    request.pause();
    // Node resumes it in the ticks after this one
    setImmediate(() => socket.pause());
  });
};

const linger = (request: IncomingMessage, milliseconds: number): void => {
  const { socket } = request;
  const timer = setTimeout(() => socket.destroy(), milliseconds);
  socket.once("close", () => clearTimeout(timer));
  socket.end();
  discard(request);
};

/** Reads a request, or what is left of it, and forgets it. */
export const discard = (request: IncomingMessage): void => {
  const check = lingering.get(request.socket);
  if (check && !request.complete && !request.listeners("data").includes(check))
    request.on("data", check);
  drain(request);
  check?.();
};
