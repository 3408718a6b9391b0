import type { NextFunction, Request } from "express";
import { defaults } from "../../basics/defaults.ts";
import { RequestError } from "../../basics/errors.ts";
import {
  endpointMethods,
  methodsByName,
  retrievalNames,
  toAllowed,
} from "../../basics/http/method.ts";
import type { EndpointPlan, LazyPlan } from "../../serve/pipeline/endpoint-plan.ts";
import { logAbandoned } from "../../serve/pipeline/log-abandoned.ts";
import { sent } from "../../define/endpoint/outcome.ts";
import { runEndpoint } from "../../serve/pipeline/run-endpoint.ts";
import { answerError } from "../../serve/pipeline/answer-error.ts";
import type { RequestState } from "../../serve/pipeline/request-state.ts";
import { ensureError, toErrorStatus, toSendingError } from "../../wire/reply/http-error.ts";
import { logServerFault } from "../../define/results/log-fault.ts";
import type { RouteTable } from "../../define/routing/route-table.ts";
import {
  sendPreflight,
  setCorsHeaders,
  setCorsHeadersOfOther,
  type CorsFunction,
  type CorsOption,
} from "../../serve/request/cors.ts";
import { isForeignForm } from "../../serve/request/foreign-form.ts";
import { toCanonicalPath } from "../../serve/request/canonical-path.ts";
import { defaultResultHandler } from "../../define/results/default-result-handler.ts";
import { isResultHandler, type AnyResultHandler } from "../../define/results/result-handler.ts";
import type { CommonConfig } from "./config/config.ts";
import type { StaticMounts } from "./express/static-mounts.ts";

