import { readSafely, toErrorStatus } from "../../wire/reply/http-error.ts";
import { toLoggedPath } from "../../basics/http/logged-path.ts";
import type { RequestState } from "./request-state.ts";

export const logAbandoned = ({ request, logger }: RequestState): void => {
  logger.debug("The client disconnected before the response was sent", { method: request.method });
};

/** Logs a fault of a stage whose outcome is not sent, because the client has left or the time limit has expired. */
export const logLateFault = ({ request, logger, failure }: RequestState, error: unknown): void => {
  // this is how handlers end when `signal` is aborted
  if (readSafely(error, "name") === "AbortError") return;
  const when = failure?.isLate
    ? "its time limit had expired"
    : failure
      ? "another error had been sent"
      : "the client had disconnected";
  const meta = { method: request.method, path: toLoggedPath(request), error };
  const severity = toErrorStatus(error) < 500 ? "debug" : "warn";
  logger[severity](`A request failed after ${when}`, meta);
};
