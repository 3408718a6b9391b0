import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { drain } from "../http/drain.ts";

/** How much is discarded after the last reply of a connection, and for how long, before the socket is destroyed. */
const maxDiscardedBytes = 256 * 1024;
const maxDiscardingTime = 500;

/**
 * Closes the connection after the reply without losing it.
 *
 * To close a socket while the client still sends resets the connection, and the reset may overtake the reply.
 * So the reply is finished, the socket half-closed, and what arrives is discarded for a while.
 *
 * @see RFC 9112, section 9.6
 */
export const closeAfterReply = (request: IncomingMessage, response: ServerResponse): void => {
  if (response.headersSent) return;
  response.setHeader("Connection", "close");
  const { socket } = request;
  if (lingering.has(socket)) return;
  lingering.set(socket, () => undefined);
  // Node calls this once the last reply of a connection is written
  socket.destroySoon = () => linger(socket, request);
};

/** The connections that were given up, with what checks how much has arrived on them since. */
const lingering = new WeakMap<object, () => void>();

/** Tells whether a connection was given up: what else arrives on it does not matter. */
export const isClosing = (socket: object): boolean => lingering.has(socket);

const linger = (socket: Socket, request: IncomingMessage): void => {
  const destroy = (): void => {
    clearTimeout(timer);
    socket.destroy();
  };
  const timer = setTimeout(destroy, maxDiscardingTime);
  const last = socket.bytesRead + maxDiscardedBytes;
  lingering.set(socket, () => {
    if (socket.bytesRead > last) destroy();
  });
  socket.once("close", destroy);
  socket.end();
  discard(request);
};

/** Reads a request, or what is left of it, and forgets it. */
export const discard = (request: IncomingMessage): void => {
  const { socket } = request;
  const check = lingering.get(socket);
  check?.();
  if (check && !request.complete) request.on("data", check);
  drain(request);
};
