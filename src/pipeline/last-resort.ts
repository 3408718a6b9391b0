import type { RequestState } from "./request-state.ts";
import { toStatusText } from "../http/status.ts";
import { readSafely } from "../reply/http-error.ts";
import { clearRepresentation, cutOff } from "../reply/response-state.ts";
import { logServerFault, toLoggedPath } from "../results/log-fault.ts";

/**
 * Logs an error of the framework itself, or of a result handler, and responds with 500 in plain text. Never throws.
 *
 * @param original the error that a result handler was to send
 */
export const recover = (
  { request, response, logger }: Pick<RequestState, "logger" | "request" | "response">,
  error: unknown,
  original?: Error,
): void => {
  try {
    logServerFault(logger, request, error, original);
  } catch {
    logger.error("Server fault", { error });
  }
  try {
    if (response.headersSent) {
      if (!response.writableEnded) cutOff(response);
      return;
    }
    if (response.destroyed || response.closed) return;
    const text = toStatusText(500);
    clearRepresentation(response);
    response.statusCode = 500;
    response.setHeader("Content-Type", "text/plain; charset=utf-8");
    response.setHeader("Content-Length", text.length);
    response.setHeader("Cache-Control", "no-store");
    response.setHeader("X-Content-Type-Options", "nosniff");
    response.end(request.method === "HEAD" ? undefined : text);
  } catch {
    // a method of the response was replaced, or a value that Node rejects was set
    response.destroy();
  }
};

export const isDeparture = (error: unknown): boolean =>
  ["ECONNABORTED", "ERR_STREAM_PREMATURE_CLOSE", "ABORT_ERR", "ECONNRESET", "EPIPE"].includes(
    String(readSafely(error, "code")),
  );

/** Keeps a complete response, and cuts off an incomplete one, so that the client does not take it for a complete one. */
export const logAndCutOff = (state: RequestState, error: Error): void => {
  const { request, response, logger } = state;
  if (response.writableEnded) {
    warnAlreadySent(state, error);
    return;
  }
  logServerFault(logger, request, error, state.handledError);
  cutOff(response);
};

/** Logs that an output or an error was dropped because the response had already been sent. */
export const warnAlreadySent = ({ request, logger }: RequestState, error?: Error): void => {
  logger.warn("The response was already sent", {
    method: request.method,
    path: toLoggedPath(request),
    ...(error && { error }),
  });
};