/** Creates the function that chooses the error handler with the longest prefix of a path. */
export const createErrorHandlerSearch = (
  configured: CommonConfig["errorHandler"] = defaultResultHandler,
  caseSensitive: boolean = defaults.caseSensitive,
): ((path: string) => AnyResultHandler) => {
  if (isResultHandler(configured)) return () => configured;
  const { "/": rest = defaultResultHandler, ...others } = configured;
  const prefixes = Object.entries(others).toSorted(([one], [other]) => other.length - one.length);
  const fold = (text: string): string => (caseSensitive ? text : text.toLowerCase());
  return (path) => {
    const [whole = ""] = fold(path).split(/[?#]/, 1);
    const found = prefixes.find(([prefix]) => `${whole}/`.startsWith(`${fold(prefix)}/`));
    return found?.[1] ?? rest;
  };
};

interface DispatchOptions {
  readonly table: RouteTable<LazyPlan>;
  readonly statics: StaticMounts | undefined;
  readonly cors: CorsOption;
  readonly wrongMethodBehavior: 404 | 405;
  readonly findErrorHandler: ReturnType<typeof createErrorHandlerSearch>;
}

/** Passes requests to their endpoints, and responds to those without one. */
export class Dispatcher {
  readonly #options: DispatchOptions;

  constructor(options: DispatchOptions) {
    this.#options = options;
  }

  /** Dispatches a request; never rejects. A path without a route is left to `next`, or gets a 404. */
  dispatch(state: RequestState, next?: NextFunction): Promise<void> {
    const { table } = this.#options;
    const { request } = state;
    let plan: EndpointPlan;
    try {
      const path = toCanonicalPath(request);
      const method = methodsByName.get(request.method);
      const route = method && table.find(method, path);
      if (!route) return this.#dispatchOther(state, path, next);
      plan = route.target.created ?? route.target.plan;
      request.route = route.target.route;
      const { params } = route as { readonly params: Request["params"] };
      // the user's own router may have set parameters too
      request.params = request.params === undefined ? params : { ...request.params, ...params };
    } catch (error) {
      return this.refuse(state, error);
    }
    return this.serve(plan, state);
  }

  /** Checks whether the client has left; if so, logs this. Called after the request had to wait. */
  hasLeft(state: RequestState): boolean {
    if (!state.hasLeft) return false;
    logAbandoned(state);
    return true;
  }

  /** Serves a request for a known route; never rejects. */
  serve(plan: EndpointPlan, state: RequestState): Promise<void> {
    const { cors } = this.#options;
    if (typeof cors === "function") return this.#serveByCors(cors, plan, state);
    const hasNoForm = retrievalNames.has(state.request.method);
    return hasNoForm ? runEndpoint(plan, state) : this.#run(plan, state);
  }

  async #serveByCors(cors: CorsFunction, plan: EndpointPlan, state: RequestState): Promise<void> {
    try {
      await setCorsHeaders(cors, state, plan.endpoint);
    } catch (error) {
      await this.refuse(state, error, plan.endpoint.resultHandler);
      return;
    }
    if (!this.hasLeft(state)) await this.#run(plan, state);
  }

  #run(plan: EndpointPlan, state: RequestState): Promise<void> {
    if (!isForeignForm(state.request, state.response)) return runEndpoint(plan, state);
    const error = new RequestError("SLP_CROSS_SITE_FORM");
    return this.refuse(state, error, plan.endpoint.resultHandler);
  }

  /** Responds with an error that has occurred before an endpoint runs; never rejects. */
  refuse(
    state: RequestState,
    error: unknown,
    handler: AnyResultHandler = this.#findHandler(state.request),
  ): Promise<void> {
    return answerError(state, toSendingError(error), { handler, replaces: true });
  }

  #findHandler(request: Request): AnyResultHandler {
    let path = request.url;
    try {
      path = toCanonicalPath(request);
      const lazy = this.#findTarget(request, path);
      if (lazy) return lazy.endpoint.resultHandler;
    } catch {
      // a malformed path has no endpoint
    }
    return this.#options.findErrorHandler(path);
  }

  /** Responds with an error that has occurred before the request was dispatched. */
  async refuseEarly(state: RequestState, error: unknown): Promise<void> {
    const { cors } = this.#options;
    const { request, logger } = state;
    if (typeof cors === "function" && state.phase === "open") {
      try {
        const lazy = this.#findTarget(request, toCanonicalPath(request));
        if (lazy) await setCorsHeaders(cors, state, lazy.endpoint);
      } catch (failure) {
        if (toErrorStatus(failure) >= 500) logServerFault(logger, request, ensureError(failure));
      }
    }
    await this.refuse(state, error);
  }

  /** Finds the endpoint for the method of a request or preflight; otherwise, the one that matches the path best. */
  #findTarget({ method, headers }: Request, path: string): LazyPlan | undefined {
    const wanted = method === "OPTIONS" ? headers["access-control-request-method"] : method;
    const routes = this.#options.table.findAll(path);
    const route = routes.find((one) => one.method === methodsByName.get(wanted ?? "")) ?? routes[0];
    return route?.target;
  }

  /** Checks whether a request is a preflight that the `cors` option handles. */
  isPreflight(request: Request): boolean {
    if (request.method !== "OPTIONS" || this.#options.cors === false) return false;
    if (request.headers["access-control-request-method"] === undefined) return false;
    try {
      const path = toCanonicalPath(request);
      return this.#options.table.findAll(path).length > 0 || this.#asksForFile(request, path);
    } catch {
      return false;
    }
  }

  /** Checks whether a request is a preflight for a path below static files. */
  #asksForFile({ method, headers }: Request, path: string): boolean {
    const { cors, statics } = this.#options;
    if (method !== "OPTIONS" || cors === false || !statics) return false;
    const wanted = headers["access-control-request-method"];
    return wanted !== undefined && retrievalNames.has(wanted) && statics.mayServe(path);
  }

  /** Responds with 404 to a path that nothing serves; never rejects. */
  async sendNotFound(state: RequestState): Promise<void> {
    const { cors } = this.#options;
    if (typeof cors === "function") await setCorsHeadersOfOther(cors, state);
    await this.refuse(state, new RequestError("SLP_NOT_FOUND"), state.errorHandler);
  }

  async #dispatchOther(state: RequestState, path: string, next: NextFunction | undefined) {
    try {
      if (await this.#serveOther(state, path)) return;
    } catch (error) {
      await this.refuse(state, error);
      return;
    }
    // the path may be another one when the request comes back, because a router was mounted
    state.errorHandler = this.#options.findErrorHandler(path);
    if (next) next();
    else await this.sendNotFound(state);
  }

  /** Answers a preflight, serves a file, or responds with 405; returns false if nothing serves the path. */
  async #serveOther(state: RequestState, path: string): Promise<boolean> {
    const { table, statics, cors, wrongMethodBehavior } = this.#options;
    const { request, response } = state;
    if (path === "*") {
      response.writeHead(204, { Allow: toAllowed(endpointMethods, true) }).end();
      return true;
    }
    if (retrievalNames.has(request.method) && statics?.mayServe(path)) {
      const names = typeof cors === "function" ? await setCorsHeadersOfOther(cors, state) : [];
      if (await statics.serve(state, path)) return true;
      // the function is called again for the response that is sent instead of a file
      for (const name of names) response.removeHeader(name);
    }

    const lazy = this.#findTarget(request, path);
    if (!lazy) {
      if (!this.#asksForFile(request, path)) return false;
      if (typeof cors === "function") await setCorsHeadersOfOther(cors, state);
      sendPreflight(response, cors, ["get"]);
      return true;
    }
    const declared = table.findAll(path).map(({ method }) => method);
    const corsNames =
      typeof cors === "function" ? await setCorsHeaders(cors, state, lazy.endpoint, declared) : [];
    if (request.method === "OPTIONS" && cors !== false) {
      sendPreflight(response, cors, declared);
      return true;
    }
    // with `cors: false`, a native middleware such as the `cors` package may handle a preflight
    const isPreflight =
      request.method === "OPTIONS" &&
      request.headers["access-control-request-method"] !== undefined;
    if (isPreflight && (await runNativePreflight(lazy.plan, state))) return true;
    if (wrongMethodBehavior === 404) {
      // as above
      for (const name of corsNames) response.removeHeader(name);
      return false;
    }
    const allowed = toAllowed(declared, cors !== false);
    // `Allow` is also set here, for error handlers that ignore the headers of errors
    response.setHeader("Allow", allowed);
    throw new RequestError("SLP_METHOD_NOT_ALLOWED", { headers: { Allow: allowed } });
  }
}

/** Runs the native middlewares that come first in an endpoint; returns whether one of them has responded. */
export const runNativePreflight = async (plan: EndpointPlan, state: RequestState) => {
  // a middleware must never run without those before it, such as an authentication
  const end = plan.middlewares.findIndex(({ middleware }) => !middleware.native);
  const middlewares = end < 0 ? plan.middlewares : plan.middlewares.slice(0, end);
  const alone = { ...plan, middlewares, body: "none", watchesResponse: false } as const;
  await runEndpoint(alone, state, () => Promise.resolve(sent));
  return state.phase !== "open";
};
