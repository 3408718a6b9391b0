import { isError } from "../../basics/http/is-error.ts";
import { isPromiseLike } from "../../define/endpoint/handler-arguments.ts";
import { left, sent, type Outcome } from "../../define/endpoint/outcome.ts";
import { ServerFault } from "../../basics/errors.ts";
import { discardRestOfBody } from "../../wire/reply/close-after-reply.ts";
import { holdErrors } from "../../wire/reply/hold-errors.ts";
import { copyOwn } from "../request/combine-input.ts";
import { runWithin } from "./time-limit.ts";
import type { EndpointPlan, PlannedRun } from "./endpoint-plan.ts";
import { EndpointRun } from "./endpoint-run.ts";
import { logAbandoned, logLateFault } from "./log-abandoned.ts";
import { beginReading, readInput, readOwnHeaders } from "./endpoint-run.ts";
import { toOutputError, validate } from "./validate.ts";
import type { Failure } from "../../wire/exchange/exchange.ts";
import { StateArguments, type RequestState } from "./request-state.ts";
import { runMiddlewares, type LastStage } from "./run-middlewares.ts";
import { discardContent, sendContent } from "./send-content.ts";
import { callResultHandler, recover, warnAlreadySent } from "./answer.ts";
import { answerError } from "./answer-error.ts";
import { toSendingError } from "../../wire/reply/http-error.ts";
import { sendReply } from "../../wire/reply/send-reply.ts";
import type { Result } from "../../define/results/result.ts";
import { setLinks } from "../../wire/reply/links.ts";
import { watchResponse } from "./development-warnings.ts";
import { watchSenders } from "./watch-senders.ts";

/**
 * Takes a request through an endpoint: runs the middlewares, reads the body, combines and validates the input, runs the
 * handler, validates the output and sends the result. Anything thrown on the way goes to the result handler.
 *
 * The returned promise resolves once the response has been sent, and never rejects. After a time limit, stages may still
 * be running then. Values that are not promises are used without an `await`.
 *
 * @param last what follows the middlewares in place of the handler, as for a static file that they guard
 */
export const runEndpoint = async (
  plan: EndpointPlan,
  state: RequestState,
  last: LastStage = runHandler,
): Promise<void> => {
  const { running } = state.service;
  const run: PlannedRun = new EndpointRun(plan);
  state.enter(run);
  running.add(state, run);
  try {
    const outcome =
      plan.timeout > 0
        ? await runWithin(run, state, () => runStages(run, state, last))
        : await runStages(run, state, last);
    if (state.failure) throw leave(plan, outcome, state.failure);
    if ("output" in outcome) {
      const sending = run.scope
        ? run.scope.runInAsyncScope(answer, undefined, run, state, outcome)
        : answer(run, state, outcome);
      if (sending) await sending;
    }
    if (plan.watchesResponse) watchResponse(plan, state);
  } catch (error) {
    await (run.scope
      ? run.scope.runInAsyncScope(answerFailure, undefined, run, state, error)
      : answerFailure(run, state, error));
  }
  run.isAnswered = true;
  // after a time limit, stages may still be running
  if (run.ending)
    run.ending
      .then(() => running.delete(state, run))
      .catch((error: unknown) => state.logger.error("Server fault", { error }));
  else running.delete(state, run);
};

/** Gives up an outcome in whose place a failure is sent. */
const leave = ({ content }: EndpointPlan, outcome: Outcome, { error }: Failure): Error => {
  if (content && "output" in outcome) discardContent(outcome.output);
  return error;
};

/** Sends the outcome of the stages; returns undefined if there is nothing to wait for. */
const answer = (
  { plan, combined: input }: PlannedRun,
  state: RequestState,
  outcome: Outcome & { readonly output: unknown },
): Promise<void> | undefined => {
  const { output } = outcome;
  if (plan.linkedPages) setLinks(plan.linkedPages, state, output);
  if (plan.middlewares.length > 0 && state.phase !== "open") {
    // an `around` middleware has sent something after the handler
    if (plan.content) discardContent(output);
    state.assertEnding();
    warnAlreadySent(state);
    state.watchFeeding();
    return undefined;
  }
  if (outcome.kind === "reply") {
    const { reply } = outcome;
    const handle = ({ response }: Result) => sendReply(response, reply.status, reply);
    return callResultHandler(state, { handle }, input, output);
  }
  if (plan.content) return sendContent(state, plan.content, output);
  return callResultHandler(state, plan.endpoint.resultHandler, input, output);
};

