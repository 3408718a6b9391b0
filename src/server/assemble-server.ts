import type { RequestListener } from "node:http";
import type { Express, NextFunction, Request, RequestHandler, Response } from "express";
import { RequestError } from "../errors.ts";
import { watchReplies } from "../http/node-internals.ts";
import { loadNodeHttp, loadNodeHttps } from "../lazy/node-modules.ts";
import { offerMark, skipOffer } from "../pipeline/offer-fault.ts";
import { normalisePath } from "../http/normal-path.ts";
import { warnAlreadySent } from "../pipeline/send-result.ts";
import { watchedMark } from "../results/send-json.ts";
import type { Routing } from "../routing/routing.ts";
import { walkRouting } from "../routing/walk-routing.ts";
import { answerClientErrors } from "./connection/client-errors.ts";
import type { ServerConfig } from "./config/config.ts";
import type { Dispatcher } from "./dispatch.ts";
import { watchConnections } from "./connection/connections.ts";
import { connect, createExpressObjects, type ExpressObjects } from "./express/express-objects.ts";
import { createFaultOffer } from "./error-handlers.ts";
import { toExpectingListener } from "./head/expectation.ts";
import { assertFraming } from "./head/framing.ts";
import { loadExpress } from "../lazy/packages.ts";
import type { Listener } from "./connection/listen.ts";
import { prepare, type Prepared } from "./prepare.ts";
import { inTurn } from "./connection/request-queue.ts";
import { defaultResponseIdleTimeout } from "./connection/stalled-reader.ts";

/** A server before it listens. */
export interface AssembledServer extends Prepared {
  readonly objects: ExpressObjects;
  /** The servers that the configuration asks for. */
  readonly listeners: readonly Listener[];
}

/**
 * Puts a server together: routes, hooks, and the objects of node:http that take the connections.
 *
 * @throws RoutingError when the routing is wrong, and what a hook throws.
 */
export const assembleServer = async (
  config: ServerConfig,
  routing: Routing,
): Promise<AssembledServer> => {
  const { compression, beforeRouting, afterRouting } = config;
  const prepared = await prepare(config, [...walkRouting(routing, config)]);
  const isBare = !compression && !beforeRouting && !afterRouting;
  const objects = createAppObjects(prepared, config, (app) => {
    if (isBare) buildStack(app, prepared);
  });
  if (!isBare) await buildOwnStack(objects.getApp(), prepared, config);
  const { findApp } = objects;
  const offer = createFaultOffer(findApp, () => {
    const app = findApp();
    return app && apiLayers.get(app);
  });
  // it may be taken off a response
  Object.defineProperty(objects.ServerResponse.prototype, offerMark, {
    value: offer,
    writable: true,
  });
  const listener = createListener(prepared, objects, isBare ? undefined : objects.getApp());
  const listeners = createServers(config, objects, listener, prepared.dispatcher);
  for (const { server } of listeners)
    answerClientErrors(server, prepared.getLogger(), config.cors === true);
  return { ...prepared, objects, listeners };
};

/** Makes the classes of the requests and responses, and the Express application as configured once it is asked for. */
export const createAppObjects = (
  { dispatcher, getLogger }: Prepared,
  { etag, queryParser, responseIdleTimeout }: Partial<ServerConfig>,
  build: (app: Express) => void = () => undefined,
): ExpressObjects =>
  createExpressObjects({
    etag,
    queryParser,
    build,
    sentTwice: ({ req }) => warnAlreadySent({ request: req, logger: getLogger(req as Request) }),
    fail: (error, request, response) => void dispatcher.fail(error, request, response),
    stalled: {
      timeout: responseIdleTimeout ?? defaultResponseIdleTimeout,
      report: ({ req }) =>
        getLogger(req as Request).debug("Dropped a client that does not read its response"),
    },
  });

/** Puts the API on an application to which nothing is added. */
const buildStack = (app: Express, prepared: Prepared): void => {
  useBeginning(app, prepared);
  useApi(app, prepared);
  useEnding(app, prepared);
};

/** Puts the API on the application, between what the hooks add. */
const buildOwnStack = async (
  app: Express,
  prepared: Prepared,
  { compression, beforeRouting, afterRouting }: ServerConfig,
): Promise<void> => {
  const { getLogger } = prepared;
  useBeginning(app, prepared);
  if (compression) {
    const { createCompression } = await import("./compression/compression.ts");
    app.use(createCompression(compression === true ? {} : compression));
  }
  await beforeRouting?.({ app, getLogger });
  useApi(app, prepared);
  await afterRouting?.({ app, getLogger });
  useEnding(app, prepared);
};

const useBeginning = (app: Express, { begin }: Prepared): void => {
  app.use(async (request, response, next) => {
    await begin(request, response);
    next();
  });
};

