import { AsyncLocalStorage } from "node:async_hooks";
import type { NextFunction } from "express";
import { isPromiseLike } from "../endpoint/handler-arguments.ts";
import type { NativeMiddleware } from "../endpoint/middleware.ts";
import { ClientLeft, RequestError } from "../errors.ts";
import { watchRefusal } from "../reply/close-after-reply.ts";
import { ensureError, toNativeError } from "../reply/http-error.ts";
import { isAbandoned, isTaken, watchFeeding } from "../exchange/response-state.ts";
import { noOutput, type EndpointRun, type Outcome } from "./endpoint-run.ts";
import type { RequestState } from "./request-state.ts";
import type { Inside, Surround } from "./run-around.ts";

/**
 * How long to wait for a middleware that takes callbacks, and that has not called `next` when the client disconnects or
 * the time limit expires, in milliseconds. It might never call `next`; a query that it waits for rarely takes longer.
 */
const nativeGrace = 30_000;

/** Runs a middleware as Express does. */
export const runNative =
  (native: NativeMiddleware): Surround =>
  async (_args, state, { run, fail }) => {
    const { request, response } = state;
    const stages = state.run as EndpointRun;
    const unwatch = watchRefusal(request, response);
    state.isShared = true;
    const running = callNative(native, state, {
      run: async (context) => {
        unwatch?.();
        // the middleware listens to the body, which is read only after it; what flows until then would be lost
        const isHeldBack = stages.body === "unread" && request.readableFlowing === true;
        if (isHeldBack) request.pause();
        // the middleware may have changed the sources of the input; once that is validated, all stages see the same
        if (!stages.input) stages.combined = null;
        const outcome = await run(context);
        // a later middleware has responded without the body
        if (isHeldBack && stages.body === "unread") request.resume();
        return outcome;
      },
      fail,
    });
    try {
      // a middleware that feeds the response might settle only after the response has ended
      watchFeeding(response);
    } catch (error) {
      await running;
      throw error;
    }
    return running;
  };

/**
 * Settles when everything after the middleware has settled, when the middleware fails, or when it ends the response
 * without calling `next`. If the client disconnects or the time limit expires before that, the promise rejects once the
 * middleware has ended.
 */
const callNative = (
  { run: middleware, provider, transformer }: NativeMiddleware,
  state: RequestState,
  { run, fail }: Inside,
): Promise<Outcome> => {
  const [request, response] = [state.request as never, state.response as never];
  const reason = findEnd(state);
  if (reason) return Promise.reject(reason);
  // a closed response does not emit `close` again
  if (state.response.closed) return Promise.resolve(noOutput);
  return new Promise((resolve, reject) => {
    const restore = keepPrototypes(request, response);
    let isOver = false;
    let returned: unknown;
    const unlisten = (): unknown => state.response.off("finish", onEnd).off("close", onEnd);
    const end = (): void => {
      isOver = true;
      unlisten();
      restore();
      state.next = undefined;
    };
    const onEnd = (): void => {
      const reason = findEnd(state);
      if (reason) unlisten();
      // the middleware has sent the response itself, and may go on working
      else end();
      const settle = (): void => {
        if (!isOver) end();
        if (reason) reject(reason);
        else resolve(noOutput);
      };
      // what surrounds the middleware must wait for its work
      if (isPromiseLike(returned)) returned.then(settle, settle);
      else if (reason) setTimeout(settle, nativeGrace).unref();
      else resolve(noOutput);
    };
    const refuse = (thrown: unknown): void => {
      let error = ensureError(thrown);
      try {
        if (transformer) error = transformer(error);
      } catch (own) {
        error = ensureError(own);
      }
      if (isOver) {
        fail(error);
        return;
      }
      end();
      reject(toNativeError(error, state.response));
    };
    const next: NextFunction = (outcome?: unknown): void => {
      // in Express, these leave the route or the router, often because access was denied
      if (outcome === "route" || outcome === "router") refuse(new RequestError("SLP_NOT_FOUND"));
      // as in Express, any other truthy value is an error
      else if (outcome) refuse(outcome);
      else if (!isOver) {
        end();
        // what is sent later must see the stores that the middleware has entered
        (state.run as EndpointRun).scope = AsyncLocalStorage.snapshot();
        // an error of `provider` is not one of the middleware, although it runs within the call to `next`
        const provide = async (): Promise<Outcome> => run(await provider?.(request, response));
        resolve(provider ? provide() : run(undefined));
      }
    };
    state.next = next;
    try {
      returned = middleware(request, response, next);
      if (isPromiseLike(returned)) returned.then(undefined, refuse);
    } catch (error) {
      refuse(error);
    }
    // most middlewares call `next` at once and need no listeners, which slow down the events of a response
    if (isOver) return;
    if (state.response.closed || state.response.writableFinished) onEnd();
    else state.response.once("finish", onEnd).once("close", onEnd);
  });
};

/** Returns a function that undoes what an application of Express, used as a middleware, does to the prototypes. */
const keepPrototypes = (...objects: readonly object[]): (() => void) => {
  const kept = objects.map((one) => [one, Object.getPrototypeOf(one) as object] as const);
  return () => {
    for (const [one, prototype] of kept)
      if (Object.hasOwn(Object.getPrototypeOf(one) as object, "app"))
        Object.setPrototypeOf(one, prototype);
  };
};

/** Returns the reason why nothing may run any longer; undefined if there is none, or if the response has been sent. */
const findEnd = ({ failure, response }: RequestState): Error | undefined => {
  if (failure || isTaken(response)) return failure?.error;
  return isAbandoned(response) ? new ClientLeft() : undefined;
};
