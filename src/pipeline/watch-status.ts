import { z } from "zod";
import { joinErrors } from "../endpoint/declared-errors.ts";
import { toLoggedPath } from "../results/log-fault.ts";
import type { EndpointPlan } from "./endpoint-plan.ts";
import { isOfFramework } from "./error-data.ts";
import type { RequestState } from "./request-state.ts";

const warned = new WeakMap<EndpointPlan, Set<number>>();

/**
 * In development, warns once per status if an endpoint that declares its errors responds with an undeclared status.
 *
 * @param thrown the error that caused the response, if any; the framework's own errors need no declaration
 */
export const watchStatus = (plan: EndpointPlan, state: RequestState, thrown?: unknown): void => {
  if (isOfFramework(thrown)) return;
  const { response } = state;
  if (response.headersSent) checkStatus(plan, state);
  else response.once("finish", () => checkStatus(plan, state));
};

const checkStatus = (plan: EndpointPlan, { request, response, logger }: RequestState): void => {
  const { statusCode: status } = response;
  const known = warned.get(plan) ?? new Set<number>();
  if (known.has(status) || isDeclared(plan, status)) return;
  warned.set(plan, known.add(status));
  const { route } = request as { readonly route?: { readonly path?: string } };
  const place = `${request.method} ${route?.path ?? toLoggedPath(request)}`;
  const fix =
    status < 300
      ? `Set \`statusCode: ${status}\` in the definition of the endpoint`
      : `Add \`${status}: "..."\` to the \`errors\` of the endpoint, or of the middleware that throws it`;
  logger.warn(`SLP_WARN_STATUS: ${place} responded with ${status}, which is not declared. ${fix}.`);
};

/** Checks whether a status is declared; redirects and server errors need no declaration. */
const isDeclared = (plan: EndpointPlan, status: number): boolean => {
  if (status < 300) return listSuccesses(plan).includes(status);
  if (status < 400 || status >= 500 || joinErrors(plan.endpoint).has(status)) return true;
  // generated documents list these statuses without a declaration
  if (status === 400) return plan.parseInput !== undefined || plan.hasMiddlewareInput;
  if (status === 401) return plan.endpoint.middlewares.some(({ security }) => security);
  return plan.body !== "none" && (status === 413 || status === 415);
};

const listSuccesses = ({ endpoint }: EndpointPlan): readonly number[] => {
  const { statusCode = 200, outputSchema, resultHandler } = endpoint;
  try {
    const responses = resultHandler.listPositive((outputSchema ?? z.unknown()) as z.ZodType);
    return responses.flatMap((response) => response.statusCode ?? statusCode);
  } catch {
    return [statusCode];
  }
};
