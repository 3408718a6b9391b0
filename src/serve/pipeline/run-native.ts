import { AsyncResource } from "node:async_hooks";
import type { NextFunction } from "express";
import { isPromiseLike } from "../../define/endpoint/handler-arguments.ts";
import type { NativeMiddleware } from "../../define/endpoint/middleware.ts";
import { sent, type Outcome } from "../../define/endpoint/outcome.ts";
import { ClientLeft, RequestError } from "../../basics/errors.ts";
import { watchRefusal } from "../../wire/reply/close-after-reply.ts";
import { ensureError, toNativeError } from "../../wire/reply/http-error.ts";
import type { EndpointRun } from "./endpoint-run.ts";
import type { RequestState } from "./request-state.ts";
import type { Around, Inside } from "./run-around.ts";

/**
 * How long to wait for a middleware that takes callbacks, and that has not called `next` when the client disconnects or
 * the time limit expires, in milliseconds. It might never call `next`; a query that it waits for rarely takes longer.
 */
const nativeGrace = 30_000;

/** Runs a middleware as Express does. */
export const runNative =
  (native: NativeMiddleware): Around =>
  (_args, state, { run, fail }) => {
    const { request, response } = state;
    const stages = state.run as EndpointRun;
    const unwatch = watchRefusal(request, response, state.app !== undefined);
    state.isShared = true;
    const running = new NativeCall(native, state, {
      run: (context) => {
        unwatch?.();
        // the middleware listens to the body, which is read only after it; what flows until then would be lost
        const isHeldBack = stages.body === "unread" && request.readableFlowing === true;
        if (isHeldBack) request.pause();
        // the middleware may have changed the sources of the input; once that is validated, all stages see the same
        if (!stages.input) stages.combined = null;
        return isHeldBack ? runHeldBack(state, run(context)) : run(context);
      },
      fail,
    }).run();
    try {
      // a middleware that feeds the response might settle only after the response has ended
      state.watchFeeding();
    } catch (error) {
      return throwAfter(running, error);
    }
    return running;
  };

/** Reads the body on, which was held back, if a later middleware has responded without it. */
const runHeldBack = async ({ request, run }: RequestState, inside: Promise<Outcome>) => {
  const outcome = await inside;
  if (run?.body === "unread") request.resume();
  return outcome;
};

const throwAfter = async (running: Promise<Outcome>, error: unknown): Promise<never> => {
  await running;
  throw error;
};

interface Waiting {
  readonly resolve: (outcome: Outcome | Promise<Outcome>) => void;
  readonly reject: (error: Error) => void;
}

/**
 * One call of a middleware. It settles when everything after the middleware has settled, when the middleware fails, or
 * when it ends the response without calling `next`. If the client disconnects or the time limit expires before that, it
 * rejects once the middleware has ended.
 */
class NativeCall {
  readonly #native: NativeMiddleware;
  readonly #state: RequestState;
  readonly #run: EndpointRun;
  readonly #inside: Inside;
  readonly #prototypes: readonly [object, object];
  #isOver = false;
  #returned: unknown;
  /** What the call settles with, if it does so before it has to wait. */
  #outcome: Promise<Outcome> | undefined;
  #failure: Error | undefined;
  #waiting: Waiting | undefined;

  constructor(native: NativeMiddleware, state: RequestState, inside: Inside) {
    this.#native = native;
    this.#state = state;
    this.#run = state.run as EndpointRun;
    this.#inside = inside;
    this.#prototypes = [toPrototype(state.request), toPrototype(state.response)];
  }

  run(): Promise<Outcome> {
    const { request, response } = this.#state;
    const reason = findEnd(this.#state);
    if (reason) return Promise.reject(reason);
    // a closed response does not emit `close` again
    if (this.#state.isClosed) return Promise.resolve(sent);
    const next: NextFunction = (outcome?: unknown) => this.#next(outcome);
    this.#run.nativeNext = next;
    try {
      const { run } = this.#native;
      this.#returned = run(request as never, response as never, next);
      if (isPromiseLike(this.#returned))
        this.#returned.then(undefined, (thrown: unknown) => this.#refuse(thrown));
    } catch (error) {
      this.#refuse(error);
    }
    // most middlewares call `next` at once and need no listeners, which slow down the events of a response
    if (this.#failure) return Promise.reject(this.#failure);
    if (this.#outcome) return this.#outcome;
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      if (this.#state.isClosed || this.#state.isDelivered) this.#onEnd();
      else response.once("finish", this.#onEnd).once("close", this.#onEnd);
    });
  }

  #fail(error: Error): void {
    if (this.#waiting) this.#waiting.reject(error);
    else this.#failure = error;
  }

  #unlisten(): void {
    if (this.#waiting) this.#state.response.off("finish", this.#onEnd).off("close", this.#onEnd);
  }

  #end(): void {
    this.#isOver = true;
    this.#unlisten();
    const { request, response } = this.#state;
    restorePrototype(request, this.#prototypes[0]);
    restorePrototype(response, this.#prototypes[1]);
    this.#run.nativeNext = undefined;
  }

  readonly #onEnd = (): void => {
    const reason = findEnd(this.#state);
    if (reason) this.#unlisten();
    // the middleware has sent the response itself, and may go on working
    else this.#end();
    const settle = (): void => {
      if (!this.#isOver) this.#end();
      if (reason) this.#fail(reason);
      else this.#waiting?.resolve(sent);
    };
    // what surrounds the middleware must wait for its work
    if (isPromiseLike(this.#returned)) this.#returned.then(settle, settle);
    else if (reason) setTimeout(settle, nativeGrace).unref();
    else this.#waiting?.resolve(sent);
  };

  #refuse(thrown: unknown): void {
    let error = ensureError(thrown);
    try {
      const { transformer } = this.#native;
      if (transformer) error = transformer(error);
    } catch (own) {
      error = ensureError(own);
    }
    if (this.#isOver) {
      this.#inside.fail(error);
      return;
    }
    this.#end();
    this.#fail(toNativeError(error, this.#state.response));
  }

  #next(outcome: unknown): void {
    // in Express, these leave the route or the router, often because access was denied
    if (outcome === "route" || outcome === "router")
      this.#refuse(new RequestError("SLP_NOT_FOUND"));
    // as in Express, any other truthy value is an error
    else if (outcome) this.#refuse(outcome);
    else if (!this.#isOver) {
      this.#end();
      // what is sent later must see the stores that the middleware has entered
      this.#run.scope = new AsyncResource("SALLYPORT");
      const outcome = this.#native.provider ? this.#provide() : this.#inside.run(undefined);
      if (this.#waiting) this.#waiting.resolve(outcome);
      else this.#outcome = outcome;
    }
  }

  // an error of `provider` is not one of the middleware, although it runs within the call to `next`
  async #provide(): Promise<Outcome> {
    const { request, response } = this.#state;
    const { provider } = this.#native;
    return this.#inside.run(await provider?.(request as never, response as never));
  }
}

const toPrototype = (one: object): object => Object.getPrototypeOf(one) as object;

/** Undoes what an application of Express, used as a middleware, does to a prototype. */
const restorePrototype = (one: object, prototype: object): void => {
  const now = toPrototype(one);
  if (now !== prototype && Object.hasOwn(now, "app")) Object.setPrototypeOf(one, prototype);
};

/** Returns the reason why nothing may run any longer; undefined if there is none, or if the response has been sent. */
const findEnd = ({ failure, phase, hasLeft }: RequestState): Error | undefined => {
  if (failure || phase !== "open") return failure?.error;
  return hasLeft ? new ClientLeft() : undefined;
};
