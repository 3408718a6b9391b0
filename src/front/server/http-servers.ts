import type { RequestListener } from "node:http";
import type * as https from "node:https";
import { defaults } from "../../basics/defaults.ts";
import { RequestError } from "../../basics/errors.ts";
import type { Logger } from "../../basics/logger/logger.ts";
import { markPipes } from "../../basics/http/node-internals.ts";
import { isExpressLoaded } from "../../basics/lazy/packages.cjs";
import { expectBody } from "../../serve/request/expectation.ts";
import type { Routing } from "../../define/routing/routing.ts";
import { checkSettings, walkRouting } from "../../define/routing/walk-routing.ts";
import type { ServerConfig } from "./config/config.ts";
import { answerMalformed } from "./connection/malformed-requests.ts";
import { Listener } from "./connection/listener.ts";
import { serveInOrder, type Serve } from "./connection/serve-in-order.ts";
import {
  createExpressObjects,
  type ExpressObjects,
  type MessageClasses,
} from "./express/express-app.ts";
import { buildStack, offerToHandlers } from "./express-stack.ts";
import { prepareApi } from "./prepare-api.ts";
import { createServing, refuseEarly } from "./serve-request.ts";

/** Creates the configured servers, which do not listen yet. */
export const createHttpServers = async (
  config: ServerConfig,
  routing: Routing,
  classes?: MessageClasses,
) => {
  const { compression, beforeRouting, afterRouting } = config;
  const hasHooks = Boolean(compression || beforeRouting || afterRouting);
  const objects = createExpressObjects(
    config,
    (app) => {
      if (!hasHooks) void buildStack(app, prepared, config);
    },
    classes,
  );
  const { facts: app } = objects;
  const routes = walkRouting(routing, config);
  const prepared = await prepareApi(config, routes, {
    app,
    offerFault: (...fault) => app.express && offerToHandlers(app.express, ...fault),
  });
  if (objects.lacksShortcuts)
    prepared.service.logger.debug(
      "`shortcuts` is off: the private state of responses is not that of Node.js here",
    );
  if (hasHooks) await buildStack(objects.getApp(), prepared, config);
  else if (config.etag || config.trustProxy || isExpressLoaded()) objects.getApp();
  checkSettings(routes, app.settings);
  const serve = createServing(prepared, hasHooks);
  const { observe, service } = prepared;
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
  const listeners = createListeners(config, objects, service.logger, {
    request: onRequest,
    checkContinue: onContinue,
    checkExpectation: onExpectation,
  });
  return { ...prepared, objects, listeners, onRequest };
};

export type HttpServers = Awaited<ReturnType<typeof createHttpServers>>;

const createListeners = (
  config: ServerConfig,
  { IncomingMessage, ServerResponse }: ExpressObjects,
  logger: Logger,
  events: Readonly<Record<string, RequestListener>>,
): Listener[] =>
  (["http", "https"] as const).flatMap((name) => {
    const own = config[name];
    if (!own) return [];
    const { createServer } = process.getBuiltinModule(`node:${name}`) as typeof https;
    const options = { ...defaults.http, ...own.options, IncomingMessage, ServerResponse };
    const server = createServer(options);
    const listener = new Listener(name, server, own.listen);
    markPipes(server);
    for (const [name, serve] of Object.entries(events)) server.on(name, serve);
    answerMalformed(server, logger, config.cors === true);
    return listener;
  });
