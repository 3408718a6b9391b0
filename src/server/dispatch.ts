import type { NextFunction, Request, Response } from "express";
import { RequestError } from "../errors.ts";
import { endpointMethods, type Method } from "../http/method.ts";
import type { Logger } from "../logger/logger.ts";
import type { AnyEndpoint } from "../endpoint/endpoint.ts";
import type { EndpointPlan, LazyPlan } from "../pipeline/endpoint-plan.ts";
import { logAbandoned } from "../pipeline/log-abandoned.ts";
import { forgetSending, isAbandoned, isTaken } from "../pipeline/response-state.ts";
import { runEndpoint } from "../pipeline/run-endpoint.ts";
import { recover, sendError } from "../pipeline/send-result.ts";
import { currentWalk, Walk, type ReadBody, type WalkingRequest } from "../pipeline/walk.ts";
import { defaultResultHandler } from "../results/default-result-handler.ts";
import { ensureError, toErrorStatus, toSendingError } from "../results/http-error.ts";
import { logServerFault } from "../results/log-fault.ts";
import type { AnyResultHandler } from "../results/result-handler.ts";
import type { RouteTable } from "../routing/route-table.ts";
import { parseBody, type BodyOptions } from "./body/body.ts";
import {
  setCorsHeaders,
  setCorsHeadersOfOther,
  type CorsFunction,
  type CorsOption,
} from "./head/cors.ts";
import { isForeignForm } from "./head/foreign-form.ts";
import { closeAfterReply } from "../http/lingering-close.ts";
import { answerPreflight, runNativePreflight } from "./head/preflight.ts";
import { toCanonicalPath } from "./head/request-target.ts";
import type { StaticMounts } from "./express/static-mounts.ts";

/** The settings and components of a server that the dispatcher needs. */
export interface DispatchOptions {
  readonly table: RouteTable<LazyPlan>;
  readonly statics: StaticMounts | undefined;
  readonly cors: CorsOption;
  readonly errorHandler: AnyResultHandler;
  readonly bodies: BodyOptions;
  readonly wrongMethodBehavior: 404 | 405;
  readonly getLogger: (request: Request) => Logger;
}

const methods: ReadonlyMap<string, Method> = new Map([
  ["HEAD", "get"],
  ...endpointMethods.map((method): [string, Method] => [method.toUpperCase(), method]),
]);

/**
 * Passes requests to their endpoints, and responds to those without one.
 *
 * Handles a request step by step: finds the route, sets the CORS headers, parses the body and runs the endpoint.
 */
export class Dispatcher {
  readonly #options: DispatchOptions;

  constructor(options: DispatchOptions) {
    this.#options = options;
  }

  /**
   * Dispatches a request; never rejects.
   *
   * @param next called for a path without a route; if omitted, such a request gets a 404
   */
  dispatch(request: Request, response: Response, next?: NextFunction): Promise<void> {
    const { table } = this.#options;
    let plan: EndpointPlan;
    try {
      // requests from Node's parser need no further checks, unlike those that an adapter passes to the application
      let route = next ? undefined : table.findPlain(request.method, request.url);
      if (!route) {
        const path = toCanonicalPath(request);
        const method = methods.get(request.method);
        route = method && table.find(method, path);
        if (!route) return this.#dispatchOther(request, response, path, next);
      }
      const { target } = route;
      plan = target.plan;
      request.route = target.route;
      const { params } = route as { readonly params: Request["params"] };
      // the user's own router may have set parameters too
      request.params = request.params === undefined ? params : { ...request.params, ...params };
    } catch (error) {
      return this.fail(error, request, response);
    }
    return this.serve(plan, request, response);
  }

