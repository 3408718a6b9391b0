import type { NextFunction, Request, Response } from "express";
import { RequestError } from "../errors.ts";
import { endpointMethods, type Method } from "../http/method.ts";
import type { Logger } from "../logger/logger.ts";
import type { EndpointPlan } from "../pipeline/endpoint-plan.ts";
import { runEndpoint } from "../pipeline/run-endpoint.ts";
import { sendError } from "../pipeline/send-result.ts";
import { Walk } from "../pipeline/walk.ts";
import type { AnyResultHandler } from "../results/result-handler.ts";
import type { RouteTable } from "../routing/route-table.ts";
import { parseBody } from "./body.ts";
import { setCorsHeaders, type CorsOption } from "./cors.ts";
import { answerPreflight } from "./preflight.ts";
import { toCanonicalPath } from "./request-target.ts";
import type { StaticMounts } from "./static-mounts.ts";

/** What the dispatcher knows of a server, settled at its start. */
export interface DispatchPlan {
  readonly table: RouteTable<EndpointPlan>;
  readonly statics: StaticMounts;
  readonly cors: CorsOption;
  readonly errorHandler: AnyResultHandler;
  readonly bodyLimit: number;
  readonly wrongMethodBehavior: 404 | 405;
  readonly getLogger: (request: Request) => Logger;
}

const methods: ReadonlyMap<string, Method> = new Map([
  ["HEAD", "get"],
  ...endpointMethods.map((method): [string, Method] => [method.toUpperCase(), method]),
]);

/**
 * Takes requests to their endpoints, and answers those that have none.
 *
 * One request, top to bottom: find the route, set the CORS headers, parse the body, run the endpoint.
 */
export class Dispatcher {
  readonly #plan: DispatchPlan;

  constructor(plan: DispatchPlan) {
    this.#plan = plan;
  }

  /**
   * Dispatches a request; never rejects.
   *
   * @param next where a path without a route goes on; without it the answer is 404
   */
  async dispatch(request: Request, response: Response, next?: NextFunction): Promise<void> {
    const { table, cors, bodyLimit, getLogger } = this.#plan;
    const logger = getLogger(request);
    let plan: EndpointPlan;
    try {
      const path = toCanonicalPath(request);
      const method = methods.get(request.method);
      const route = method && table.find(method, path);
      if (!route) {
        await this.#dispatchOther(request, response, logger, path, next);
        return;
      }
      plan = route.target;
      request.params = route.params as Request["params"];

      if (typeof cors === "function")
        await setCorsHeaders(cors, request, response, plan.endpoint, logger);

      if (plan.hasBody) {
        const parsing = parseBody(request, response, bodyLimit);
        if (parsing) await parsing;
      }
    } catch (error) {
      await this.fail(error, request, response);
      return;
    }
    await runEndpoint(plan, request, response, logger);
    if (!request.complete) drain(request, response);
  }

  /** Answers an error that belongs to no endpoint by the configured error handler; never rejects. */
  async fail(error: unknown, request: Request, response: Response): Promise<void> {
    const { getLogger, errorHandler } = this.#plan;
    await sendError(errorHandler, new Walk(request, response, getLogger(request)), error);
  }

  /** Answers a path that nothing serves with 404; never rejects. */
  async answerNotFound(request: Request, response: Response): Promise<void> {
    await this.fail(new RequestError("SLP_NOT_FOUND"), request, response);
  }

  /** A request without a route for its method: a preflight, a file, 405 or 404. */
  async #dispatchOther(
    request: Request,
    response: Response,
    logger: Logger,
    path: string,
    next: NextFunction | undefined,
  ): Promise<void> {
    const { table, statics, cors, wrongMethodBehavior } = this.#plan;
    const isReading = request.method === "GET" || request.method === "HEAD";
    const routes = table.findAll(path);
    if (isReading && (await statics.serve(request, response, path))) return;

    const [first] = routes;
    if (!first) {
      if (next) next();
      else throw new RequestError("SLP_NOT_FOUND");
      return;
    }
    const isPreflight = request.method === "OPTIONS" && cors !== false;
    const wanted = isPreflight ? request.headers["access-control-request-method"] : undefined;
    const { target: plan } =
      routes.find(({ method }) => method === methods.get(wanted ?? "")) ?? first;
    if (typeof cors === "function")
      await setCorsHeaders(cors, request, response, plan.endpoint, logger);
    if (isPreflight) {
      await answerPreflight(plan, request, response, logger);
      return;
    }
    if (wrongMethodBehavior === 404) throw new RequestError("SLP_NOT_FOUND");
    const allowed = toAllowed(routes.map(({ method }) => method), cors !== false);
    // set here as well, for error handlers that do not look at the headers of errors
    response.setHeader("Allow", allowed);
    throw new RequestError("SLP_METHOD_NOT_ALLOWED", { Allow: allowed });
  }
}

/** The field `Allow`: the methods of a path in alphabetical order, HEAD where it has GET, OPTIONS where CORS is on. */
const toAllowed = (declared: readonly Method[], hasPreflight: boolean): string =>
  [
    ...declared.map((method) => method.toUpperCase()).toSorted(),
    ...(declared.includes("get") ? ["HEAD"] : []),
    ...(hasPreflight ? ["OPTIONS"] : []),
  ].join(", ");

/** A body that a handler has begun to read and left would stand in the way of the next request. */
const drain = (request: Request, response: Response): void => {
  const resume = (): void => void request.resume();
  if (response.writableFinished) resume();
  else response.once("finish", resume);
};
