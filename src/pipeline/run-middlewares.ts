import { isPromiseLike } from "../endpoint/handler-arguments.ts";
import { ServerFault } from "../errors.ts";
import { copyOwn } from "../request/combine-input.ts";
import type { EndpointPlan, MiddlewareStep } from "./endpoint-plan.ts";
import { logLateFault } from "./log-abandoned.ts";
import { pick, readBody, readHeaders, readInputEarly, validateInput } from "./validate.ts";
import { assertGoingOn, isTaken, watchFeeding } from "../reply/response-state.ts";
import { interrupt } from "./send-result.ts";
import { watchUnreadBody } from "./development-warnings.ts";
import { StateArguments, type RequestState } from "./request-state.ts";
import { watchSenders } from "./watch-senders.ts";

const noInput: Readonly<Record<string, never>> = Object.freeze({});

/** Runs everything after the middlewares. */
export type LastStage = (plan: EndpointPlan, state: RequestState) => Promise<void>;

/**
 * Runs the middlewares in order, then everything after them; the request ends if one of them sends the response or the
 * client leaves. Everything after a native or an `around` middleware runs within that middleware's call to `next`.
 */
export const runMiddlewares = async (
  plan: EndpointPlan,
  state: RequestState,
  last: LastStage,
  from = 0,
): Promise<void> => {
  const { middlewares } = plan;
  for (let index = from; index < middlewares.length; index++) {
    const step = middlewares[index] as (typeof middlewares)[number];
    const { parseInput } = step;
    let headers: object | undefined;
    if (step.headers) {
      headers = await readHeaders(step.headers, state.request);
      if (!canGoOn(state)) return;
    }
    if (step.middleware.afterValidation) await readInputEarly(plan, state);
    else if (step.needsBody) await readBody(plan, state);
    let input: unknown = noInput;
    if (parseInput) {
      input = validateInput(parseInput, state.combine(plan));
      if (input instanceof Promise) {
        input = await (input as Promise<unknown>);
        if (!canGoOn(state)) return;
      }
      const { fields } = state;
      if (fields) {
        const earlier = pick(step.earlierKeys, (key) => fields[key]);
        copyOwn(fields, input as object);
        copyOwn(fields, earlier);
      }
    }
    const args = new StateArguments(state, input, headers) as never;
    const unwatch = state.body === "unread" ? watchUnreadBody(plan, state) : undefined;
    const mayBeHeld = (state.watchers || !state.app) && !step.middleware.native;
    const unwatchSenders = mayBeHeld ? watchSenders(state) : undefined;
    try {
      if (step.surround) {
        await runSurround(plan, step, args, state, () => {
          unwatch?.();
          return runMiddlewares(plan, state, last, index + 1);
        });
        return;
      }
      let returned: unknown = step.handle(args);
      if (returned instanceof Promise || isPromiseLike(returned)) returned = await returned;
      joinContext(state.ctx, returned);
    } finally {
      unwatch?.();
      unwatchSenders?.();
    }
    if (!canGoOn(state)) return;
  }
  await last(plan, state);
};

/** Runs a middleware, and everything after it within. */
const runSurround = async (
  plan: EndpointPlan,
  { middleware, surround }: MiddlewareStep,
  args: never,
  state: RequestState,
  goOn: () => Promise<void>,
): Promise<void> => {
  let isRun = false;
  let failure: { readonly error: unknown } | undefined;
  const run = async (context: unknown): Promise<void> => {
    isRun = true;
    try {
      joinContext(state.ctx, context);
      if (canGoOn(state)) await goOn();
      // a transaction must be rolled back although the handler has ended in the meantime
      if (state.failure) throw state.failure;
    } catch (thrown) {
      const error = state.failure ?? thrown;
      if (error !== thrown) logLateFault(state, thrown);
      failure = { error };
      throw error;
    }
  };
  try {
    const fail = (error: unknown): void => interrupt(state, error, plan.errorData);
    await surround?.(args, state, { run, fail });
    // a middleware that has caught the error cannot hide it
    if (failure) throw failure.error;
  } catch (error) {
    if (!middleware.native && !middleware.isObserver) state.isDone = false;
    // if an error has been sent in the meantime, that error counts
    throw state.failure ?? error;
  }
  if (!isRun) canGoOn(state);
};

/**
 * Checks whether the request may continue; it ends if the response has been sent or is being sent.
 *
 * @throws the error that was sent in the meantime, or ClientLeft
 */
const canGoOn = (state: RequestState): boolean => {
  const { response, failure } = state;
  if (!failure && isTaken(response)) {
    watchFeeding(response);
    return false;
  }
  assertGoingOn(state);
  return true;
};

const joinContext = (ctx: Record<string, unknown>, returned: unknown): void => {
  if (returned === undefined || returned === null) return;
  if (returned instanceof Error) throw returned;
  if (typeof returned !== "object" || Array.isArray(returned))
    throw new ServerFault(
      "SLP_CONTEXT_NOT_OBJECT",
      `A middleware must return an object, or nothing; it returned ${Array.isArray(returned) ? "an array" : `a ${typeof returned}`}`,
    );
  copyOwn(ctx, returned);
};
