// The four places where a package may be used, each serving the same handler with the same envelope.
import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { inspect } from "node:util";
import express from "express";
import { attachRouting, createConfig, createServer, defaultEndpointsFactory } from "sallyport";
import { z } from "zod";
import { createClient } from "./client.mjs";

export const placeNames = ["express", "factory", "hooks", "attach"];

const listenOptions = { port: 0, host: "127.0.0.1" };

/** Returns the arguments of `use` for a layer: a middleware, or a path with the middleware to mount there. */
const toArguments = (layer) => (Array.isArray(layer) ? layer : [layer]);

/** Returns a layer as one middleware: `factory.use` takes no path, so a router mounts a middleware that needs one. */
const toNative = (layer) => (Array.isArray(layer) ? express.Router().use(...layer) : layer);

const toRouting = ({ method, path, handler, input, isVoid }, factory) => {
  const definition = { method, input, handler };
  const endpoint = isVoid ? factory.buildVoid(definition) : factory.build(definition);
  return Object.fromEntries([path].flat().map((path) => [path, endpoint]));
};

/** Creates a logger that records warnings and errors; these fail an entry, unless the entry provokes faults. */
const createLogger = (lines) => {
  const write = (message, meta) => void lines.push(`${message} ${inspect(meta)}`);
  return { debug: () => undefined, info: () => undefined, warn: write, error: write };
};

const toConfig = (spec, more) =>
  createConfig({
    cors: false,
    logger: createLogger(spec.lines),
    startupLogo: false,
    ...spec.config,
    ...more,
  });

/** Makes a server listen unless it already does, and returns its URL. */
export const listen = async (server) => {
  if (!server.listening) {
    server.listen(listenOptions);
    await once(server, "listening");
  }
  return `http://127.0.0.1:${server.address().port}`;
};

const toServed = async (app, server, close) => {
  const url = await listen(server);
  return {
    app,
    server,
    url,
    client: createClient(url),
    close: async () => {
      server.closeAllConnections();
      await close();
    },
  };
};

const closeServer = (server) => new Promise((resolve) => void server.close(resolve));

const serveByExpress = async (spec) => {
  const app = express();
  const server = createHttpServer(app);
  await spec.prepare?.(app, server);
  for (const layer of spec.layers("express")) app.use(...toArguments(layer));
  for (const method of [spec.method].flat())
    app[method]([spec.path].flat().map(toExpressPath), async (request, response) => {
      const input = { ...request.query, ...request.body, ...request.params };
      const data = await spec.handler({ request, response, input });
      if (!spec.isVoid && !response.headersSent) response.json({ status: "success", data });
    });
  await spec.afterRoutes?.(app);
  app.use(answerError);
  return toServed(app, server, () => closeServer(server));
};

/** Sends errors in the envelope; Express recognises an error handler by its four parameters. */
const answerError = (error, _request, response, _next) => {
  if (response.headersSent) return;
  const { message, status = 500, statusCode = status } = error;
  response.status(statusCode).json({ status: "error", error: { message } });
};

const toExpressPath = (path) => (path.includes("/*") ? path.replace(/\*(\w+)$/, "{*$1}") : path);

const serveByFramework = async (spec, factory, beforeRouting) => {
  const { afterRoutes } = spec;
  const running = await createServer(
    toConfig(spec, {
      http: { listen: listenOptions },
      ...(beforeRouting && { beforeRouting }),
      ...(afterRoutes && { afterRouting: ({ app }) => afterRoutes(app) }),
    }),
    toRouting(spec, factory),
  );
  return toServed(running.app, running.servers[0], () => running.close());
};

const serveByAttaching = async (spec) => {
  const app = express();
  const server = createHttpServer(app);
  await spec.prepare?.(app, server);
  for (const layer of spec.layers("attach")) app.use(...toArguments(layer));
  const { notFoundHandler } = attachRouting(toConfig(spec, { app }), toRouting(spec, spec.factory));
  await spec.afterRoutes?.(app);
  app.use(notFoundHandler, answerError);
  return toServed(app, server, () => closeServer(server));
};

const serveByPlace = {
  express: serveByExpress,
  attach: serveByAttaching,
  factory: (spec) => {
    const { prepare } = spec;
    const factory = spec
      .layers("factory")
      .reduce((factory, layer) => factory.use(toNative(layer)), spec.factory);
    return serveByFramework(spec, factory, prepare && (({ app }) => prepare(app)));
  },
  hooks: (spec) =>
    serveByFramework(spec, spec.factory, async ({ app }) => {
      await spec.prepare?.(app);
      for (const layer of spec.layers("hooks")) app.use(...toArguments(layer));
    }),
};

/**
 * Serves one route with a package in front of it. `layers(place)` returns the middlewares in order; `prepare(app)` sets
 * anything that is not a middleware, such as a view engine.
 */
export const serve = (place, spec) =>
  serveByPlace[place]({
    method: "get",
    path: "/t",
    input: z.looseObject({}),
    layers: () => [],
    handler: () => ({}),
    factory: defaultEndpointsFactory,
    ...spec,
  });
