import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** How much of an unwanted body is discarded after the reply, and for how long, before the socket is destroyed. */
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
  closing.add(socket);
  // Node calls this once the last reply of a connection is written
  socket.destroySoon = () => linger(socket, request);
};

const closing = new WeakSet<object>();

/** Tells whether a connection was given up: what else arrives on it does not matter. */
export const isClosing = (socket: object): boolean => closing.has(socket);

const linger = (socket: Socket, request: IncomingMessage): void => {
  const destroy = (): void => {
    clearTimeout(timer);
    socket.destroy();
  };
  const timer = setTimeout(destroy, maxDiscardingTime);
  let discarded = 0;
  request.on("data", (chunk: Buffer) => {
    discarded += chunk.length;
    if (discarded > maxDiscardedBytes) destroy();
  });
  request.once("end", destroy).once("close", destroy);
  socket.once("close", destroy);
  if (request.complete) socket.once("finish", destroy);
  socket.end();
  request.resume();
};
