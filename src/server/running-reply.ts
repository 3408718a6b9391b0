import type { ServerResponse } from "node:http";

/** Where a connection has the response that is under way on it. */
export const runningReply: unique symbol = Symbol.for("sallyport/running-reply");

/** The response that has the socket; those of pipelined requests have it one after the other. */
export const findReply = (socket: object): ServerResponse | undefined => {
  const reply = (socket as { [runningReply]?: ServerResponse | undefined })[runningReply];
  // the last one stays on the connection until the next has it
  return reply?.socket === socket ? reply : undefined;
};