  /** Checks whether the client has left; if so, logs this. Called after the request had to wait. */
  hasLeft(request: Request, response: Response): boolean {
    if (!isAbandoned(response)) return false;
    logAbandoned({ request, logger: this.#options.getLogger(request) });
    return true;
  }

  /** Serves a request for a known route; never rejects. */
  serve(plan: EndpointPlan, request: Request, response: Response): Promise<void> {
    const { cors, getLogger } = this.#options;
    const logger = getLogger(request);
    if (typeof cors === "function") return this.#serveByCors(cors, plan, request, response, logger);
    return this.#run(plan, request, response, logger);
  }

  async #serveByCors(
    cors: CorsFunction,
    plan: EndpointPlan,
    request: Request,
    response: Response,
    logger: Logger,
  ): Promise<void> {
    try {
      await setCorsHeaders(cors, request, response, plan.endpoint, logger);
    } catch (error) {
      await this.fail(error, request, response);
      return;
    }
    if (this.hasLeft(request, response)) return;
    await this.#run(plan, request, response, logger);
  }

  #run(plan: EndpointPlan, request: Request, response: Response, logger: Logger): Promise<void> {
    if (isForeignForm(request, response))
      return this.fail(new RequestError("SLP_CROSS_SITE_FORM"), request, response, plan.endpoint);
    if (plan.body === "none") return runEndpoint(plan, request, response, logger);
    if (plan.middlewares.length > 0)
      return runEndpoint(plan, request, response, logger, this.#readBody);
    // without middlewares, the body is the first thing that is needed
    let parsing: Promise<void> | undefined;
    try {
      parsing = parseBody(plan, this.#options.bodies, request, response, logger);
    } catch (error) {
      return this.fail(error, request, response, plan.endpoint);
    }
    if (!parsing) return runEndpoint(plan, request, response, logger);
    return parsing.then(
      () => runEndpoint(plan, request, response, logger),
      (error: unknown) => this.fail(error, request, response, plan.endpoint),
    );
  }

  readonly #readBody: ReadBody = (plan, walk) => {
    const { request, response, logger } = walk;
    const fail = (error: unknown): never => {
      walk.resultHandler = this.#toErrorHandler(plan.endpoint);
      throw error;
    };
    try {
      return parseBody(plan, this.#options.bodies, request, response, logger)?.catch(fail);
    } catch (error) {
      return fail(error);
    }
  };

  /**
   * Returns the result handler for a request whose endpoint was not reached because of a fault: the endpoint's own,
   * unless that is the default.
   */
  #toErrorHandler(endpoint: AnyEndpoint): AnyResultHandler {
    const { resultHandler } = endpoint;
    return resultHandler === defaultResultHandler ? this.#options.errorHandler : resultHandler;
  }

  /**
   * Responds with an error that has occurred before an endpoint runs; never rejects.
   *
   * @param endpoint the endpoint of the path; if there is none, the configured error handler responds
   */
  async fail(
    error: unknown,
    request: Request,
    response: Response,
    endpoint?: AnyEndpoint,
  ): Promise<void> {
    const { getLogger, errorHandler: handler } = this.#options;
    try {
      const errorHandler = endpoint ? this.#toErrorHandler(endpoint) : handler;
      forgetSending(response);
      if (error instanceof RequestError && error.endsConnection) closeAfterReply(request, response);
      const walk = new Walk(request, response, getLogger(request), errorHandler);
      // if Express fails to send what the error handler asked for, it calls `request.next`, which needs the walk
      (request as WalkingRequest)[currentWalk] = walk;
      await sendError(walk, toSendingError(error));
    } catch (defect) {
      this.recover(defect, request, response);
    }
  }

  /** Handles an error of the framework itself; never throws. */
  recover(defect: unknown, request: Request, response: Response): void {
    recover({ request, response, logger: this.#options.getLogger(request) }, defect);
  }

  /** Responds with an error that has occurred before the request was dispatched; never rejects. */
  async failEarly(error: unknown, request: Request, response: Response): Promise<void> {
    const { cors } = this.#options;
    try {
      if (typeof cors === "function" && !isTaken(response))
        await this.#setEarlyCorsHeaders(cors, request, response);
    } catch (defect) {
      await this.fail(defect, request, response);
      return;
    }
    await this.fail(error, request, response);
  }

  /** Sets the CORS headers of an error that is sent for a path with a route; if the function fails, logs this. */
  async #setEarlyCorsHeaders(
    cors: CorsFunction,
    request: Request,
    response: Response,
  ): Promise<void> {
    const logger = this.#options.getLogger(request);
    try {
      const plan = this.#findPlan(request, toCanonicalPath(request));
      if (plan) await setCorsHeaders(cors, request, response, plan.endpoint, logger);
    } catch (error) {
      if (toErrorStatus(error) >= 500) logServerFault(logger, request, ensureError(error));
    }
  }

  /**
   * Finds the plan of the endpoint for the method of a request, or for the requested method of a preflight; if there is
   * none, that of any endpoint of the path.
   */
  #findPlan({ method, headers }: Request, path: string): EndpointPlan | undefined {
    const wanted = method === "OPTIONS" ? headers["access-control-request-method"] : method;
    const routes = this.#options.table.findAll(path);
    const route = routes.find((one) => one.method === methods.get(wanted ?? "")) ?? routes[0];
    return route?.target.plan;
  }

  /** Checks whether a request is a preflight that the option `cors` handles. */
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
    return (wanted === "GET" || wanted === "HEAD") && statics.mayServe(path);
  }

