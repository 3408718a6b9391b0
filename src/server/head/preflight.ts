import type { Request, Response } from "express";
import type { Logger } from "../../logger/logger.ts";
import type { EndpointPlan } from "../../pipeline/endpoint-plan.ts";
import { isTaken } from "../../pipeline/response-state.ts";
import { running, type RunningResponse } from "../../pipeline/running-requests.ts";
import { runMiddlewares } from "../../pipeline/run-middlewares.ts";
import { sendError } from "../../pipeline/send-result.ts";
import { Walk } from "../../pipeline/walk.ts";

/**
 * Responds to a preflight request with 200 and no body. No middleware runs, because the option `cors` alone decides: a
 * preflight never carries credentials, and must not count as a request.
 *
 * @see Fetch standard, "CORS-preflight request"
 */
export const answerPreflight = (response: Response): void => {
  response.writeHead(200, { "Content-Length": 0 });
  response.end();
};

/**
 * Runs the native middlewares that come first in an endpoint for a preflight request, if `cors` is off.
 *
 * @returns whether a middleware has sent the response
 */
export const runNativePreflight = async (
  plan: EndpointPlan,
  request: Request,
  response: Response,
  logger: Logger,
): Promise<boolean> => {
  const { nativeMiddlewares: middlewares } = plan;
  if (middlewares.length === 0) return false;
  const walk = new Walk(request, response, logger, plan.endpoint.resultHandler);
  const others = (response as RunningResponse)[running];
  others?.add(walk);
  try {
    await runMiddlewares({ ...plan, middlewares }, walk, () => Promise.resolve());
  } catch (error) {
    await sendError(walk, error);
  } finally {
    others?.delete(walk);
  }
  return isTaken(response);
};
