import type { ServerResponse } from "node:http";

/** The property of a connection with its current response. */
export const runningReply: unique symbol = Symbol.for("sallyport/running-reply");

/** The response that has the socket; pipelined responses have it one after the other. */
export const findReply = (socket: object): ServerResponse | undefined => {
  const reply = (socket as { [runningReply]?: ServerResponse | undefined })[runningReply];
  // the last one stays on the connection until the next one has it
  return reply?.socket === socket ? reply : undefined;
};