const useApi = (app: Express, { dispatcher }: Prepared): void => {
  const layer: RequestHandler = (request, response, next) => {
    if (!dispatcher.hasLeft(request, response)) void dispatcher.dispatch(request, response, next);
  };
  apiLayers.set(app, layer);
  app.use(layer);
};

/** The layer of the API on each application. */
const apiLayers = new WeakMap<Express, RequestHandler>();

/** Puts what concerns all layers of the application around them, those that are added to it later included. */
const useEnding = (app: Express, { dispatcher }: Prepared): void => {
  const router = app as unknown as {
    handle: (request: Request, response: Response, next?: NextFunction) => void;
  };
  const { handle } = router;
  router.handle = (request, response) => {
    // before Express looks at it, and before a middleware of a hook does
    normalisePath(request);
    handle.call(app, request, response, toEnding(dispatcher, request, response));
  };
};

const toEnding =
  (dispatcher: Dispatcher, request: Request, response: Response): NextFunction =>
  (error?: unknown) => {
    if (error) {
      skipOffer(response);
      void dispatcher.fail(error, request, response);
    } else void dispatcher.answerNotFound(request, response);
  };

/** The layers that were put on the application after the API; undefined where there are none. */
const findLateLayers = ({ findApp }: ExpressObjects): RequestHandler | undefined => {
  const { stack } = findApp()?.router ?? { stack: [] };
  if (stack.length <= ownLayers) return undefined;
  const late = loadExpress().Router();
  late.stack = stack.slice(ownLayers);
  return late;
};

/** How many layers the API has on an application to which nothing else is added: its beginning, and itself. */
const ownLayers = 2;

/** Dispatches a request; one without a route goes on to what was put on the application since, if anything was. */
const dispatch = (
  dispatcher: Dispatcher,
  objects: ExpressObjects,
  request: Request,
  response: Response,
): Promise<void> => {
  const late = objects.findApp() && findLateLayers(objects);
  if (!late) return dispatcher.dispatch(request, response);
  const ending = toEnding(dispatcher, request, response);
  return dispatcher.dispatch(request, response, () => void late(request, response, ending));
};

/** Serves requests; without entering the Express stack where it has nothing to add. */
const createListener =
  (
    { begin, dispatcher }: Prepared,
    objects: ExpressObjects,
    stack: Express | undefined,
  ): RequestListener =>
  (message, reply) => {
    // the server makes them with the classes of the application
    const request = message as Request;
    const response = reply as Response;
    connect(request, response);
    let beginning: Promise<void> | undefined;
    try {
      assertFraming(request);
      // a preflight is for the option `cors` to answer, whatever a hook has put before the API
      if (stack && !dispatcher.isPreflight(request)) {
        (response as { [watchedMark]?: boolean })[watchedMark] = true;
        stack(request, response);
        return;
      }
      beginning = begin(request, response);
    } catch (error) {
      void dispatcher.fail(error, request, response);
      return;
    }
    if (beginning === undefined) void dispatch(dispatcher, objects, request, response);
    else
      beginning.then(
        () =>
          dispatcher.hasLeft(request, response)
            ? undefined
            : dispatch(dispatcher, objects, request, response),
        (error: unknown) => dispatcher.fail(error, request, response),
      );
  };

/** Times in milliseconds; `http.options` and `https.options` replace them. */
const defaultOptions = {
  connectionsCheckingInterval: 5000,
  headersTimeout: 15_000,
  keepAliveTimeout: 65_000,
  requestTimeout: 60_000,
  // it is checked with the envelope of the API
  requireHostHeader: false,
};

const createServers = (
  { http, https }: ServerConfig,
  { IncomingMessage, ServerResponse }: ExpressObjects,
  listener: RequestListener,
  dispatcher: Dispatcher,
): Listener[] => {
  const classes = { IncomingMessage, ServerResponse };
  const listeners: Listener[] = [];
  if (http) {
    const server = loadNodeHttp().createServer({ ...defaultOptions, ...http.options, ...classes });
    listeners.push({ name: "http", server, at: http.listen });
  }
  if (https) {
    const server = loadNodeHttps().createServer({
      ...defaultOptions,
      ...https.options,
      ...classes,
    });
    listeners.push({ name: "https", server, at: https.listen });
  }
  const onRequest = inTurn(listener);
  const onContinue = inTurn(toExpectingListener(listener));
  const onExpectation = inTurn((message, reply) => {
    const [request, response] = [message as Request, reply as Response];
    connect(request, response);
    void dispatcher.fail(new RequestError("SLP_EXPECTATION"), request, response);
  });
  for (const { name, server } of listeners) {
    watchConnections(server, name === "https");
    watchReplies(server);
    server.on("request", onRequest);
    server.on("checkContinue", onContinue);
    server.on("checkExpectation", onExpectation);
  }
  return listeners;
};
