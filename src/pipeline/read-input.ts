import type { EndpointPlan } from "./endpoint-plan.ts";
import { parseBody } from "../server/body/body.ts";
import { assertGoingOn } from "./response-state.ts";
import { omitKeys, validateInput } from "./validate.ts";
import type { RequestState } from "./request-state.ts";

/**
 * Parses the input with the endpoint's own schema, unless a middleware has asked for that before; returns `{}` if the
 * endpoint has no schema, and a promise only if the schema is asynchronous.
 */
export const readInput = (plan: EndpointPlan, state: RequestState): unknown => {
  if (state.input) return state.input.value;
  const combined = state.combine(plan);
  if (!plan.parseInput) return {};
  const seen =
    plan.middlewareOnlyKeys.length > 0 ? omitKeys(combined, plan.middlewareOnlyKeys) : combined;
  return validateInput(plan.parseInput, seen);
};

/** Reads the body and validates the endpoint's input before a middleware with `afterValidation`. */
export const readInputEarly = async (plan: EndpointPlan, state: RequestState): Promise<void> => {
  if (state.input) return;
  await readBody(plan, state);
  state.input = { value: await readInput(plan, state) };
  assertGoingOn(state);
};

/** Reads and parses the body, unless this has been done. */
export const readBody = async (plan: EndpointPlan, state: RequestState): Promise<void> => {
  if (state.body !== "unread") return;
  await beginReading(plan, state);
  state.body = "read";
};

/** Begins to read the body; returns undefined if there is nothing to wait for. The clock of a time limit stops meanwhile. */
export const beginReading = (
  plan: EndpointPlan,
  state: RequestState,
): Promise<void> | undefined => {
  const { request, response, logger, service, deadline } = state;
  state.body = "failing";
  const reading = parseBody(plan, service.bodies, request, response, logger);
  return reading && deadline ? deadline.pauseFor(reading) : reading;
};
