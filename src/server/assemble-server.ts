import type { RequestListener } from "node:http";
import type { Express, NextFunction, Request, RequestHandler, Response } from "express";
import { RequestError, ServerFault } from "../errors.ts";
import { closeAfterReply } from "../http/lingering-close.ts";
import { watchReplies } from "../http/node-internals.ts";
import { loadNodeHttp, loadNodeHttps } from "../lazy/node-modules.ts";
import { offerMark, skipOffer } from "../pipeline/offer-fault.ts";
import { normalisePath } from "../http/normal-path.ts";
import { cutOff } from "../pipeline/response-state.ts";
import { warnAlreadySent } from "../pipeline/send-result.ts";
import { ensureError, toNativeError } from "../results/http-error.ts";
import { logServerFault } from "../results/log-fault.ts";
import { watchedMark } from "../results/send-json.ts";
import type { Routing } from "../routing/routing.ts";
import { walkRouting } from "../routing/walk-routing.ts";
import { answerClientErrors } from "./connection/client-errors.ts";
import type { ServerConfig } from "./config/config.ts";
import type { Dispatcher } from "./dispatch.ts";
import { watchConnections } from "./connection/connections.ts";
import { connect, createExpressObjects, type ExpressObjects } from "./express/express-objects.ts";
import { createFaultOffer } from "./error-handlers.ts";
import { toExpectingListener, type RunningListener } from "./head/expectation.ts";
import { findFramingFault } from "./head/framing.ts";
import { loadExpress } from "../lazy/packages.ts";
import type { Listener } from "./connection/listen.ts";
import { prepare, type Prepared } from "./prepare.ts";
import { inTurn } from "./connection/request-queue.ts";
import { protect } from "./protect.ts";
import { defaultResponseIdleTimeout } from "./connection/stalled-reader.ts";

/** A server that does not listen yet. */
export interface AssembledServer extends Prepared {
  readonly objects: ExpressObjects;
  /** The configured servers, each with the address at which it is to listen. */
  readonly listeners: readonly Listener[];
}

/**
 * Assembles a server: routes, hooks, and the node:http objects that accept connections.
 *
 * @throws RoutingError when the routing is invalid, and any error that a hook throws.
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
  // the property is writable, so that a response can stop offering its faults
  Object.defineProperty(objects.ServerResponse.prototype, offerMark, {
    value: offer,
    writable: true,
  });
  const listener = createListener(prepared, objects, isBare ? undefined : objects.getApp());
  const listeners = createServers(config, objects, listener, prepared);
  for (const { server } of listeners)
    answerClientErrors(server, prepared.getLogger(), config.cors === true);
  return { ...prepared, objects, listeners };
};

/** Creates the classes of requests and responses, and the configured Express application once it is needed. */
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
    wrongLength: (response, cause) => {
      const request = response.req as Request;
      cutOff(response);
      const text = "The body has another length than its Content-Length";
      logServerFault(
        getLogger(request),
        request,
        new ServerFault("SLP_CONTENT_LENGTH", text, cause),
      );
    },
    fail: (error, request, response) => void dispatcher.fail(error, request, response),
    stalled: {
      timeout: responseIdleTimeout ?? defaultResponseIdleTimeout,
      report: ({ req }) =>
        getLogger(req as Request).debug(
          "Closed the connection of a client that does not read its response",
        ),
    },
  });

/** Adds the API to an application without hooks. */
const buildStack = (app: Express, prepared: Prepared): void => {
  useBeginning(app, prepared);
  useApi(app, prepared);
  useEnding(app, prepared);
};

/** Adds the API to the application, between the layers that the hooks add. */
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
  const layer: RequestHandler = (request, response, next) =>
    dispatcher.hasLeft(request, response)
      ? undefined
      : dispatcher.dispatch(request, response, next);
  apiLayers.set(app, layer);
  app.use(layer);
};

/** The layer of the API in each application. */
const apiLayers = new WeakMap<Express, RequestHandler>();

