import { isError } from "../../basics/http/is-error.ts";
import { isPromiseLike } from "../../define/endpoint/handler-arguments.ts";
import { sent, type Outcome } from "../../define/endpoint/outcome.ts";
import { ServerFault } from "../../basics/errors.ts";
import { copyOwn } from "../request/combine-input.ts";
import type { MiddlewareStep, PlannedRun } from "./endpoint-plan.ts";
import { logLateFault } from "./log-abandoned.ts";
import { readBody, readInputEarly } from "./endpoint-run.ts";
import { pick, readHeaders, validateInput } from "./validate.ts";
import type { Inside } from "./run-around.ts";
import { discardContent } from "./send-content.ts";
import { interrupt } from "./answer-error.ts";
import { warnOfUnreadBody } from "./development-warnings.ts";
import { StateArguments, type RequestState } from "./request-state.ts";
import { watchSenders } from "./watch-senders.ts";

const noInput: Readonly<Record<string, never>> = Object.freeze({});

/** Runs everything after the middlewares. */
export type LastStage = (run: PlannedRun, state: RequestState) => Promise<Outcome>;

/**
 * Runs the middlewares in order, then everything after them; the request ends if one of them sends the response or the
 * client leaves. Everything after a native or an `around` middleware runs in the asynchronous context of its call
 * to `next`.
 */
export const runMiddlewares = async (
  run: PlannedRun,
  state: RequestState,
  last: LastStage,
  from = 0,
): Promise<Outcome> => {
  const { plan, ctx, fields } = run;
  const { middlewares } = plan;
  for (let index = from; index < middlewares.length; index++) {
    const step = middlewares[index] as (typeof middlewares)[number];
    const { parseInput } = step;
    let headers: object | undefined;
    if (step.headers) {
      headers = await readHeaders(step.headers, state.request);
      if (!canGoOn(state)) return sent;
    }
    if (step.middleware.afterValidation) await readInputEarly(run, state);
    else if (step.needsBody) await readBody(run, state);
    let input: unknown = noInput;
    if (parseInput) {
      input = validateInput(parseInput, run.combine(state.request));
      if (input instanceof Promise) {
        input = await (input as Promise<unknown>);
        if (!canGoOn(state)) return sent;
      }
      if (fields) {
        const earlier = pick(step.earlierKeys, (key) => fields[key]);
        copyOwn(fields, input as object);
        copyOwn(fields, earlier);
      }
    }
    const args = new StateArguments(state, run, input, step.errors, headers) as never;
    const endWarning = run.body === "unread" ? warnOfUnreadBody(plan, state) : undefined;
    const mayBeHeld = (state.isShared || !state.app) && !step.middleware.native;
    const unwatchSenders = mayBeHeld ? watchSenders(state) : undefined;
    let returned: unknown;
    try {
      const { around } = step;
      if (around)
        return await runAroundStep(
          run,
          step.middleware,
          state,
          (inside) => around(args, state, inside),
          () => {
            endWarning?.();
            const goOn = step.middleware.native ? runLater : runMiddlewares;
            return goOn(run, state, last, index + 1);
          },
        );
      returned = step.handle(args);
      if (returned instanceof Promise || isPromiseLike(returned)) returned = await returned;
      joinContext(ctx, returned);
    } finally {
      endWarning?.();
      unwatchSenders?.();
    }
    if (!canGoOn(state, returned === undefined || returned === null)) return sent;
  }
  return last(run, state);
};

const shortStack = Promise.resolve();

/** Goes on with a short stack: in the frames of a native middleware, errors cost twice, and their stacks show only those. */
const runLater: typeof runMiddlewares = async (run, state, last, from) => {
  await shortStack;
  return canGoOn(state) ? runMiddlewares(run, state, last, from) : sent;
};

/** Runs a middleware, and everything after it within. */
const runAroundStep = async (
  stages: PlannedRun,
  middleware: MiddlewareStep["middleware"],
  state: RequestState,
  around: (inside: Inside) => Promise<Outcome>,
  goOn: () => Promise<Outcome>,
): Promise<Outcome> => {
  let isRun = false;
  let failure: { readonly error: unknown } | undefined;
  let inner: Outcome = sent;
  const run = async (context: unknown): Promise<Outcome> => {
    isRun = true;
    try {
      joinContext(stages.ctx, context);
      if (canGoOn(state)) inner = await goOn();
      // a transaction must be rolled back although the handler has ended in the meantime
      if (state.failure) throw state.failure.error;
    } catch (thrown) {
      const error = state.failure?.error ?? thrown;
      if (error !== thrown) logLateFault(state, thrown);
      failure = { error };
      throw error;
    }
    return inner;
  };
  let outcome: Outcome;
  try {
    const fail = (error: unknown): void => interrupt(state, error, stages.plan);
    outcome = await around({ run, fail });
    // a middleware that has caught the error cannot hide it
    if (failure) throw failure.error;
  } catch (error) {
    if (!middleware.native && !middleware.undoesNothing) stages.isDone = false;
    if (stages.plan.content && "output" in inner) discardContent(inner.output);
    // if an error has been sent in the meantime, that error counts
    throw state.failure?.error ?? error;
  }
  if (!isRun) canGoOn(state, true);
  return outcome;
};

/**
 * Checks whether the request may continue; it ends if the response has been sent or is being sent.
 *
 * @param mayEndLater whether what has begun the response may end it later, because it has returned nothing
 * @throws the error that was sent in the meantime, ClientLeft, or a fault if the response has begun and nothing ends it
 */
const canGoOn = (state: RequestState, mayEndLater = false): boolean => {
  if (!state.failure && state.phase !== "open") {
    if (!mayEndLater) state.assertEnding();
    state.watchFeeding();
    return false;
  }
  state.assertGoingOn();
  return true;
};

const joinContext = (ctx: Record<string, unknown>, returned: unknown): void => {
  if (returned === undefined || returned === null) return;
  if (isError(returned)) throw returned;
  if (typeof returned !== "object" || Array.isArray(returned))
    throw new ServerFault(
      "SLP_CONTEXT_NOT_OBJECT",
      `A middleware must return an object, or nothing; it returned ${Array.isArray(returned) ? "an array" : `a ${typeof returned}`}`,
    );
  copyOwn(ctx, returned);
};