/** Answers with an error of a stage; never rejects. */
const answerFailure = async (
  run: PlannedRun,
  state: RequestState,
  thrown: unknown,
): Promise<void> => {
  const { failure } = state;
  if (failure && !failure.isLate) {
    // it has been sent already
    if (thrown !== failure.error) logLateFault(state, thrown);
    return;
  }
  const isOfBody = run.body === "reading";
  await answerError(state, isOfBody ? toSendingError(thrown) : thrown, {
    plan: isOfBody ? undefined : run.plan,
    replaces: isOfBody,
  });
  try {
    if (run.plan.watchesResponse && !isOfBody) watchResponse(run.plan, state, thrown);
  } catch (defect) {
    recover(state, defect);
  }
};

/** Runs everything after the middlewares, up to the validation of the output. */
const runHandler: LastStage = async (run, state) => {
  const { plan } = run;
  if (plan.headers) await readOwnHeaders(plan.headers, run, state);
  if (run.body === "unread") {
    const reading = beginReading(run, state);
    if (reading) await reading;
    run.body = "read";
  }
  let input = readInput(run, state);
  if (input instanceof Promise) input = await (input as Promise<unknown>);
  state.assertGoingOn();
  const { response } = state;
  const { statusCode } = plan.endpoint;
  // a status set by a middleware is kept, and the handler may still change the status
  if (statusCode !== undefined && response.statusCode === 200) response.statusCode = statusCode;
  const joined = run.fields ? joinFields(run.fields, input as object) : input;
  // the factory has checked the types of the handler
  const args = new StateArguments(state, run, joined, plan.errors, run.headers) as never;
  const unwatch = state.isShared || !state.app ? watchSenders(state) : undefined;
  let returned: unknown;
  try {
    returned = await plan.handle(args);
  } finally {
    unwatch?.();
  }
  // `return createHttpError(404)` in place of `throw` must not become a success
  if (isError(returned)) throw returned;
  run.isDone = true;
  const early = findEarly(plan, state, returned);
  if (early) return early;
  let output = plan.parseOutput
    ? validate(plan.parseOutput, returned, toOutputError)
    : toUncheckedOutput(plan, returned);
  if (output instanceof Promise) output = await (output as Promise<unknown>);
  // nobody is waiting for the output any longer
  const isLeft = state.hasLeft;
  if (plan.content && (state.failure || isLeft)) discardContent(output);
  if (state.failure) throw state.failure.error;
  if (isLeft) logAbandoned(state);
  return isLeft && !run.isReplyKept ? left : { kind: "output", output };
};

const runStages = (run: PlannedRun, state: RequestState, last: LastStage): Promise<Outcome> =>
  run.plan.middlewares.length === 0 ? last(run, state) : runMiddlewares(run, state, last);

/** Returns an outcome if the handler has sent the response, or if nobody waits for it. */
const findEarly = (
  plan: EndpointPlan,
  state: RequestState,
  returned: unknown,
): Outcome | undefined => {
  const { response } = state;
  // a response that the handler returned is not content; it may have been sent but not flushed yet
  const isContent = plan.content !== undefined && returned !== response;
  if (isContent) {
    holdErrors(returned);
    if (state.failure || state.phase !== "open" || state.hasLeft) discardContent(returned);
  }
  if (state.failure) throw state.failure.error;
  if (state.phase !== "open") {
    if (returned !== undefined && returned !== response && !plan.endpoint.isVoid) {
      if (returned !== null) state.assertEnding();
      warnAlreadySent(state);
    }
    discardRestOfBody(state.request, response, false);
    state.watchFeeding();
    return sent;
  }
  if ((isContent || returned === response) && state.hasLeft) {
    logAbandoned(state);
    return left;
  }
  if (returned === response && !plan.endpoint.isVoid)
    throw new ServerFault(
      "SLP_OUTPUT_NOT_OBJECT",
      "The handler returned the response without sending it",
    );
  return undefined;
};

/** Merges the middlewares' fields with the endpoint's own, which win; an instance of a class stays one. */
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

/** Returns the output of an endpoint without a schema for it. */
const toUncheckedOutput = (plan: EndpointPlan, returned: unknown): unknown => {
  if (plan.endpoint.isVoid || returned === undefined) return {};
  if (typeof returned === "object" && returned !== null && !Array.isArray(returned)) {
    const pending = Object.keys(returned).filter((key) =>
      isPromiseLike(Reflect.get(returned, key)),
    );
    if (pending.length === 0) return returned;
    // a promise that rejects without a handler would end the process
    for (const key of pending) Promise.resolve(Reflect.get(returned, key)).catch(() => undefined);
    throw new ServerFault(
      "SLP_OUTPUT_UNSERIALIZABLE",
      `The output contains a promise: ${pending.join(", ")}. Is an \`await\` missing?`,
    );
  }
  throw new ServerFault(
    "SLP_OUTPUT_NOT_OBJECT",
    `A handler must return an object; it returned ${Array.isArray(returned) ? "an array" : returned === null ? "null" : `a ${typeof returned}`}`,
  );
};
