import type { IncomingMessage, ServerResponse } from "node:http";
import type { Express, NextFunction, Request, Response } from "express";
import type { RequestError } from "../errors.ts";
import { closeAfterReply } from "../reply/closing.ts";
import { isSilenced } from "../logger/console-logger.ts";
import { guardLogger, toChild, toParent } from "../logger/guard-logger.ts";
import { isLogger, type Logger } from "../logger/logger.ts";
import { shareSamples } from "../logger/sampling.ts";
import { readCombined, RequestState, type Service } from "../pipeline/request-state.ts";
import { recover } from "../pipeline/send-result.ts";
import { ensureError, toNativeError } from "../reply/http-error.ts";
import { logServerFault, setFaultLog, toLoggedPath } from "../results/log-fault.ts";
import type { AccessedReply, CommonConfig } from "./config/config.ts";
import type { Dispatcher } from "./dispatch.ts";
import { setDefaultCorsHeaders } from "../request/cors.ts";
import { findFramingFault } from "../request/head.ts";

/** Serves a request; the returned promise, if any, rejects only if the framework has a defect. */
export type Serve = (state: RequestState) => Promise<void> | undefined;

/** Begins a request; returns a promise if its logger is created asynchronously. */
export type Begin = Serve;

/** Creates the state of a request, and connects the request to its response as Express does. */
export const connect = (request: Request, response: Response, service: Service): RequestState => {
  request.res = response;
  response.req = request;
  request.originalUrl = request.url;
  return new RequestState(request, response, service);
};

/**
 * Creates a listener that begins each request and serves it. A defect of the framework itself neither ends the process
 * nor leaves a client without a response: whatever is thrown is logged, and responded to with 500.
 */
export const beginRequests =
  (serve: Serve, service: Service) =>
  (message: IncomingMessage, reply: ServerResponse): void => {
    // the server creates requests and responses with the application's classes
    const request = message as Request;
    const response = reply as Response;
    const state = connect(request, response, service);
    try {
      serve(state)?.catch((error: unknown) => recover(state, error));
    } catch (error) {
      recover(state, error);
    }
  };

/** What serves requests. */
interface Parts {
  readonly begin: Begin;
  readonly dispatcher: Dispatcher;
}

/** Returns the application if it must handle requests, because there are layers other than the two of the API. */
const findStack = (app: Express | undefined, hasHooks: boolean): Express | undefined =>
  app && (hasHooks || app.router.stack.length > 2) ? app : undefined;

/**
 * Refuses a request before it is dispatched. The request begins like all others, so the response has CORS headers and
 * an id, and is logged; a failure of this is logged too.
 */
export const refuseEarly = async (
  { begin, dispatcher }: Parts,
  refusal: RequestError,
  state: RequestState,
): Promise<void> => {
  // what follows on the connection must not be parsed in the meantime
  if (refusal.endsConnection) closeAfterReply(state.request, state.response);
  try {
    await begin(state);
  } catch (error) {
    logServerFault(state.logger, state.request, error);
  }
  await dispatcher.refuseEarly(state, refusal);
};

/** Creates the function that serves requests; the Express stack is skipped if it has nothing to add. */
export const createServing =
  ({ begin, dispatcher }: Parts, hasHooks: boolean): Serve =>
  (state) => {
    const { request, response, app } = state;
    const refusal = findFramingFault(request);
    if (refusal) return refuseEarly({ begin, dispatcher }, refusal, state);
    let beginning: Promise<void> | undefined;
    try {
      const stack = findStack(app?.express, hasHooks);
      // the `cors` option handles preflights, whatever a hook has added before the API
      if (stack && !dispatcher.isPreflight(request)) {
        state.watchers = "hooks";
        stack(request, response);
        return undefined;
      }
      beginning = begin(state);
    } catch (error) {
      return dispatcher.refuse(state, error);
    }
    if (beginning === undefined) return dispatcher.dispatch(state);
    return beginning.then(
      () => (dispatcher.hasLeft(state) ? undefined : dispatcher.dispatch(state)),
      (error: unknown) => dispatcher.refuseEarly(state, error),
    );
  };

