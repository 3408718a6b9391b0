import type { Request, Response } from "express";
import { ServerFault } from "../errors.ts";
import { leaveBody } from "../http/leave-body.ts";
import type { Logger } from "../logger/logger.ts";
import { holdErrors } from "../results/hold-errors.ts";
import { logServerFault } from "../results/log-fault.ts";
import { copyOwn } from "./copy-own.ts";
import type { EndpointPlan } from "./endpoint-plan.ts";
import { watchFeeding, isAbandoned, isTaken } from "./response-state.ts";
import { findLargeBody, withoutPrototype } from "./large-body.ts";
import { runMiddlewares, type LastStage } from "./run-middlewares.ts";
import { checkErrorData } from "./error-data.ts";
import { logAbandoned } from "./log-abandoned.ts";
import { discardContent, sendContent } from "./send-content.ts";
import { sendError, sendOutput, warnAlreadySent } from "./send-result.ts";
import { setLinks } from "./set-links.ts";
import { omitKeys, validateInput, validateOutput } from "./validate.ts";
import { watchStatus } from "./watch-status.ts";
import {
  currentWalk,
  noOutput,
  Walk,
  WalkArguments,
  withTimeout,
  type ReadBody,
  type TimeLimit,
  type WalkingRequest,
} from "./walk.ts";

/**
 * Takes a request through an endpoint step by step: runs the middlewares, reads the body, combines and validates the
 * input, runs the handler, validates the output and sends the result. Anything thrown on the way goes to the result
 * handler.
 *
 * The returned promise never rejects. Values that are not promises are used without an `await`.
 *
 * @param readBody reads the body once a stage needs it; omitted if the body has already been read or is not a source
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
  // if Express fails to send something, it calls `request.next`, which needs the walk
  (request as WalkingRequest)[currentWalk] = walk;
  try {
    if (middlewares.length > 0) {
      if (plan.hasMiddlewareInput) walk.fields = {};
      const run = (): Promise<void> => runMiddlewares(plan, walk, runHandler);
      await (timeout > 0 ? walk.within(toLimit(plan), run) : run());
    } else if (timeout > 0) {
      await walk.within(toLimit(plan), () => runHandler(plan, walk));
    } else {
      // this repeats `runHandler`, because calling it would cost another promise
      let input = toInput(plan, walk);
      if (input instanceof Promise) {
        input = await (input as Promise<unknown>);
        if (hasLeft(walk)) return;
      }
      const returned = await handle(plan, walk, input);
      let output = toOutput(plan, walk, returned);
      if (output instanceof Promise) output = await (output as Promise<unknown>);
      settle(plan, walk, output);
    }
    if (plan.linkedPages && walk.output !== noOutput) setLinks(plan.linkedPages, walk, walk.output);
  } catch (error) {
    if (plan.content) discardContent(walk.output);
    if (walk.isFailed) logServerFault(logger, request, error);
    else await answerError(plan, walk, error);
    return;
  }
  if (walk.output !== noOutput) {
    const sending = plan.content
      ? sendContent(walk, plan.content, walk.output)
      : sendOutput(walk, walk.output);
    if (sending) await sending;
  }
  if (plan.watchesStatus) watchStatus(plan, walk);
};

const toLimit = ({ endpoint, timeout }: EndpointPlan): TimeLimit => ({
  option: endpoint.timeout === undefined ? "requestTimeout" : "timeout",
  milliseconds: timeout,
});

const answerError = async (plan: EndpointPlan, walk: Walk, thrown: unknown): Promise<void> => {
  let error = thrown;
  if (plan.errorData)
    ({ error, data: walk.errorData } = await checkErrorData(plan.errorData, thrown));
  await sendError(walk, error);
  if (plan.watchesStatus) watchStatus(plan, walk, error);
};

/** Runs everything after the middlewares, up to the validation of the output. */
const runHandler: LastStage = async (plan, walk) => {
  const reading = walk.takeBody(plan);
  if (reading) await reading;
  let input = toInput(plan, walk);
  if (input instanceof Promise) {
    input = await (input as Promise<unknown>);
    if (hasLeft(walk)) return;
  }
  if (walk.isStopped) return;
  const returned = await handle(plan, walk, input);
  let output = toOutput(plan, walk, returned);
  if (output instanceof Promise) output = await (output as Promise<unknown>);
  settle(plan, walk, output);
};