  /** Responds with 404 to a path that nothing serves; never rejects. */
  async answerNotFound(request: Request, response: Response): Promise<void> {
    const { cors, getLogger } = this.#options;
    try {
      if (typeof cors === "function")
        await setCorsHeadersOfOther(cors, request, response, getLogger(request));
    } catch (error) {
      await this.fail(error, request, response);
      return;
    }
    await this.fail(new RequestError("SLP_NOT_FOUND"), request, response);
  }

  /**
   * Handles a request without a route for its method: answers a preflight, serves a file, or responds with 405 or 404.
   */
  async #dispatchOther(
    request: Request,
    response: Response,
    path: string,
    next: NextFunction | undefined,
  ): Promise<void> {
    try {
      if (await this.#answerOther(request, response, path)) return;
    } catch (error) {
      await this.fail(error, request, response);
      return;
    }
    if (next) next();
    else await this.answerNotFound(request, response);
  }

  /** Responds to a request without a route for its method; returns false if nothing serves the path. */
  async #answerOther(request: Request, response: Response, path: string): Promise<boolean> {
    const { table, statics, cors, wrongMethodBehavior, getLogger } = this.#options;
    if (path === "*") {
      response.writeHead(204, { Allow: toAllowed(endpointMethods, true) }).end();
      return true;
    }
    const isReading = request.method === "GET" || request.method === "HEAD";
    if (isReading && statics?.mayServe(path)) {
      const logger = getLogger(request);
      const names =
        typeof cors === "function"
          ? await setCorsHeadersOfOther(cors, request, response, logger)
          : [];
      if (await statics.serve(request, response, path, logger)) return true;
      // the function is called again for the response that is sent instead of a file
      for (const name of names) response.removeHeader(name);
    }

    const plan = this.#findPlan(request, path);
    if (!plan) {
      if (!this.#asksForFile(request, path)) return false;
      if (typeof cors === "function")
        await setCorsHeadersOfOther(cors, request, response, getLogger(request));
      answerPreflight(response);
      return true;
    }
    const logger = getLogger(request);
    if (typeof cors === "function")
      await setCorsHeaders(cors, request, response, plan.endpoint, logger);
    if (request.method === "OPTIONS" && cors !== false) {
      answerPreflight(response);
      return true;
    }
    // with `cors: false`, a native middleware such as the `cors` package may handle a preflight
    if (
      request.method === "OPTIONS" &&
      request.headers["access-control-request-method"] !== undefined &&
      (await runNativePreflight(plan, request, response, logger))
    )
      return true;
    if (wrongMethodBehavior === 404) throw new RequestError("SLP_NOT_FOUND");
    const allowed = toAllowed(
      table.findAll(path).map(({ method }) => method),
      cors !== false,
    );
    // `Allow` is also set here, for error handlers that ignore the headers of errors
    response.setHeader("Allow", allowed);
    const error = new RequestError("SLP_METHOD_NOT_ALLOWED", { headers: { Allow: allowed } });
    await this.fail(error, request, response, plan.endpoint);
    return true;
  }
}

/**
 * Returns the `Allow` field: the methods of a path in alphabetical order, with HEAD if the path has GET, and OPTIONS if
 * CORS is on.
 */
export const toAllowed = (declared: readonly Method[], hasPreflight: boolean): string =>
  [
    ...declared.map((method) => method.toUpperCase()).toSorted(),
    ...(declared.includes("get") ? ["HEAD"] : []),
    ...(hasPreflight ? ["OPTIONS"] : []),
  ].join(", ");
