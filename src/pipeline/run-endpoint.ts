import type { Request, Response } from "express";
import type { Logger } from "../logger/logger.ts";
import { combineInput } from "./combine-input.ts";
import { copyOwn } from "./copy-own.ts";
import type { EndpointPlan } from "./endpoint-plan.ts";
import { isAbandoned, isTaken } from "./response-state.ts";
import { runMiddlewares } from "./run-middlewares.ts";
import { sendError, sendOutput, warnAlreadySent } from "./send-result.ts";
import { omitKeys, validateInput } from "./validate-input.ts";
import { validateOutput } from "./validate-output.ts";
import { Walk, WalkArguments, withTimeout } from "./walk.ts";

/**
 * Walks a request through an endpoint, top to bottom: combine the input, run the middlewares, validate the input,
 * run the handler, validate the output, send the result. Whatever is thrown on the way goes to the result handler.
 *
 * It never rejects. Nothing is awaited where there is nothing to wait for.
 */
export const runEndpoint = async (
  plan: EndpointPlan,
  request: Request,
  response: Response,
  logger: Logger,
): Promise<void> => {
  const { endpoint } = plan;
  const walk = new Walk(request, response, logger);
  let output: unknown;
  try {
    walk.input = combineInput(request, plan.sources);

    if (plan.middlewares.length > 0 && !(await runMiddlewares(plan.middlewares, walk))) return;

    let input = toOwnInput(plan, walk.input);
    if (input instanceof Promise) input = (await input) as unknown;
    if (walk.fields) copyOwn(walk.fields, input as object);

    // handlers are declared for their own types, which the factory has checked
    const args = new WalkArguments(walk, walk.fields ?? input) as never;
    const running = endpoint.handle(args);
    const returned = await (plan.timeout > 0 ? withTimeout(walk, running, plan.timeout) : running);
    if (isTaken(response)) {
      if (returned !== undefined && !endpoint.isVoid) warnAlreadySent(walk);
      return;
    }
    if (isAbandoned(response)) {
      logger.debug("The client has left before the answer");
      return;
    }

    output = toOutput(plan, returned);
    if (output instanceof Promise) output = (await output) as unknown;
  } catch (error) {
    await sendError(endpoint.resultHandler, walk, error);
    return;
  }
  await sendOutput(endpoint.resultHandler, walk, output);
};

/** The input by the endpoint's own schema; `{}` where it has none. */
const toOwnInput = (plan: EndpointPlan, combined: Record<string, unknown>): unknown => {
  if (!plan.parseInput) return {};
  const seen = plan.foreignKeys.length > 0 ? omitKeys(combined, plan.foreignKeys) : combined;
  return validateInput(plan.parseInput, seen);
};

/** The output by the endpoint's schema; passed through where it has none. */
const toOutput = (plan: EndpointPlan, returned: unknown): unknown => {
  if (plan.parseOutput) return validateOutput(plan.parseOutput, returned);
  return plan.endpoint.isVoid ? {} : (returned ?? {});
};
