import type { Request, Response } from "express";
import type { Logger } from "../logger/logger.ts";
import type { EndpointPlan } from "../pipeline/endpoint-plan.ts";
import { runMiddlewares } from "../pipeline/run-middlewares.ts";
import { Walk } from "../pipeline/walk.ts";

/**
 * Answers a preflight request: 200 without a body.
 *
 * Native Express middlewares run, as the `cors` package needs it; what they refuse is no reason to refuse
 * a preflight, which never carries credentials. Other middlewares and the handler do not run.
 *
 * @see Fetch standard, "CORS-preflight request"
 */
export const answerPreflight = async (
  plan: EndpointPlan,
  request: Request,
  response: Response,
  logger: Logger,
): Promise<void> => {
  if (plan.nativeMiddlewares.length > 0) {
    try {
      const walk = new Walk(request, response, logger, plan.endpoint.resultHandler);
      if (!(await runMiddlewares(plan.nativeMiddlewares, walk))) return;
    } catch (error) {
      logger.debug("A native middleware refused a preflight request", { error });
    }
  }
  response.writeHead(200, { "Content-Length": 0 });
  response.end();
};
