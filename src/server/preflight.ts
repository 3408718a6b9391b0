import type { Response } from "express";
import type { EndpointPlan } from "../pipeline/endpoint-plan.ts";
import { isTaken } from "../reply/response-state.ts";
import { runAlone } from "../pipeline/run-middlewares.ts";
import type { RequestState } from "../pipeline/request-state.ts";

/**
 * Responds to a preflight request with 200 and no body. No middleware runs, because the `cors` option alone decides: a
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
  state: RequestState,
): Promise<boolean> => {
  // a middleware must never run without those before it, such as an authentication
  const end = plan.middlewares.findIndex(({ middleware }) => !middleware.native);
  const middlewares = end < 0 ? plan.middlewares : plan.middlewares.slice(0, end);
  if (middlewares.length === 0) return false;
  await runAlone({ ...plan, middlewares }, state, () => Promise.resolve());
  return isTaken(state.response);
};
