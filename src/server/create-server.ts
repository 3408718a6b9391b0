import { createServer as createHttpServer, type RequestListener, type Server } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { Express, NextFunction, Request, Response } from "express";
import type { Logger } from "../logger/logger.ts";
import type { CheckRouting, Routing } from "../routing/routing.ts";
import { RequestError } from "../errors.ts";
import { answerClientErrors } from "./client-errors.ts";
import { checkServerConfig } from "./check-config.ts";
import { checkRuntime } from "./check-runtime.ts";
import { createCompression } from "./compression.ts";
import type { ServerConfig } from "./config.ts";
import {
  connect,
  createExpressObjects,
  endConnections,
  type ExpressObjects,
} from "./express-objects.ts";
import type { Dispatcher } from "./dispatch.ts";
import { assertFraming } from "./framing.ts";
import { listen, type Listener } from "./listen.ts";
import { defaultResponseIdleTimeout } from "./stalled-reader.ts";
import { createClosing, shutDownOnSignals } from "./shutdown.ts";
import { prepare, type Prepared } from "./prepare.ts";

/** A running server. */
export interface RunningServer {
  /** The Express application that serves the API. */
  readonly app: Express;
  /** The logger in use. */
  readonly logger: Logger;
  /** The servers that listen, HTTP before HTTPS. */
  readonly servers: readonly Server[];
  /** Closes the servers: running requests are finished first, as with `gracefulShutdown`. */
  readonly close: () => Promise<void>;
}

/**
 * Starts the server.
 *
 * @returns once every configured server listens
 * @throws ConfigError when the configuration is wrong, RoutingError when the routing is wrong, what a hook throws,
 * and Node's error when a server cannot listen; nothing is left listening then.
 * @example
 * const { servers } = await createServer(createConfig({ http: { listen: 8090 }, cors: true }), {
 *   v1: { users: { ":id": getUser } },
 * });
 */
export const createServer = async <const R extends Routing>(
  config: ServerConfig,
  routing: R & CheckRouting<R>,
): Promise<RunningServer> => {
  checkServerConfig(config);
  checkRuntime();
  const prepared = prepare(config, routing);
  const { dispatcher, logger, getLogger } = prepared;
  const objects = createExpressObjects(
    (error, request, response) => void dispatcher.fail(error, request, response),
    {
      timeout: config.responseIdleTimeout ?? defaultResponseIdleTimeout,
      report: ({ req }) =>
        getLogger(req as Request).debug("Dropped a client that does not read its response"),
    },
  );
  const { app } = objects;
  app.disable("x-powered-by");
  app.set("etag", config.etag ?? false);
  if (config.queryParser !== undefined) app.set("query parser", config.queryParser);

  const isBare = await buildStack(app, prepared, config);
  const listener = createListener(prepared, isBare ? undefined : app);
  const servers = createServers(config, objects, listener, dispatcher);
  for (const { server } of servers) answerClientErrors(server, getLogger(), config.cors === true);
  if (servers.length === 0)
    getLogger().warn(
      "SLP_WARN_NO_SERVER: neither `http` nor `https` is configured, so nothing listens. Set `http: { listen: 8090 }`.",
    );
  await listen(servers, getLogger(), config.startupLogo ?? true);
  const listening = servers.map(({ server }) => server);
  const { gracefulShutdown = false } = config;
  const options = gracefulShutdown === true ? {} : gracefulShutdown || undefined;
  const close = createClosing(
    listening,
    () => endConnections(objects),
    getLogger(),
    options?.timeout,
  );
  if (options) shutDownOnSignals(close, getLogger(), options);
  return { app, logger, servers: listening, close };
};

/**
 * Puts the API on the application, between what the hooks add.
 *
 * @returns whether the hooks have added nothing, so that the stack need not be entered
 */
const buildStack = async (
  app: Express,
  { begin, dispatcher, getLogger }: Prepared,
  { compression, beforeRouting, afterRouting }: ServerConfig,
): Promise<boolean> => {
  app.use(async (request, response, next) => {
    await begin(request, response);
    next();
  });
  if (compression) app.use(createCompression(compression === true ? {} : compression));
  await beforeRouting?.({ app, getLogger });
  app.use((request, response, next) => void dispatcher.dispatch(request, response, next));
  await afterRouting?.({ app, getLogger });
  app.use((request, response) => void dispatcher.answerNotFound(request, response));
  // Express tells an error handler by its four parameters
  app.use((error: unknown, request: Request, response: Response, _next: NextFunction) => {
    void dispatcher.fail(error, request, response);
  });
  return app.router.stack.length === 4;
};

/** Serves requests; without entering the Express stack where it has nothing to add. */
const createListener =
  ({ begin, dispatcher }: Prepared, stack: Express | undefined): RequestListener =>
  (message, reply) => {
    // the server makes them with the classes of the application
    const request = message as Request;
    const response = reply as Response;
    connect(request, response);
    let beginning: Promise<void> | undefined;
    try {
      assertFraming(request);
      if (stack) {
        stack(request, response);
        return;
      }
      beginning = begin(request, response);
    } catch (error) {
      void dispatcher.fail(error, request, response);
      return;
    }
    if (beginning === undefined) void dispatcher.dispatch(request, response);
    else
      beginning.then(
        () => dispatcher.dispatch(request, response),
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
    const server = createHttpServer({ ...defaultOptions, ...http.options, ...classes }, listener);
    listeners.push({ name: "http", server, at: http.listen });
  }
  if (https) {
    const server = createHttpsServer({ ...defaultOptions, ...https.options, ...classes }, listener);
    listeners.push({ name: "https", server, at: https.listen });
  }
  for (const { server } of listeners) {
    server.on("checkContinue", toExpectingListener(listener));
    server.on("checkExpectation", (message: unknown, reply: unknown) => {
      const [request, response] = [message as Request, reply as Response];
      connect(request, response);
      void dispatcher.fail(new RequestError("SLP_EXPECTATION"), request, response);
    });
  }
  return listeners;
};

/** The body of a client that waits to be asked for it is asked for when someone begins to read it, and not before. */
const toExpectingListener =
  (listener: RequestListener): RequestListener =>
  (request, response) => {
    // unless the body is asked for, the client may send it or not, so the connection cannot go on
    response.setHeader("Connection", "close");
    const read = request._read.bind(request);
    request._read = (size) => {
      request._read = read;
      if (!response.headersSent) {
        response.removeHeader("Connection");
        response.writeContinue();
      }
      read(size);
    };
    listener(request, response);
  };
