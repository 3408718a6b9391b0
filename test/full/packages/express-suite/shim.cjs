// Replaces Express in its own tests: applications are recorded, and served behind `factory.use` of this framework.
"use strict";
const { METHODS } = require("node:http");
const { createServer: createFront } = require("node:net");
const express = require("express");
const finalhandler = require("finalhandler");

// Node.js 20 cannot parse QUERY
const query = METHODS.includes("QUERY") ? ["query"] : [];
const methods = ["get", "post", "put", "patch", "delete", ...query];
const settingCalls = ["set", "enable", "disable", "engine"];

/** An application of Express that remembers how it was set up. */
const createApp = () => {
  const app = express();
  const calls = [];
  for (const name of settingCalls) {
    const original = app[name];
    app[name] = function set(...args) {
      // with one argument, `app.get` reads a setting
      if (name !== "set" || args.length > 1) calls.push([name, args]);
      return original.apply(app, args);
    };
  }
  app.listen = (...args) => serve(app, calls).listen(...args);
  app.toServer = () => serve(app, calls);
  return app;
};

/** The middlewares of an application, each as it was given, or in a router where it has a path or handles errors. */
const toMiddlewares = ({ router: { stack } }) => {
  if (stack.some(({ handle }) => handle.length > 3)) return [toRouter(stack)];
  return stack.map((layer) => (layer.slash && !layer.route ? layer.handle : toRouter([layer])));
};

const toRouter = (stack) => Object.assign(express.Router(), { stack });

/** Ends a request as Express does: with its own page for errors and for requests without a response. */
const createEnding = ({ ResultHandler }, z) => {
  const schema = z.any();
  return new ResultHandler({
    positive: schema,
    negative: schema,
    handler: ({ request, response, error }) => {
      const isUnanswered = error === null || error.code === "SLP_NOT_FOUND";
      const done = finalhandler(request, response, { env: "test" });
      // the handler runs only if no middleware has responded
      done(isUnanswered ? undefined : error);
    },
  });
};

const start = async (app, calls) => {
  const sallyport = await import("sallyport");
  const { z } = await import("zod");
  const ending = createEnding(sallyport, z);
  const factory = toMiddlewares(app).reduce(
    (factory, middleware) => factory.use(middleware),
    new sallyport.EndpointsFactory(ending),
  );
  const endpoint = factory.build({ method: methods, handler: () => ({}) });
  const silent = () => undefined;
  const running = await sallyport.createServer(
    sallyport.createConfig({
      http: { listen: { port: 0, host: "127.0.0.1" } },
      cors: false,
      etag: "weak",
      errorHandler: ending,
      logger: { debug: silent, info: silent, warn: silent, error: silent },
      startupLogo: false,
    }),
    { "/": endpoint, "/*rest": endpoint },
  );
  for (const [name, args] of calls) running.app[name](...args);
  Object.assign(running.app.locals, app.locals);
  return running.servers[0];
};

/** Returns a server at once, which passes its connections on to the framework's server. */
const serve = (app, calls) => {
  let starting;
  return createFront({ pauseOnConnect: true }, async (socket) => {
    starting ??= start(app, calls);
    try {
      const server = await starting;
      server.emit("connection", socket);
      socket.resume();
    } catch (error) {
      process.stderr.write(`${error.stack}\n`);
      socket.destroy();
    }
  });
};

const {
  name: _name,
  length: _length,
  prototype: _prototype,
  ...exported
} = Object.getOwnPropertyDescriptors(express);
module.exports = Object.defineProperties(createApp, exported);
