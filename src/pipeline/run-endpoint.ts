import type { Request, Response } from "express";
import type { Logger } from "../logger/logger.ts";
import { combineInput } from "./combine-input.ts";
import { copyOwn } from "./copy-own.ts";
import type { EndpointPlan } from "./endpoint-plan.ts";
import { endHead, isAbandoned, isTaken } from "./response-state.ts";
import { runMiddlewares } from "./run-middlewares.ts";
import { logAbandoned, sendError, sendOutput, warnAlreadySent } from "./send-result.ts";
import { omitKeys, validateInput } from "./validate-input.ts";
import { validateOutput } from "./validate-output.ts";
import { Walk, withTimeout } from "./walk.ts";

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
  const { endpoint, middlewares } = plan;
  const walk = new Walk(request, response, logger);
  let output: unknown;
  try {
    const combined = (walk.combined = combineInput(request, plan.sources, plan.fileLists));

    let fields: Record<string, unknown> | undefined;
    if (middlewares.length > 0) {
      if (plan.hasMiddlewareInput) fields = {};
      if (!(await runMiddlewares(middlewares, walk, fields))) return;
    }

    let input = toOwnInput(plan, combined);
    if (input instanceof Promise) input = await (input as Promise<unknown>);
    if (fields) copyOwn(fields, input as object);
    walk.input = fields ?? input;

    // handlers are declared for their own types, which the factory has checked
    const running = endpoint.handle(walk as never);
    const returned = await (plan.timeout > 0 ? withTimeout(walk, running, plan.timeout) : running);
    if (isTaken(response)) {
      if (returned !== undefined && !endpoint.isVoid) warnAlreadySent(walk);
      endHead(response);
      return;
    }
    if (isAbandoned(response)) {
      logAbandoned(walk);
      return;
    }

    output = toOutput(plan, returned);
    if (output instanceof Promise) output = await (output as Promise<unknown>);
  } catch (error) {
    await sendError(endpoint.resultHandler, walk, error);
    return;
  }
  const sending = sendOutput(endpoint.resultHandler, walk, output);
  if (sending) await sending;
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
