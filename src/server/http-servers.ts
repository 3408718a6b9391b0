import type { RequestListener } from "node:http";
import type * as https from "node:https";
import type { Express, NextFunction, Request, RequestHandler, Response } from "express";
import { ConfigError, RequestError } from "../errors.ts";
import { holdEnd, replaceMethods } from "../exchange/replace-methods.ts";
import { markPipes } from "../http/node-internals.ts";
import { isExpressLoaded, loadCompression, loadExpress } from "../lazy/packages.ts";
import { findState, RequestState, sentByHandler } from "../pipeline/request-state.ts";
import { expectBody } from "../request/expectation.ts";
import type { Routing } from "../routing/routing.ts";
import { checkSettings, walkRouting } from "../routing/walk-routing.ts";
import type { CompressionOptions, ServerConfig } from "./config/config.ts";
import { sendClientErrors } from "./connection/malformed-requests.ts";
import { Listener } from "./connection/listener.ts";
import { serveInOrder, type Serve } from "./connection/serve-in-order.ts";
import { createExpressObjects, type ExpressObjects } from "./express/express-app.ts";
import { markSending } from "./express/mark-sending.ts";
import { guardPaths, mayServe } from "./express/path-guards.ts";
import { prepare, type Prepared } from "./prepare-api.ts";
import { createServing, refuseEarly, toEnding } from "./serve-request.ts";

/** Creates the configured servers, which do not listen yet. */
export const assembleServer = async (config: ServerConfig, routing: Routing) => {
  const { compression, beforeRouting, afterRouting } = config;
  const hasHooks = Boolean(compression || beforeRouting || afterRouting);
  const objects = createExpressObjects(config, (app) => {
    if (!hasHooks) void buildStack(app, prepared, config);
  });
  const { facts: app } = objects;
  const routes = walkRouting(routing, config);
  const prepared = await prepare(config, routes, {
    app,
    offerFault: (...fault) => app.express && offerToHandlers(app.express, ...fault),
  });
  if (hasHooks) await buildStack(objects.getApp(), prepared, config);
  else if (config.etag || isExpressLoaded()) objects.getApp();
  checkSettings(routes, app.settings);
  const listeners = createServers(config, objects, createServing(prepared, hasHooks), prepared);
  return { ...prepared, objects, listeners };
};

/** Adds the API to the application, between the layers that the hooks add; without hooks, adds it at once. */
const buildStack = async (
  app: Express,
  { beginRequest, dispatcher, getLogger, observe, service }: Prepared,
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
  if (compression) app.use(createCompression(compression === true ? {} : compression));
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

const createCompression = (options: CompressionOptions): RequestHandler => {
  const compression = findCompression();
  const { filter = compression.filter } = options;
  const compress = compression({
    ...options,
    filter: (request, response) => {
      // events must not wait in the encoder
      if (String(response.getHeader("Content-Type")).startsWith("text/event-stream")) return false;
      // a 304 has no media type, but varies like the response that it replaces
      const isUnchanged = response.statusCode === 304;
      if (!isUnchanged && !filter(request, response)) return false;
      response.vary("Accept-Encoding");
      // a range counts the bytes of the file itself; and if a secret is compressed together with reflected input, the
      // size of the response reveals the secret (BREACH)
      return (
        !isUnchanged && !response.hasHeader("Content-Range") && !response.hasHeader("Set-Cookie")
      );
    },
  });
  return (request, response, next) => {
    // the package keeps the method that it finds, but a shutdown replaces that of the prototype
    replaceMethods(response, { writeHead: (original) => original });
    compress(request, response, () => {
      replaceMethods(response, {
        end: (original) =>
          function (...args) {
            Reflect.apply(original, this, args);
            // the encoder ends the response later
            holdEnd(this);
            return this;
          },
      });
      next();
    });
  };
};

const findCompression = (): ReturnType<typeof loadCompression> => {
  try {
    return loadCompression();
  } catch {
    throw new ConfigError(
      "SLP_CONFIG_PEER",
      "The `compression` option needs the package compression, which is not installed. Run: npm install compression.",
    );
  }
};

const apiLayers = new WeakSet<object>();

/** Offers a fault to the error handlers that were added to an application after the API, as Express does. */
const offerToHandlers = (app: Express, error: Error, request: Request, response: Response) => {
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
      resolve(response.writableEnded ? sentByHandler : (left ?? error));
    });
  });
};

/** The default options of servers, with times in milliseconds; `http.options` and `https.options` override them. */
const defaultOptions = {
  connectionsCheckingInterval: 5000,
  headersTimeout: 15_000,
  keepAliveTimeout: 65_000,
  requestTimeout: 60_000,
  // sallyport checks the `Host` header itself and responds with the API's envelope
  requireHostHeader: false,
};

const createServers = (
  config: ServerConfig,
  { IncomingMessage, ServerResponse }: ExpressObjects,
  serve: Serve,
  prepared: Prepared,
): Listener[] => {
  const { service, observe } = prepared;
  const inOrder = (own: Serve): RequestListener =>
    serveInOrder(observe ? (state) => observe(state, () => own(state)) : own, service);
  const onRequest = inOrder(serve);
  const onContinue = inOrder((state) => {
    expectBody(state.request, state.response);
    return serve(state);
  });
  const onExpectation = inOrder((state) =>
    refuseEarly(prepared, new RequestError("SLP_EXPECTATION"), state),
  );
  return (["http", "https"] as const).flatMap((name) => {
    const own = config[name];
    if (!own) return [];
    const { createServer } = process.getBuiltinModule(`node:${name}`) as typeof https;
    const options = { ...defaultOptions, ...own.options, IncomingMessage, ServerResponse };
    const server = createServer(options);
    const listener = new Listener(name, server, own.listen);
    markPipes(server);
    server
      .on("request", onRequest)
      .on("checkContinue", onContinue)
      .on("checkExpectation", onExpectation);
    sendClientErrors(server, service.logger, config.cors === true);
    return listener;
  });
};
