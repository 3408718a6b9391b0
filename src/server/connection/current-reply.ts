import type { ServerResponse } from "node:http";

const replies = new WeakMap<object, ServerResponse>();

/** Records the response that has a connection; pipelined responses have it one after the other. */
export const noteReply = (socket: object, response: ServerResponse): void => {
  replies.set(socket, response);
};

/** Returns the response that has a connection. */
export const findReply = (socket: object): ServerResponse | undefined => {
  const reply = replies.get(socket);
  // the last response stays recorded until the next one has the connection
  return reply?.socket === socket ? reply : undefined;
};
