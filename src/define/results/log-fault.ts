import type { IncomingMessage } from "node:http";
import { RequestError } from "../../basics/errors.ts";
import type { Request } from "../../basics/http/express-objects.ts";
import { drops, findRoot } from "../../basics/logger/guard-logger.ts";
import type { Logger } from "../../basics/logger/logger.ts";
import { toLoggedPath } from "../../basics/http/logged-path.ts";
import { ensureError, readSafely } from "../../wire/reply/http-error.ts";
import { findExchange } from "../../wire/exchange/exchange.ts";
import { isSampled, warnSampled } from "../../basics/logger/sampling.ts";

/** A server fault, as passed to the function of the `logFaults` option. */
export interface LoggedFault {
  readonly error: Error;
  /** The error that a result handler was to send when it failed with `error`; undefined for any other fault. */
  readonly original: Error | undefined;
  readonly request: Request;
  /** The combined input before validation, which may contain secrets; undefined if nothing has read it. */
  readonly input: Readonly<Record<string, unknown>> | undefined;
  /** The logger of the request. */
  readonly logger: Logger;
}

/**
 * The `logFaults` option: `false`; a function that logs faults in place of the framework; or `input`, a function that
 * returns what the framework logs of the input.
 */
export type LogFaults =
  | false
  | ((fault: LoggedFault) => unknown)
  | { readonly input: (input: NonNullable<LoggedFault["input"]>) => unknown };

interface FaultLog {
  readonly logFaults: LogFaults;
  readonly readInput: (request: Request) => LoggedFault["input"];
}

const faultLogs = new WeakMap<object, FaultLog>();

const findFaultLog = (logger: Logger): FaultLog | undefined =>
  faultLogs.get(logger) ?? faultLogs.get(findRoot(logger));

/** Determines how the faults of a request with the given logger are logged; by default, the framework logs them. */
export const setFaultLog = (
  logger: Logger,
  logFaults: LogFaults | undefined,
  readInput: FaultLog["readInput"],
): void => {
  if (logFaults !== undefined) faultLogs.set(findRoot(logger), { logFaults, readInput });
};

/**
 * Logs a server fault in a single line with the error and its stack, but no input or headers, unless the
 * `logFaults` option says otherwise.
 *
 * @param sent the error that a result handler was to send when it failed
 */
export const logServerFault = (
  logger: Logger,
  request: Request,
  thrown: unknown,
  sent?: Error,
): void => {
  findExchange(request)?.observation?.recordFault(thrown);
  // a result handler may throw the very error that it was to send
  const original = sent === thrown ? undefined : sent;
  const { logFaults, readInput } = findFaultLog(logger) ?? {};
  const input = logFaults ? readInput?.(request) : undefined;
  const logLine = (error: unknown, shown?: unknown): void => {
    logger.error("Server fault", {
      method: request.method,
      path: toLoggedPath(request),
      error,
      ...(original && { original }),
      ...(shown !== undefined && { input: shown }),
    });
  };
  const logFailure = (error: unknown): void =>
    void logger.error("The function of `logFaults` failed", { error });
  if (typeof logFaults === "function") {
    const error = ensureError(thrown);
    const log = async (): Promise<unknown> =>
      logFaults({ error, original, request, input, logger });
    void log().catch((failure: unknown) => {
      logFailure(failure);
      logLine(error);
    });
    return;
  }
  let shown: unknown;
  try {
    if (logFaults && input) shown = logFaults.input(input);
  } catch (failure) {
    logFailure(failure);
  }
  logLine(thrown, shown);
};

/**
 * Logs a fault that a result handler receives, unless `logFaults: false` leaves that to the handler. That a store is away
 * is logged at most once per second, because it fails each request.
 */
export const logHandledFault = (logger: Logger, request: Request, error: Error): void => {
  const isLogged = findFaultLog(logger)?.logFaults !== false;
  const isOfStore = error instanceof RequestError && error.code === "SLP_STORE_UNAVAILABLE";
  if (isLogged && (!isOfStore || isSampled(logger, error.code)))
    logServerFault(logger, request, error);
  else findExchange(request)?.observation?.recordFault(error);
};

/** Logs a client fault in a single line: at level debug, or as a sampled warning if the fault looks like an attack. */
export const logClientFault = (
  logger: Logger,
  request: IncomingMessage,
  statusCode: number,
  error: Error,
): void => {
  // the code that the client sees, if there is one
  const code = readSafely(error, "code");
  const isSuspicious =
    code === "SLP_BODY_FORBIDDEN_KEY" ||
    code === "SLP_CROSS_SITE_FORM" ||
    (error instanceof RequestError && error.endsConnection);
  if (!isSuspicious && drops(logger, "debug")) return;
  const meta = {
    method: request.method,
    path: toLoggedPath(request),
    statusCode,
    reason: typeof code === "string" ? code : String(readSafely(error, "name")),
  };
  if (isSuspicious) warnSampled(logger, String(code), "Request refused", meta);
  else logger.debug("Request refused", meta);
};
