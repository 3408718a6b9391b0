import type { Express, NextFunction, Request, RequestHandler, Response } from "express";
import { loadExpress } from "../../basics/lazy/packages.cjs";
import { recover } from "../../serve/pipeline/answer.ts";
import { findState, RequestState, sentByHandler } from "../../serve/pipeline/request-state.ts";
import { ensureError, toNativeError } from "../../wire/reply/http-error.ts";
import type { ServerConfig } from "./config/config.ts";
import { createCompression } from "./express/compression.ts";
import { markSending } from "./express/mark-sending.ts";
import { guardPaths, mayServe } from "./express/path-guards.ts";
import type { Dispatcher } from "./dispatch.ts";
import type { PreparedApi } from "./prepare-api.ts";

/** Adds the API to the application, between the layers that the hooks add; without hooks, adds it at once. */
export const buildStack = async (
  app: Express,
  { beginRequest, dispatcher, getLogger, observe, service }: PreparedApi,
  { compression, beforeRouting, afterRouting, caseSensitive }: ServerConfig,
): Promise<void> => {
  // an application that serves the API elsewhere passes requests that have no state yet
  const toState = (request: Request, response: Response): RequestState =>
    findState(request) ?? new RequestState(request, response, service);
  const layer: RequestHandler = (request, response, next) => {
    if (!mayServe(request)) return next();
    const state = toState(request, response);
    // an application in a router of a hook leaves its own prototypes
    markSending(Object.getPrototypeOf(response) as Response);
    return dispatcher.hasLeft(state) ? undefined : dispatcher.dispatch(state, next);
  };
  apiLayers.add(layer);
  app.use(async (request, response, next) => {
    await beginRequest(toState(request, response));
    next();
  });
  if (compression) app.use(await createCompression(compression === true ? {} : compression));
  if (beforeRouting) await beforeRouting({ app, getLogger });
  app.use(layer);
  if (afterRouting) await afterRouting({ app, getLogger });
  const router = app as unknown as {
    handle: (request: Request, response: Response, next?: NextFunction) => void;
  };
  const { handle } = router;
  // steps before and after all layers of the application, including those added later
  router.handle = (request, response) => {
    const state = toState(request, response);
    const ending = toEnding(dispatcher, state);
    if (observe) observe(state, () => handle.call(app, request, response, ending));
    else handle.call(app, request, response, ending);
  };
  guardPaths(app, caseSensitive);
};

/** Returns the `next` of the last layer, called if no layer has answered a request, or if one passes an error on. */
const toEnding = (dispatcher: Dispatcher, state: RequestState): NextFunction => {
  const end = async (error: unknown): Promise<void> => {
    if (!error) return dispatcher.sendNotFound(state);
    state.isOffered = true;
    return dispatcher.refuseEarly(state, toNativeError(ensureError(error), state.response));
  };
  return (left?: unknown) => void end(left).catch((defect: unknown) => recover(state, defect));
};

const apiLayers = new WeakSet<object>();

/** Offers a fault to the error handlers that were added to an application after the API, as Express does. */
export const offerToHandlers = (
  app: Express,
  error: Error,
  request: Request,
  response: Response,
) => {
  const { stack } = app.router;
  const begin = stack.findIndex(({ handle }) => apiLayers.has(handle));
  const handlers = stack.slice(begin + 1).filter(({ handle }) => handle.length === 4);
  if (handlers.length === 0) return undefined;
  const router = loadExpress().Router();
  router.use((_request: Request, _response: Response, next: NextFunction) => next(error));
  router.stack.push(...handlers);
  return new Promise((resolve) => {
    const onClose = (): void => resolve(sentByHandler);
    response.once("close", onClose);
    router(request, response, (left?: unknown) => {
      response.off("close", onClose);
      resolve(findState(response)?.phase === "ended" ? sentByHandler : (left ?? error));
    });
  });
};
