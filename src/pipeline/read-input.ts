import type { EndpointPlan } from "./endpoint-plan.ts";
import { assertGoingOn } from "./response-state.ts";
import { omitKeys, validateInput } from "./validate.ts";
import type { Walk } from "./walk.ts";

/**
 * Parses the input with the endpoint's own schema, unless a middleware has asked for that before; returns `{}` if the
 * endpoint has no schema, and a promise only if the schema is asynchronous.
 */
export const readInput = (plan: EndpointPlan, walk: Walk): unknown => {
  if (walk.input) return walk.input.value;
  const combined = walk.combine(plan);
  if (!plan.parseInput) return {};
  const seen =
    plan.middlewareOnlyKeys.length > 0 ? omitKeys(combined, plan.middlewareOnlyKeys) : combined;
  return validateInput(plan.parseInput, seen);
};

/** Reads the body and validates the endpoint's input before a middleware with `afterValidation`. */
export const readInputEarly = async (plan: EndpointPlan, walk: Walk): Promise<void> => {
  if (walk.input) return;
  const reading = walk.takeBody(plan);
  if (reading) await reading;
  walk.input = { value: await readInput(plan, walk) };
  assertGoingOn(walk);
};
