import type { IncomingMessage } from "node:http";
import type { Logger } from "../logger/logger.ts";

/** The target of a request without its query, which may carry secrets. */
export const toLoggedPath = (request: IncomingMessage & { originalUrl?: string }): string => {
  const target = request.originalUrl || request.url || "";
  const end = target.search(/[?#]/);
  return end < 0 ? target : target.slice(0, end);
};

/** Writes the one error line of a server fault: method, path and the error with its stack, but no input and no headers. */
export const logServerFault = (logger: Logger, request: IncomingMessage, error: unknown): void => {
  logger.error("Server fault", { method: request.method, path: toLoggedPath(request), error });
};

/** Writes the one debug line of an ordinary mistake of a client. */
export const logClientFault = (
  logger: Logger,
  request: IncomingMessage,
  statusCode: number,
  error: Error,
): void => {
  logger.debug("Request refused", {
    method: request.method,
    path: toLoggedPath(request),
    statusCode,
    reason: error.name,
  });
};
