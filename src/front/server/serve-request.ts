import type { IncomingMessage } from "node:http";
import { RequestError } from "../../basics/errors.ts";
import { closeAfterReply } from "../../wire/reply/close-after-reply.ts";
import { isSilenced } from "../../basics/logger/console-logger.ts";
import { guardLogger, toChild, toParent } from "../../basics/logger/guard-logger.ts";
import { isLogger, type Logger } from "../../basics/logger/logger.ts";
import { shareSamples } from "../../basics/logger/sampling.ts";
import { readCombined, type RequestState } from "../../serve/pipeline/request-state.ts";
import { logServerFault, setFaultLog } from "../../define/results/log-fault.ts";
import { toLoggedPath } from "../../basics/http/logged-path.ts";
import type { CommonConfig } from "./config/config.ts";
import type { Serve } from "./connection/serve-in-order.ts";
import type { Dispatcher } from "./dispatch.ts";
import { normaliseFirst } from "./express/path-guards.ts";
import { setDefaultCorsHeaders } from "../../serve/request/cors.ts";
import { hostPattern } from "../../serve/request/canonical-path.ts";

const maxHeaderFields = 100;

interface Parts {
  readonly beginRequest: Serve;
  readonly dispatcher: Dispatcher;
}

/** Refuses a request before it is dispatched; it begins like all others, so it gets CORS headers and is logged. */
export const refuseEarly = async (
  { beginRequest, dispatcher }: Parts,
  refusal: RequestError,
  state: RequestState,
): Promise<void> => {
  // what follows on the connection must not be parsed in the meantime
  if (refusal.endsConnection) closeAfterReply(state.request, state.response);
  try {
    await beginRequest(state);
  } catch (error) {
    logServerFault(state.logger, state.request, error);
  }
  await dispatcher.refuseEarly(state, refusal);
};

/** Creates the function that serves requests; the Express stack is skipped if it has nothing to add. */
export const createServing =
  ({ beginRequest, dispatcher }: Parts, hasHooks: boolean): Serve =>
  (state) => {
    const { request, response, app } = state;
    const refusal = findFramingFault(request);
    if (refusal) return refuseEarly({ beginRequest, dispatcher }, refusal, state);
    let begun: ReturnType<Serve>;
    try {
      // the layers of the application, if there are others than the two of the API
      const stack =
        app?.express && (hasHooks || app.express.router.stack.length > 2) ? app.express : undefined;
      // the `cors` option handles preflights, whatever a hook has added before the API
      if (stack && !dispatcher.isPreflight(request)) {
        state.isShared = true;
        normaliseFirst(request);
        stack(request, response);
        return undefined;
      }
      begun = beginRequest(state);
    } catch (error) {
      return dispatcher.refuse(state, error);
    }
    if (begun === undefined) return dispatcher.dispatch(state);
    return begun.then(
      () => (dispatcher.hasLeft(state) ? undefined : dispatcher.dispatch(state)),
      (error: unknown) => dispatcher.refuseEarly(state, error),
    );
  };

/**
 * Finds, in the raw fields of a request's head, what Node does not check: too many fields, a missing, repeated or
 * malformed host, and a transfer coding other than `chunked`. Node hides fields over its own limit, and of two hosts it
 * uses the first, where a proxy may use the second.
 *
 * @see RFC 9112, sections 3.2 and 6.1
 */
const findFramingFault = ({
  rawHeaders,
  httpVersionMinor,
}: IncomingMessage): RequestError | undefined => {
  if (rawHeaders.length > 2 * maxHeaderFields)
    return new RequestError("SLP_HEADER_TOO_MANY_FIELDS");
  let host: string | undefined;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? "";
    const value = rawHeaders[index + 1] ?? "";
    // the length rules out most fields
    if (name.length === 4 && name.toLowerCase() === "host") {
      if (host !== undefined) return new RequestError("SLP_HEADER_HOST");
      host = value;
    } else if (name.length === 17 && name.toLowerCase() === "transfer-encoding") {
      if (httpVersionMinor === 0 || value.toLowerCase() !== "chunked")
        return new RequestError("SLP_HEADER_TRANSFER_ENCODING");
    }
  }
  const isRight = host === undefined ? httpVersionMinor === 0 : hostPattern.test(host);
  return isRight ? undefined : new RequestError("SLP_HEADER_HOST");
};

/** Creates the function that begins a request; it returns a promise if the logger is created asynchronously. */
export const createBeginRequest = async (config: CommonConfig, logger: Logger): Promise<Serve> => {
  const { cors, childLoggerProvider, cookies = false, requestId = false } = config;
  const { accessLogger = isSilenced(logger, "debug") ? null : logToDebug } = config;
  const setLogger = (state: RequestState, own: Logger): void => {
    shareSamples(own, logger);
    setFaultLog(own, config.logFaults, readCombined);
    state.logger = own;
  };
  const readCookies = cookies
    ? (await import("../../serve/request/cookies.ts")).createCookieParser(
        cookies === true ? {} : cookies,
      )
    : undefined;
  const identify = requestId
    ? (await import("../../serve/request/request-id.ts")).createIdentifier(requestId)
    : undefined;
  const addChild =
    childLoggerProvider &&
    (async (state: RequestState): Promise<void> => {
      const { request, response } = state;
      const parent = toParent(state.logger);
      const child = await childLoggerProvider({ request, response, parent });
      setLogger(state, isLogger(child) ? guardLogger(child) : parent);
      if (accessLogger) logAtEnd(state, accessLogger);
    });
  return (state) => {
    const { request, response } = state;
    if (cors === true) setDefaultCorsHeaders(response);
    readCookies?.(request);
    const fields = state.observation?.logFields;
    if (fields || identify) {
      const id = identify && { requestId: identify(request, response) };
      setLogger(state, toChild(logger, { ...fields, ...id }));
    }
    if (addChild) return addChild(state);
    if (accessLogger) logAtEnd(state, accessLogger);
    return undefined;
  };
};

type AccessLogger = NonNullable<CommonConfig["accessLogger"]>;

const logToDebug: AccessLogger = (request, logger, reply) =>
  logger.debug(`${request.method}: ${toLoggedPath(request)}`, reply);

/** Calls an access logger once the response has ended or the client has left. */
const logAtEnd = (state: RequestState, log: AccessLogger): void => {
  const { request, logger } = state;
  const begin = performance.now();
  const { socket } = request;
  // the sockets of adapters for serverless functions do not count bytes
  const { bytesWritten: before = 0 } = socket as { readonly bytesWritten?: number };
  const end = async (): Promise<void> => {
    if (state.isUnlogged) return;
    const milliseconds = Math.round((performance.now() - begin) * 10) / 10;
    const bytes = (socket.bytesWritten ?? 0) - before;
    try {
      await log(request, logger, { status: state.sentStatus, bytes, milliseconds });
    } catch (error) {
      logger.error("The access logger failed", { error });
    }
  };
  state.onEnd(() => void end());
};
