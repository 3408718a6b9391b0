import type { IncomingMessage } from "node:http";
import { RequestError } from "../errors.ts";
import type { Logger } from "../logger/logger.ts";
import { readSafely } from "./http-error.ts";
import { warnSampled } from "../logger/sampling.ts";

/** Returns the canonical path of a request, without the authority and the query, which may contain secrets. */
export const toLoggedPath = (request: IncomingMessage & { originalUrl?: string }): string => {
  const target = (request.originalUrl || request.url || "").replace(/^https?:\/\/[^/?#]*/i, "");
  const [path = ""] = target.split(/[?#]/, 1);
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path || "/";
};

/**
 * Logs a server fault in a single error line: the method, the path and the error with its stack, but no input or
 * headers.
 */
export const logServerFault = (logger: Logger, request: IncomingMessage, error: unknown): void => {
  logger.error("Server fault", { method: request.method, path: toLoggedPath(request), error });
};

/** Logs a client fault in a single line: at level debug, or as a sampled warning if the fault looks like an attack. */
export const logClientFault = (
  logger: Logger,
  request: IncomingMessage,
  statusCode: number,
  error: Error,
): void => {
  const code = error instanceof RequestError ? error.code : undefined;
  const meta = {
    method: request.method,
    path: toLoggedPath(request),
    statusCode,
    reason: code ?? String(readSafely(error, "name")),
  };
  const isSuspicious =
    code === "SLP_BODY_FORBIDDEN_KEY" ||
    code === "SLP_CROSS_SITE_FORM" ||
    (error instanceof RequestError && error.endsConnection);
  if (isSuspicious) warnSampled(logger, String(code), "Request refused", meta);
  else logger.debug("Request refused", meta);
};
