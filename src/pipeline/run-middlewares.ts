import type { AnyMiddleware, Rest } from "../endpoint/middleware.ts";
import { watchRefusal } from "../http/leave-body.ts";
import { isPromiseLike } from "../endpoint/handler-arguments.ts";
import { ClientLeft, ServerFault } from "../errors.ts";
import { watchedMark, type WatchedResponse } from "../results/send-json.ts";
import { copyOwn } from "./copy-own.ts";
import type { EndpointPlan } from "./endpoint-plan.ts";
import { logLateFault } from "./log-abandoned.ts";
import { readInputEarly } from "./read-input.ts";
import { assertGoingOn, isAbandoned, isTaken, watchFeeding } from "./response-state.ts";
import { failWalk } from "./send-result.ts";
import { watchUnreadBody } from "./unread-body.ts";
import { validateInput } from "./validate.ts";
import { WalkArguments, type Walk } from "./walk.ts";

const noInput: Readonly<Record<string, never>> = Object.freeze({});

/** Runs everything after the middlewares. */
export type LastStage = (plan: EndpointPlan, walk: Walk) => Promise<void>;

/**
 * Runs the middlewares in order, then everything after them; returned objects are merged into the context.
 *
 * The walk stops if a middleware sends the response or the client leaves. Everything after a native or an `around`
 * middleware runs within that middleware's call to `next`.
 *
 * @param from the index of the first middleware to run
 */
export const runMiddlewares = async (
  plan: EndpointPlan,
  walk: Walk,
  last: LastStage,
  from = 0,
): Promise<void> => {
  const { middlewares } = plan;
  walk.plan = plan;
  for (let index = from; index < middlewares.length; index++) {
    const { middleware, parseInput, needsBody } = middlewares[
      index
    ] as (typeof middlewares)[number];
    if (middleware.afterValidation) await readInputEarly(plan, walk);
    else if (needsBody) {
      const reading = walk.takeBody(plan);
      if (reading) await reading;
    }
    let input: unknown = noInput;
    if (parseInput) {
      input = validateInput(parseInput, walk.combine(plan));
      if (input instanceof Promise) {
        input = await (input as Promise<unknown>);
        if (!canGoOn(walk)) return;
      }
      if (walk.fields) copyOwn(walk.fields, input as object);
    }
    // each handler declares its own types, which the factory has checked
    const args = new WalkArguments(walk, input) as never;
    const unwatch = walk.readBody && watchUnreadBody(plan, walk);
    if (middleware.span) {
      const spanning = runSpan(plan, middleware, args, walk, () => {
        unwatch?.();
        return runMiddlewares(plan, walk, last, index + 1);
      });
      await (unwatch ? spanning.finally(unwatch) : spanning);
      return;
    }
    let returned: unknown = unwatch
      ? handleWatched(middleware, args, unwatch)
      : middleware.handle(args);
    if (isPromiseLike(returned)) returned = await returned;
    joinContext(walk.ctx, returned);
    if (!canGoOn(walk)) return;
  }
  await last(plan, walk);
};

/** Runs a middleware whose access to the body is watched, also if the middleware then throws. */
const handleWatched = async (
  middleware: AnyMiddleware,
  args: never,
  unwatch: () => void,
): Promise<unknown> => {
  try {
    return await middleware.handle(args);
  } finally {
    unwatch();
  }
};

/** Runs a middleware, and everything after the middleware within its call to `next`. */
const runSpan = async (
  plan: EndpointPlan,
  middleware: AnyMiddleware,
  args: never,
  walk: Walk,
  goOn: () => Promise<void>,
): Promise<void> => {
  let isRun = false;
  let failure: { readonly error: unknown } | undefined;
  const run: Rest["run"] = async (context) => {
    isRun = true;
    unwatch?.();
    try {
      joinContext(walk.ctx, context);
      // the middleware may have changed the sources of the input; once that is validated, all stages see the same
      if (middleware.isNative && !walk.input) walk.combined = null;
      if (canGoOn(walk)) await goOn();
      // a transaction must be rolled back although the handler has ended in the meantime
      if (walk.failure) throw walk.failure;
    } catch (thrown) {
      const error = walk.failure ?? thrown;
      if (error !== thrown) logLateFault(walk, thrown);
      failure = { error };
      throw error;
    }
  };
  const setNext = (next: unknown): void => {
    walk.next = next;
  };
  const { request, response } = walk;
  const unwatch = middleware.isNative ? watchRefusal(request, response) : undefined;
  if (middleware.isNative) (response as WatchedResponse)[watchedMark] ||= "native";
  const spanning = middleware.span?.(args, {
    run,
    setNext,
    fail: (error) => failWalk(walk, error, plan.errorData),
    isTaken: () => !walk.failure && isTaken(response),
    findEnd: () => {
      if (walk.failure || isTaken(response)) return walk.failure;
      return isAbandoned(response) ? new ClientLeft() : undefined;
    },
  });
  try {
    // a middleware that feeds the response might settle only after the response has ended
    if (middleware.isNative) watchFeeding(response);
  } finally {
    await settleSpan(walk, spanning);
  }
  if (failure) throw failure.error;
  if (!isRun) canGoOn(walk);
};

/** Waits for a middleware; if an error has been sent in the meantime, that error counts. */
const settleSpan = async (walk: Walk, spanning: Promise<void> | undefined): Promise<void> => {
  try {
    await spanning;
  } catch (error) {
    throw walk.failure ?? error;
  }
};

/**
 * Checks whether the walk may continue; it ends if the response has been sent or is being sent.
 *
 * @throws the error that was sent in the meantime, or {@link ClientLeft} when the client has disconnected: the
 * middleware may then have returned before finishing its check
 */
const canGoOn = (walk: Walk): boolean => {
  const { response, failure } = walk;
  if (!failure && isTaken(response)) {
    watchFeeding(response);
    return false;
  }
  assertGoingOn(walk);
  return true;
};

const joinContext = (ctx: Record<string, unknown>, returned: unknown): void => {
  if (returned === undefined || returned === null) return;
  if (typeof returned !== "object" || Array.isArray(returned))
    throw new ServerFault(
      "SLP_CONTEXT_NOT_OBJECT",
      `A middleware must return an object, or nothing; it returned ${Array.isArray(returned) ? "an array" : `a ${typeof returned}`}`,
    );
  copyOwn(ctx, returned);
};
