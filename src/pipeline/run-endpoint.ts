import type { Request, Response } from "express";
import { ServerFault } from "../errors.ts";
import { leaveBody } from "../http/leave-body.ts";
import type { Logger } from "../logger/logger.ts";
import { holdErrors } from "../results/hold-errors.ts";
import { copyOwn } from "./copy-own.ts";
import type { EndpointPlan } from "./endpoint-plan.ts";
import { assertGoingOn, isAbandoned, isTaken, watchFeeding } from "./response-state.ts";
import { runMiddlewares, type LastStage } from "./run-middlewares.ts";
import { checkErrorData } from "./error-data.ts";
import { logAbandoned, logLateFault } from "./log-abandoned.ts";
import { readInput } from "./read-input.ts";
import { running, type RunningResponse } from "./running-requests.ts";
import { discardContent, sendContent } from "./send-content.ts";
import { recover, sendError, sendOutput, warnAlreadySent } from "./send-result.ts";
import { setLinks } from "./set-links.ts";
import { validateOutput } from "./validate.ts";
import { watchStatus } from "./watch-status.ts";
import {
  currentWalk,
  noOutput,
  Walk,
  WalkArguments,
  type ReadBody,
  type TimeLimit,
  type WalkingRequest,
} from "./walk.ts";

/**
 * Takes a request through an endpoint step by step: runs the middlewares, reads the body, combines and validates the
 * input, runs the handler, validates the output and sends the result. Anything thrown on the way goes to the result
 * handler.
 *
 * The returned promise resolves once the response has been sent, and never rejects. After a time limit, stages may still
 * be running then. Values that are not promises are used without an `await`.
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
  const { endpoint, middlewares, timeout, handlerTimeout } = plan;
  const ctx = middlewares.length > 0 ? (Object.create(null) as Walk["ctx"]) : undefined;
  const walk = new Walk(request, response, logger, endpoint.resultHandler, ctx, readBody);
  // if Express fails to send something, it calls `request.next`, which needs the walk
  (request as WalkingRequest)[currentWalk] = walk;
  const others = (response as RunningResponse)[running];
  others?.add(walk);
  try {
    if (timeout > 0 || handlerTimeout > 0) {
      await walk.within(
        toLimit(plan),
        () => runStages(plan, walk),
        ({ error }) => {
          walk.isEnded = true;
          if (walk.isAnswered) others?.delete(walk);
          if (error !== undefined && error !== walk.failure) logLateFault(walk, error);
        },
      );
    } else if (middlewares.length > 0) {
      await runStages(plan, walk);
    } else {
      // this repeats `runHandler`, because calling it would cost another promise
      let input = readInput(plan, walk);
      if (input instanceof Promise) {
        input = await (input as Promise<unknown>);
        assertGoingOn(walk);
      }
      const returned = await handle(plan, walk, input);
      let output = toOutput(plan, walk, returned);
      if (output instanceof Promise) output = await (output as Promise<unknown>);
      settle(plan, walk, output);
    }
    if (walk.failure) throw walk.failure;
    if (plan.linkedPages && walk.output !== noOutput) setLinks(plan.linkedPages, walk, walk.output);
    // an `around` middleware may have sent something after the handler
    if (middlewares.length > 0 && walk.output !== noOutput && isTaken(response)) {
      warnAlreadySent(walk);
      watchFeeding(response);
    } else if (walk.output !== noOutput) {
      const sending = plan.content
        ? sendContent(walk, plan.content, walk.output)
        : sendOutput(walk, walk.output);
      if (sending) await sending;
    }
    if (plan.watchesStatus) watchStatus(plan, walk);
  } catch (error) {
    await answerError(plan, walk, error);
  }
  walk.isAnswered = true;
  if (!walk.isLate || walk.isEnded) others?.delete(walk);
};

/** Returns the time limit of the stages; undefined if there is none. */
const toLimit = ({ endpoint, timeout }: EndpointPlan): TimeLimit | undefined => {
  if (timeout === 0) return undefined;
  const option = endpoint.timeout === undefined ? "requestTimeout" : "timeout";
  return { option, milliseconds: timeout };
};

/** Responds with an error of a stage; never rejects. */
const answerError = async (plan: EndpointPlan, walk: Walk, thrown: unknown): Promise<void> => {
  try {
    if (walk.isFailed) {
      if (thrown !== walk.failure) logLateFault(walk, thrown);
      return;
    }
    if (plan.content) discardContent(walk.output);
    let error = thrown;
    if (plan.errorData)
      ({ error, data: walk.errorData } = await checkErrorData(plan.errorData, thrown));
    await sendError(walk, error);
    if (plan.watchesStatus) watchStatus(plan, walk, error);
  } catch (defect) {
    recover(walk, defect);
  }
};

/** Runs all stages up to the validation of the output. */
const runStages = (plan: EndpointPlan, walk: Walk): Promise<void> => {
  if (plan.middlewares.length === 0) return runHandler(plan, walk);
  if (plan.hasMiddlewareInput) walk.fields = {};
  return runMiddlewares(plan, walk, runHandler);
};

/** Runs everything after the middlewares, up to the validation of the output. */
const runHandler: LastStage = async (plan, walk) => {
  if (!walk.input) {
    const reading = walk.takeBody(plan);
    if (reading) await reading;
  }
  let input = readInput(plan, walk);
  if (input instanceof Promise) input = await (input as Promise<unknown>);
  assertGoingOn(walk);
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
  return handlerTimeout > 0 ? walk.withinHandlerLimit(running, handlerTimeout) : running;
};

/** Returns the validated output, or `noOutput` if the response has been sent. */
const toOutput = (plan: EndpointPlan, walk: Walk, returned: unknown): unknown => {
  const { response } = walk;
  // a response that the handler returned is not content; it may have been sent but not flushed yet
  const isContent = plan.content !== undefined && returned !== response;
  if (isContent) {
    holdErrors(returned);
    if (walk.failure || isTaken(response) || isAbandoned(response)) discardContent(returned);
  }
  if (walk.failure) throw walk.failure;
  if (isTaken(response)) {
    if (returned !== undefined && returned !== response && !plan.endpoint.isVoid)
      warnAlreadySent(walk);
    leaveBody(walk.request, response, false);
    watchFeeding(response);
    return noOutput;
  }
  if ((isContent || returned === response) && isAbandoned(response)) {
    logAbandoned(walk);
    return noOutput;
  }
  if (returned === response && !plan.endpoint.isVoid)
    throw new ServerFault(
      "SLP_OUTPUT_NOT_OBJECT",
      "The handler returned the response without sending it",
    );
  return toOwnOutput(plan, returned);
};

/** Stores the output to be sent, unless nobody is waiting for it any longer. */
const settle = (plan: EndpointPlan, walk: Walk, output: unknown): void => {
  if (output === noOutput) return;
  const isLeft = isAbandoned(walk.response);
  if (plan.content && (walk.failure || isLeft)) discardContent(output);
  if (walk.failure) throw walk.failure;
  if (isLeft) logAbandoned(walk);
  else walk.output = output;
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