/** Adds steps before and after all layers of the application, including those added later. */
const useEnding = (app: Express, { dispatcher }: Prepared): void => {
  const router = app as unknown as {
    handle: (request: Request, response: Response, next?: NextFunction) => void;
  };
  const { handle } = router;
  router.handle = (request, response) => {
    // the path is normalised before Express or a hook's middleware sees it
    normalisePath(request);
    handle.call(app, request, response, toEnding(dispatcher, request, response));
  };
};

const toEnding =
  (dispatcher: Dispatcher, request: Request, response: Response): NextFunction =>
  (error?: unknown) =>
    void endRequest(dispatcher, request, response, error);

/** Responds to a request that no layer of the application has answered, or that one has passed an error on for. */
const endRequest = async (
  dispatcher: Dispatcher,
  request: Request,
  response: Response,
  error: unknown,
): Promise<void> => {
  try {
    if (error) {
      skipOffer(response);
      await dispatcher.failEarly(toNativeError(ensureError(error), response), request, response);
    } else await dispatcher.answerNotFound(request, response);
  } catch (defect) {
    dispatcher.recover(defect, request, response);
  }
};

/** Returns the layers that were added to the application after the API; undefined if there are none. */
const findLateLayers = ({ findApp }: ExpressObjects): RequestHandler | undefined => {
  const { stack } = findApp()?.router ?? { stack: [] };
  if (stack.length <= ownLayers) return undefined;
  const late = loadExpress().Router();
  late.stack = stack.slice(ownLayers);
  return late;
};

/** The number of layers that the API adds to every application: one begins each request, and one is the API itself. */
const ownLayers = 2;

/** Dispatches a request. A request without a route goes on to the layers added later, if any. */
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

/**
 * Refuses a request before it is dispatched. The request begins like all others, so the response has CORS headers and
 * an id, and is logged; a failure of this is logged too.
 */
const refuse = async (
  { begin, dispatcher, getLogger }: Prepared,
  refusal: RequestError,
  request: Request,
  response: Response,
): Promise<void> => {
  // what follows on the connection must not be parsed in the meantime
  if (refusal.endsConnection) closeAfterReply(request, response);
  try {
    await begin(request, response);
  } catch (error) {
    logServerFault(getLogger(request), request, error);
  }
  await dispatcher.failEarly(refusal, request, response);
};

/** Creates the listener that serves requests; the Express stack is skipped if it has nothing to add. */
const createListener =
  (prepared: Prepared, objects: ExpressObjects, stack: Express | undefined): RunningListener =>
  (message, reply) => {
    const { begin, dispatcher } = prepared;
    // the server creates requests and responses with the application's classes
    const request = message as Request;
    const response = reply as Response;
    connect(request, response);
    const refusal = findFramingFault(request);
    if (refusal) return refuse(prepared, refusal, request, response);
    let beginning: Promise<void> | undefined;
    try {
      // the option `cors` handles preflights, whatever a hook has added before the API
      if (stack && !dispatcher.isPreflight(request)) {
        (response as { [watchedMark]?: boolean })[watchedMark] = true;
        stack(request, response);
        return undefined;
      }
      beginning = begin(request, response);
    } catch (error) {
      return dispatcher.fail(error, request, response);
    }
    if (beginning === undefined) return dispatch(dispatcher, objects, request, response);
    return beginning.then(
      () =>
        dispatcher.hasLeft(request, response)
          ? undefined
          : dispatch(dispatcher, objects, request, response),
      (error: unknown) => dispatcher.failEarly(error, request, response),
    );
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
  { http, https }: ServerConfig,
  { IncomingMessage, ServerResponse }: ExpressObjects,
  listener: RunningListener,
  prepared: Prepared,
): Listener[] => {
  const classes = { IncomingMessage, ServerResponse };
  const { getLogger } = prepared;
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
  const serveInOrder = (served: RunningListener): RequestListener =>
    protect(inTurn(protect(served, getLogger)), getLogger);
  const onRequest = serveInOrder(listener);
  const onContinue = serveInOrder(toExpectingListener(listener));
  const onExpectation = serveInOrder((message, reply) => {
    const [request, response] = [message as Request, reply as Response];
    connect(request, response);
    return refuse(prepared, new RequestError("SLP_EXPECTATION"), request, response);
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