/** Returns the `next` of the last layer of the application. */
export const toEnding =
  (dispatcher: Dispatcher, state: RequestState): NextFunction =>
  (error?: unknown) =>
    void endRequest(dispatcher, state, error);

/** Responds to a request that no layer of the application has answered, or that one has passed an error on for. */
const endRequest = async (
  dispatcher: Dispatcher,
  state: RequestState,
  error: unknown,
): Promise<void> => {
  try {
    if (error) {
      state.mayOfferFault = false;
      await dispatcher.refuseEarly(state, toNativeError(ensureError(error), state.response));
    } else await dispatcher.answerNotFound(state);
  } catch (defect) {
    recover(state, defect);
  }
};

/**
 * Creates the function that begins a request: it sets CORS headers, creates the logger of the request and schedules its
 * access log line. It returns a promise if the logger is created asynchronously.
 */
export const createBeginning = async (config: CommonConfig, logger: Logger): Promise<Begin> => {
  const { cors, childLoggerProvider, accessLogger, cookies = false, requestId = false } = config;
  const setLogger = (state: RequestState, own: Logger): void => {
    shareSamples(own, logger);
    setFaultLog(own, config.logFaults, readCombined);
    state.logger = own;
  };
  const logAccess = toAccessLogger(accessLogger, logger);
  const readCookies = cookies
    ? (await import("../request/cookies.ts")).createCookieParser(cookies === true ? {} : cookies)
    : undefined;
  const identify = requestId
    ? (await import("../request/request-id.ts")).createIdentifier(requestId)
    : undefined;
  const addChild = async (
    provider: NonNullable<CommonConfig["childLoggerProvider"]>,
    state: RequestState,
  ): Promise<void> => {
    const { request, response } = state;
    const parent = toParent(state.logger);
    const child = await provider({ request, response, parent });
    setLogger(state, isLogger(child) ? guardLogger(child) : parent);
    logAccess?.(state);
  };
  return (state) => {
    const { request, response } = state;
    if (cors === true) setDefaultCorsHeaders(response);
    readCookies?.(request);
    const fields = state.observation?.logFields;
    if (fields || identify) {
      const id = identify && { requestId: identify(request, response) };
      setLogger(state, toChild(logger, { ...fields, ...id }));
    }
    if (childLoggerProvider) return addChild(childLoggerProvider, state);
    logAccess?.(state);
    return undefined;
  };
};

type LogAccess = (state: RequestState) => void;

/** Returns a function that logs requests; undefined if its lines would not be shown. */
const toAccessLogger = (
  configured: CommonConfig["accessLogger"],
  logger: Logger,
): LogAccess | undefined => {
  if (configured === null) return undefined;
  if (!configured) return isSilenced(logger, "debug") ? undefined : atEnd(logToDebug);
  return atEnd(async (request, own, reply) => {
    try {
      await configured(request, own, reply);
    } catch (error) {
      own.error("The access logger failed", { error });
    }
  });
};

const logToDebug: AccessLogger = (request, logger, reply) =>
  logger.debug(`${request.method}: ${toLoggedPath(request)}`, reply);

type AccessLogger = (request: Request, logger: Logger, reply: AccessedReply) => unknown;

/** Returns a function that calls an access logger once the response has ended or the client has left. */
const atEnd =
  (log: AccessLogger): LogAccess =>
  (state) => {
    const { request, response, logger } = state;
    const begin = performance.now();
    const { socket } = request;
    // the sockets of adapters for serverless functions do not count bytes
    const { bytesWritten: before = 0 } = socket as { readonly bytesWritten?: number };
    let isLogged = false;
    const end = (): void => {
      if (isLogged) return;
      isLogged = true;
      if (state.isUnlogged) return;
      const milliseconds = Math.round((performance.now() - begin) * 10) / 10;
      const status = response.headersSent ? response.statusCode : undefined;
      try {
        log(request, logger, { status, bytes: (socket.bytesWritten ?? 0) - before, milliseconds });
      } catch (error) {
        // an error that is thrown in an event would end the process
        logger.error("The access log failed", { error });
      }
    };
    state.harmlessFinishes++;
    state.harmlessCloses++;
    response.once("finish", end).once("close", end);
  };
