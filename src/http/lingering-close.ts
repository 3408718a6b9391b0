import type { IncomingMessage, ServerResponse } from "node:http";
import { drain } from "./drain.ts";

/** How much is discarded after the last reply of a connection, and for how long, before the socket is destroyed. */
const maxDiscardedBytes = 256 * 1024;
const maxDiscardingTime = 500;

/**
 * Closes the connection after the reply without losing it.
 *
 * To close a socket while the client still sends resets the connection, and the reset may overtake the reply.
 * So the reply is finished, the socket half-closed, and what arrives is discarded for a while.
 *
 * @param most how much is discarded, in bytes; what is sent beyond that is not even read
 * @see RFC 9112, section 9.6
 */
export const closeAfterReply = (
  request: IncomingMessage,
  response: ServerResponse,
  most = maxDiscardedBytes,
): void => {
  if (response.headersSent) return;
  response.setHeader("Connection", "close");
  const { socket } = request;
  if (lingering.has(socket)) return;
  lingering.set(socket, () => undefined);
  // Node calls this once the last reply of a connection is written
  socket.destroySoon = () => linger(request, most);
};

/** Half-closes a connection on which nothing is to be sent any more, and destroys it after a while. */
export const endLingering = (request: IncomingMessage): void => {
  if (!lingering.has(request.socket)) linger(request, 0);
};

/** The connections that were given up, with what checks how much has arrived on them since. */
const lingering = new WeakMap<object, () => void>();

/** Tells whether a connection was given up: what else arrives on it does not matter. */
export const isClosing = (socket: object): boolean => lingering.has(socket);

const linger = (request: IncomingMessage, most: number): void => {
  const { socket } = request;
  const timer = setTimeout(() => socket.destroy(), maxDiscardingTime);
  const last = socket.bytesRead + most;
  lingering.set(socket, () => {
    if (socket.bytesRead <= last) return;
    // what is not read keeps the connection open without a reset, so that the reply can still be read
    request.pause();
    socket.pause();
  });
  socket.once("close", () => clearTimeout(timer));
  socket.end();
  discard(request);
};

/** Reads a request, or what is left of it, and forgets it. */
export const discard = (request: IncomingMessage): void => {
  const check = lingering.get(request.socket);
  if (check && !request.complete) request.on("data", check);
  drain(request);
  check?.();
};
