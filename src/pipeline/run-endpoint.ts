import type { Request, Response } from "express";
import { ServerFault } from "../errors.ts";
import { leaveBody } from "../http/leave-body.ts";
import type { Logger } from "../logger/logger.ts";
import { logServerFault } from "../results/log-fault.ts";
import { copyOwn } from "./copy-own.ts";
import type { EndpointPlan } from "./endpoint-plan.ts";
import { endHead, isAbandoned, isTaken } from "./response-state.ts";
import { runMiddlewares } from "./run-middlewares.ts";
import { logAbandoned } from "./log-abandoned.ts";
import { sendError, sendOutput, warnAlreadySent } from "./send-result.ts";
import { setLinks } from "./set-links.ts";
import { omitKeys, validateInput } from "./validate-input.ts";
import { validateOutput } from "./validate-output.ts";
import {
  currentWalk,
  noOutput,
  Walk,
  WalkArguments,
  withTimeout,
  type ReadBody,
  type WalkingRequest,
} from "./walk.ts";

/**
 * Walks a request through an endpoint, top to bottom: run the middlewares, read the body, combine and validate the input,
 * run the handler, validate the output, send the result. Whatever is thrown on the way goes to the result handler.
 *
 * It never rejects. Nothing is awaited where there is nothing to wait for.
 *
 * @param readBody reads the body once a stage needs it; left out where that is done, or where the body is no source
 */
export const runEndpoint = async (
  plan: EndpointPlan,
  request: Request,
  response: Response,
  logger: Logger,
  readBody?: ReadBody,
): Promise<void> => {
  const { endpoint, middlewares, timeout } = plan;
  const ctx = middlewares.length > 0 ? (Object.create(null) as Walk["ctx"]) : undefined;
  const walk = new Walk(request, response, logger, endpoint.resultHandler, ctx, readBody);
  // Express reports to `request.next` what it fails to send
  (request as WalkingRequest)[currentWalk] = walk;
  try {
    if (timeout > 0) await walk.within(timeout, () => runStages(plan, walk));
    else await runStages(plan, walk);
  } catch (error) {
    if (walk.isFailed) logServerFault(logger, request, error);
    else await sendError(walk, error);
    return;
  }
  if (walk.output === noOutput) return;
  const sending = sendOutput(walk, walk.output);
  if (sending) await sending;
};

const runStages = (plan: EndpointPlan, walk: Walk): Promise<void> => {
  if (plan.middlewares.length === 0) return runHandler(plan, walk);
  if (plan.hasMiddlewareInput) walk.fields = {};
  return runMiddlewares(plan, walk, runHandler);
};

/** Everything after the middlewares, up to the validated output. */
const runHandler = async (plan: EndpointPlan, walk: Walk): Promise<void> => {
  const { endpoint, handlerTimeout } = plan;
  const { response } = walk;
  const reading = walk.takeBody(plan);
  if (reading) await reading;
  let input = toOwnInput(plan, walk.combine(plan));
  if (input instanceof Promise) input = await (input as Promise<unknown>);
  if (walk.fields) input = joinFields(walk.fields, input as object);
  if (walk.isStopped) return;

  // handlers are declared for their own types, which the factory has checked
  const running = endpoint.handle(new WalkArguments(walk, input) as never);
  const returned = await (handlerTimeout > 0
    ? withTimeout(walk, running, handlerTimeout)
    : running);
  if (walk.isStopped) return;
  if (isTaken(response)) {
    if (returned !== undefined && !endpoint.isVoid) warnAlreadySent(walk);
    leaveBody(walk.request, response, false);
    endHead(response);
    return;
  }
  if (isAbandoned(response)) {
    logAbandoned(walk);
    return;
  }

  let output = toOutput(plan, returned);
  if (output instanceof Promise) output = await (output as Promise<unknown>);
  if (walk.isStopped) return;
  if (plan.linkedPages) setLinks(plan.linkedPages, walk, output);
  walk.output = output;
};

/** The fields of the middlewares beside the endpoint's own, which win; an instance of a class stays one. */
const joinFields = (fields: Record<string, unknown>, input: object): object => {
  const prototype: unknown = Object.getPrototypeOf(input);
  if (prototype === null || prototype === Object.prototype) {
    copyOwn(fields, input);
    return fields;
  }
  for (const key of Object.keys(fields))
    if (!(key in input)) (input as Record<string, unknown>)[key] = fields[key];
  return input;
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
  if (plan.endpoint.isVoid || returned === undefined) return {};
  if (typeof returned === "object" && returned !== null && !Array.isArray(returned))
    return returned;
  throw new ServerFault(
    "SLP_OUTPUT_NOT_OBJECT",
    `A handler must return an object; it returned ${Array.isArray(returned) ? "an array" : returned === null ? "null" : `a ${typeof returned}`}`,
  );
};
