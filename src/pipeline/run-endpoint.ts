import { isPromiseLike } from "../endpoint/handler-arguments.ts";
import { RequestError, ServerFault } from "../errors.ts";
import { BareObject } from "../http/query.ts";
import { discardRestOfBody } from "../reply/close-after-reply.ts";
import { holdErrors } from "../reply/hold-errors.ts";
import { copyOwn } from "../request/combine-input.ts";
import type { EndpointPlan } from "./endpoint-plan.ts";
import { logAbandoned, logLateFault } from "./log-abandoned.ts";
import { beginReading, readInput, readOwnHeaders, toOutputError, validate } from "./validate.ts";
import {
  Deadline,
  noOutput,
  StateArguments,
  type RequestContext,
  type RequestState,
} from "./request-state.ts";
import { assertGoingOn, isAbandoned, isTaken, watchFeeding } from "../reply/response-state.ts";
import { runMiddlewares, type LastStage } from "./run-middlewares.ts";
import { discardContent, sendContent } from "./send-content.ts";
import { recover, refuse, sendDeclaredError, sendResult, warnAlreadySent } from "./send-result.ts";
import { setLinks } from "../reply/links.ts";
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
  state.resultHandler = plan.endpoint.resultHandler;
  state.plan = plan;
  if (plan.body !== "none") state.body = "unread";
  running.add(state);
  if (plan.middlewares.length === 0) state.ctx = new BareObject();
  else {
    state.ctx = Object.create(null) as RequestContext;
    if (plan.hasMiddlewareInput) state.fields = {};
  }
  try {
    if (plan.timeout > 0) await runWithin(plan, state, () => runStages(plan, state, last));
    else await runStages(plan, state, last);
    if (state.failure) throw state.failure;
    const { response, output } = state;
    if (output !== noOutput) {
      if (plan.linkedPages) setLinks(plan.linkedPages, state, output);
      if (plan.middlewares.length > 0 && isTaken(response)) {
        // an `around` middleware has sent something after the handler
        warnAlreadySent(state);
        watchFeeding(response);
      } else {
        const sending = state.scope
          ? state.scope(() => sendOutput(plan, state))
          : sendOutput(plan, state);
        if (sending) await sending;
      }
    }
    if (plan.watchesResponse) watchResponse(plan, state);
  } catch (error) {
    if (state.scope) await state.scope(() => sendStageError(plan, state, error));
    else await sendStageError(plan, state, error);
  }
  state.isAnswered = true;
  if (!state.isLate || state.isEnded) running.delete(state);
};

const sendOutput = (plan: EndpointPlan, state: RequestState): Promise<void> | undefined =>
  plan.content ? sendContent(state, plan.content, state.output) : sendResult(state, null);

/** Responds with an error of a stage; never rejects. */
const sendStageError = async (
  plan: EndpointPlan,
  state: RequestState,
  thrown: unknown,
): Promise<void> => {
  try {
    if (state.isInterrupted) {
      if (thrown !== state.failure) logLateFault(state, thrown);
      return;
    }
    if (plan.content) discardContent(state.output);
    if (state.body === "failing") {
      await refuse(state, thrown, plan.endpoint.resultHandler);
      return;
    }
    await sendDeclaredError(plan.errorData, state, thrown);
    if (plan.watchesResponse) watchResponse(plan, state, thrown);
  } catch (defect) {
    recover(state, defect);
  }
};

