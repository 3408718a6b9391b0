import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/**
 * Returns the connection of a response, if it still has one. Stream utilities that destroy a request, such as
 * `pipeline`, detach it from its connection, so that the response can still be sent.
 */
export const findSocket = (response: ServerResponse): Socket | undefined =>
  response.socket ?? (response.req as Partial<IncomingMessage> | undefined)?.socket ?? undefined;
