import { BareObject } from "../http/query.ts";
import { parseBody } from "../request/parse-body.ts";
import { assertGoingOn } from "../reply/response-state.ts";
import type { HeaderPlan, PlannedRun } from "./endpoint-plan.ts";
import type { RequestState } from "./request-state.ts";
import { readHeaders, validateInput } from "./validate.ts";

/** Parses the header fields that the endpoint declares, unless this has been done. */
export const readOwnHeaders = async (
  plan: HeaderPlan,
  run: PlannedRun,
  state: RequestState,
): Promise<void> => {
  if (run.headers) return;
  run.headers = await readHeaders(plan, state.request);
  assertGoingOn(state);
};

/** Parses the input with the endpoint's own schema, unless a middleware has asked for that before. */
export const readInput = (run: PlannedRun, state: RequestState): unknown => {
  if (run.input) return run.input.value;
  const { plan } = run;
  let input: Readonly<Record<string, unknown>> = run.combine(state.request);
  if (!plan.parseInput) return {};
  if (plan.middlewareOnlyKeys.length > 0) {
    const rest = Object.assign(new BareObject(), input);
    for (const key of plan.middlewareOnlyKeys) delete rest[key];
    input = rest;
  }
  return validateInput(plan.parseInput, input);
};

/** Validates the endpoint's input before a middleware with `afterValidation`. */
export const readInputEarly = async (run: PlannedRun, state: RequestState): Promise<void> => {
  if (run.input) return;
  if (run.plan.headers) await readOwnHeaders(run.plan.headers, run, state);
  await readBody(run, state);
  run.input = { value: await readInput(run, state) };
  assertGoingOn(state);
};

export const readBody = async (run: PlannedRun, state: RequestState): Promise<void> => {
  if (run.body !== "unread") return;
  await beginReading(run, state);
  run.body = "read";
};

/** Returns undefined if there is nothing to wait for. The clock of a time limit stops meanwhile. */
export const beginReading = (run: PlannedRun, state: RequestState): Promise<void> | undefined => {
  const { request, response, logger, service } = state;
  run.body = "reading";
  const reading = parseBody(run.plan, service.bodies, request, response, logger);
  return reading && run.deadline ? run.deadline.pauseFor(reading) : reading;
};