/** Runs everything after the middlewares, up to the validation of the output. */
const runHandler: LastStage = async (plan, state) => {
  if (plan.headers) await readOwnHeaders(plan.headers, state);
  if (state.body === "unread") {
    const reading = beginReading(plan, state);
    if (reading) await reading;
    state.body = "read";
  }
  let input = readInput(plan, state);
  if (input instanceof Promise) input = await (input as Promise<unknown>);
  assertGoingOn(state);
  const { response } = state;
  const { statusCode } = plan.endpoint;
  // a status set by a middleware is kept, and the handler may still change the status
  if (statusCode !== undefined && response.statusCode === 200) response.statusCode = statusCode;
  const joined = state.fields ? joinFields(state.fields, input as object) : input;
  // the factory has checked the types of the handler
  const args = new StateArguments(state, joined, state.headers) as never;
  const unwatch = state.watchers || !state.app ? watchSenders(state) : undefined;
  let returned: unknown;
  try {
    returned = await plan.handle(args);
  } finally {
    unwatch?.();
  }
  // `return createHttpError(404)` in place of `throw` must not become a success
  if (returned instanceof Error) throw returned;
  state.isDone = true;
  let output = toOutput(plan, state, returned);
  if (output instanceof Promise) output = await (output as Promise<unknown>);
  if (output === noOutput) return;
  // nobody is waiting for the output any longer
  const isLeft = isAbandoned(response);
  if (plan.content && (state.failure || isLeft)) discardContent(output);
  if (state.failure) throw state.failure;
  if (isLeft) logAbandoned(state);
  if (!isLeft || state.isReplyKept) state.output = output;
};

const runStages = (plan: EndpointPlan, state: RequestState, last: LastStage): Promise<void> =>
  plan.middlewares.length === 0 ? last(plan, state) : runMiddlewares(plan, state, last);

/** Returns the validated output, or `noOutput` if the response has been sent. */
const toOutput = (plan: EndpointPlan, state: RequestState, returned: unknown): unknown => {
  const { response } = state;
  // a response that the handler returned is not content; it may have been sent but not flushed yet
  const isContent = plan.content !== undefined && returned !== response;
  if (isContent) {
    holdErrors(returned);
    if (state.failure || isTaken(response) || isAbandoned(response)) discardContent(returned);
  }
  if (state.failure) throw state.failure;
  if (isTaken(response)) {
    if (returned !== undefined && returned !== response && !plan.endpoint.isVoid)
      warnAlreadySent(state);
    discardRestOfBody(state.request, response, false);
    watchFeeding(response);
    return noOutput;
  }
  if ((isContent || returned === response) && isAbandoned(response)) {
    logAbandoned(state);
    return noOutput;
  }
  if (returned === response && !plan.endpoint.isVoid)
    throw new ServerFault(
      "SLP_OUTPUT_NOT_OBJECT",
      "The handler returned the response without sending it",
    );
  return plan.parseOutput
    ? validate(plan.parseOutput, returned, toOutputError)
    : toUncheckedOutput(plan, returned);
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

/**
 * Runs stages that have a time limit; the time spent reading the body does not count. When the limit expires, the
 * promise rejects at once, although the stages go on.
 *
 * @throws {@link RequestError} with 503 when the time limit expires.
 */
const runWithin = async (
  plan: EndpointPlan,
  state: RequestState,
  run: () => Promise<void>,
): Promise<void> => {
  let rejectLate: (error: unknown) => void = () => undefined;
  const late = new Promise<never>((_resolve, reject) => {
    rejectLate = reject;
  });
  const expire = (): void => {
    try {
      state.isLate = true;
      const error = toTimeout(plan);
      state.failure ??= error;
      state.abort(error);
      rejectLate(error);
    } catch (defect) {
      rejectLate(defect);
    }
  };
  const deadline = (state.deadline = new Deadline(plan.timeout, expire));
  let stages: Promise<void> | undefined;
  try {
    deadline.start();
    stages = run();
    await Promise.race([stages, late]);
  } finally {
    deadline.stop();
    if (state.isLate && stages)
      endLate(state, stages).catch((error: unknown) =>
        state.logger.error("Server fault", { error }),
      );
  }
};

const endLate = async (state: RequestState, stages: Promise<void>): Promise<void> => {
  try {
    await stages;
  } catch (error) {
    if (error !== state.failure) logLateFault(state, error);
  } finally {
    state.isEnded = true;
    if (state.isAnswered) state.service.running.delete(state);
  }
};

/** Creates the error for an expired time limit; its cause, which only the log shows, names the limit. */
const toTimeout = ({ endpoint, timeout }: EndpointPlan): RequestError =>
  new RequestError("SLP_HANDLER_TIMEOUT", {
    cause: new Error(
      endpoint.timeout === undefined
        ? `The \`requestTimeout\` of ${timeout} ms expired`
        : `The \`timeout\` of ${timeout} ms expired (the endpoint's own limit)`,
    ),
  });
