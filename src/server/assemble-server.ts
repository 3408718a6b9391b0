import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Express, NextFunction, Request, RequestHandler, Response } from "express";
import { RequestError, ServerFault } from "../errors.ts";
import { plainWays, cutOff } from "../reply/response-state.ts";
import { shortcuts } from "../shortcuts/shortcuts.ts";
import { watchPipes } from "../http/node-internals.ts";
import { loadNodeHttp, loadNodeHttps } from "../lazy/node-modules.ts";
import { normalisePath } from "../http/normal-path.ts";
import { findState, RequestState, type Service } from "../pipeline/request-state.ts";
import { recover, warnAlreadySent } from "../pipeline/send-result.ts";
import { logServerFault } from "../results/log-fault.ts";
import type { Routing } from "../routing/routing.ts";
import { checkSettings, walkRouting } from "../routing/walk-routing.ts";
import { answerClientErrors } from "./connection/client-errors.ts";
import { createCompression } from "./compression.ts";
import type { ServerConfig } from "./config/config.ts";
import { watchConnections } from "./connection/connections.ts";
import { createExpressObjects, type ExpressObjects } from "./express/express-objects.ts";
import { createFaultOffer } from "./error-handlers.ts";
import { expectBody } from "../request/expectation.ts";
import { isExpressLoaded } from "../lazy/packages.ts";
import type { Listener } from "./connection/listen.ts";
import { prepare, type Prepared } from "./prepare.ts";
import { serveInOrder } from "./connection/serve-in-order.ts";
import {
  beginRequests,
  createServing,
  refuseEarly,
  toEnding,
  type Serve,
} from "./serve-request.ts";
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
  const isBare = !compression && !beforeRouting && !afterRouting;
  const objects = createAppObjects(config, (app) => {
    if (isBare) buildStack(app, prepared);
  });
  const offerFault = createFaultOffer(
    () => objects.facts.express,
    () => {
      const { express } = objects.facts;
      return express && apiLayers.get(express);
    },
  );
  const { facts: app } = objects;
  const entries = [...walkRouting(routing, config)];
  const prepared = await prepare(config, entries, { app, offerFault });
  if (!isBare) await buildOwnStack(objects.getApp(), prepared, config);
  else if (config.etag || isExpressLoaded()) objects.getApp();
  checkSettings(entries, app.settings);
  const listener = createServing(prepared, isBare ? undefined : objects.getApp());
  const listeners = createServers(config, objects, listener, prepared);
  for (const { server } of listeners)
    answerClientErrors(server, prepared.getLogger(), config.cors === true);
  return { ...prepared, objects, listeners };
};

/** Creates the classes of requests and responses, and the configured Express application once it is needed. */
export const createAppObjects = (
  {
    etag,
    queryParser,
    responseIdleTimeout,
    shortcuts: mayTakeShortcuts = true,
  }: Partial<ServerConfig>,
  build: (app: Express) => void = () => undefined,
): ExpressObjects =>
  createExpressObjects({
    ways: mayTakeShortcuts ? shortcuts : plainWays,
    etag,
    queryParser,
    build,
    sentTwice: (response) => {
      const state = findState(response);
      if (state) warnAlreadySent(state);
    },
    wrongLength: (response, cause) => {
      cutOff(response);
      const text = "The body has another length than its Content-Length";
      const state = findState(response);
      if (state)
        logServerFault(
          state.logger,
          state.request,
          new ServerFault("SLP_CONTENT_LENGTH", text, cause),
        );
    },
    stalled: {
      timeout: responseIdleTimeout ?? defaultResponseIdleTimeout,
      report: (response) =>
        findState(response)?.logger.debug(
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
    app.use(createCompression(compression === true ? {} : compression));
  }
  await beforeRouting?.({ app, getLogger });
  useApi(app, prepared);
  await afterRouting?.({ app, getLogger });
  useEnding(app, prepared);
};

const useBeginning = (app: Express, { begin, service }: Prepared): void => {
  app.use(async (request, response, next) => {
    await begin(toState(request, response, service));
    next();
  });
};

/** Returns the state of a request; an application that serves the API elsewhere passes requests that have none yet. */
const toState = (request: Request, response: Response, service: Service): RequestState =>
  findState(request) ?? new RequestState(request, response, service);

const useApi = (app: Express, { dispatcher, service }: Prepared): void => {
  const layer: RequestHandler = (request, response, next) => {
    const state = toState(request, response, service);
    return dispatcher.hasLeft(state) ? undefined : dispatcher.dispatch(state, next);
  };
  apiLayers.set(app, layer);
  app.use(layer);
};

/** The layer of the API in each application. */
const apiLayers = new WeakMap<Express, RequestHandler>();

/** Adds steps before and after all layers of the application, including those added later. */
const useEnding = (app: Express, { dispatcher, service, observe }: Prepared): void => {
  const router = app as unknown as {
    handle: (request: Request, response: Response, next?: NextFunction) => void;
  };
  const { handle } = router;
  router.handle = (request, response) => {
    // the path is normalised before Express or a hook's middleware sees it
    normalisePath(request);
    const state = toState(request, response, service);
    const ending = toEnding(dispatcher, state);
    if (observe) observe(state, () => handle.call(app, request, response, ending));
    else handle.call(app, request, response, ending);
  };
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
  serve: Serve,
  prepared: Prepared,
): Listener[] => {
  const classes = { IncomingMessage, ServerResponse };
  const { service, observe } = prepared;
  const { logger } = service;
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
  const isStopping = (): boolean => service.running.reason !== undefined;
  const onDefect = (request: IncomingMessage, response: ServerResponse, error: unknown): void =>
    recover({ request: request as Request, response: response as Response, logger }, error);
  const inOrder = (own: Serve): RequestListener =>
    serveInOrder(
      beginRequests(observe ? (state) => observe(state, () => own(state)) : own, service),
      onDefect,
      isStopping,
    );
  const onRequest = inOrder(serve);
  const onContinue = inOrder((state) => {
    expectBody(state.request, state.response);
    return serve(state);
  });
  const onExpectation = inOrder((state) =>
    refuseEarly(prepared, new RequestError("SLP_EXPECTATION"), state),
  );
  for (const { name, server } of listeners) {
    watchConnections(server, name === "https");
    watchPipes(server);
    server.on("request", onRequest);
    server.on("checkContinue", onContinue);
    server.on("checkExpectation", onExpectation);
  }
  return listeners;
};