/** Runs the handler, whose types the factory has checked. */
const handle = (plan: EndpointPlan, walk: Walk, input: unknown): unknown => {
  const { endpoint, handlerTimeout } = plan;
  const { statusCode } = endpoint;
  // a status set by a middleware is kept, and the handler may still change the status
  if (statusCode !== undefined && walk.response.statusCode === 200)
    walk.response.statusCode = statusCode;
  const joined = walk.fields ? joinFields(walk.fields, input as object) : input;
  const running = endpoint.handle(new WalkArguments(walk, joined) as never);
  return handlerTimeout > 0
    ? withTimeout(walk, running, handlerTimeout, plan.content && discardContent)
    : running;
};

/** Checks whether the client has stopped waiting for the response; if so, logs this. */
const hasLeft = (walk: Walk): boolean => {
  if (!isAbandoned(walk.response)) return false;
  logAbandoned(walk);
  return true;
};

/** Returns the validated output, or `noOutput` if the response has been sent or the client has left. */
const toOutput = (plan: EndpointPlan, walk: Walk, returned: unknown): unknown => {
  const { response } = walk;
  // a response that the handler returned is not content; it may have been sent but not flushed yet
  const isContent = plan.content !== undefined && returned !== response;
  if (isContent) {
    holdErrors(returned);
    if (walk.isStopped || isTaken(response) || isAbandoned(response)) discardContent(returned);
  }
  if (walk.isStopped) return noOutput;
  if (isTaken(response)) {
    if (returned !== undefined && returned !== response && !plan.endpoint.isVoid)
      warnAlreadySent(walk);
    leaveBody(walk.request, response, false);
    watchFeeding(response);
    return noOutput;
  }
  if (hasLeft(walk)) return noOutput;
  if (returned === response && !plan.endpoint.isVoid)
    throw new ServerFault(
      "SLP_OUTPUT_NOT_OBJECT",
      "The handler returned the response without sending it",
    );
  return toOwnOutput(plan, returned);
};

/** Stores the output to be sent, unless the time limit has expired. */
const settle = (plan: EndpointPlan, walk: Walk, output: unknown): void => {
  if (output === noOutput) return;
  if (walk.isStopped) {
    if (plan.content) discardContent(output);
    return;
  }
  walk.output = output;
};

/**
 * Merges the middlewares' fields with the endpoint's own, which take precedence. An input that is a class instance
 * stays one: the missing fields are added to it.
 */
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

/** Parses the input with the endpoint's own schema; returns `{}` if the endpoint has none. */
const toInput = (plan: EndpointPlan, walk: Walk): unknown => {
  if (plan.takesBodyAsIs) {
    const taken = takeLargeBody(plan, walk);
    if (taken) return taken.result;
  }
  const combined = walk.combine(plan);
  if (!plan.parseInput) return {};
  const seen =
    plan.middlewareOnlyKeys.length > 0 ? omitKeys(combined, plan.middlewareOnlyKeys) : combined;
  return validateInput(plan.parseInput, seen);
};

/** Parses an input that consists only of a large body, without a copy; returns undefined for other inputs. */
const takeLargeBody = (
  { parseInput, sources }: EndpointPlan,
  { request }: Walk,
): { readonly result: unknown } | undefined => {
  const body = parseInput && findLargeBody(request, sources);
  return body && withoutPrototype(body, (bare) => validateInput(parseInput, bare));
};

/** Parses the output with the endpoint's schema; without a schema, returns the object as is. */
const toOwnOutput = (plan: EndpointPlan, returned: unknown): unknown => {
  if (plan.parseOutput) return validateOutput(plan.parseOutput, returned);
  if (plan.endpoint.isVoid || returned === undefined) return {};
  if (typeof returned === "object" && returned !== null && !Array.isArray(returned))
    return returned;
  throw new ServerFault(
    "SLP_OUTPUT_NOT_OBJECT",
    `A handler must return an object; it returned ${Array.isArray(returned) ? "an array" : returned === null ? "null" : `a ${typeof returned}`}`,
  );
};
