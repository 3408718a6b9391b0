import { RequestError } from "../../errors.ts";
import { findState } from "../../pipeline/request-state.ts";
import { interruptSending } from "../../pipeline/answer-error.ts";

const routerNexts = new WeakMap<object, unknown>();

/** Notes the `next` of the router that serves a request; it counts until an endpoint is reached. */
export const setRouterNext = (request: object, next: unknown): void => {
  routerNexts.set(request, next);
};

/** `request.next`: what Express calls, unbound, when it cannot send what a handler asked for; its router sets its own. */
export const requestNext: PropertyDescriptor & ThisType<object> = {
  configurable: true,
  enumerable: true,
  get() {
    const state = findState(this);
    const own = state?.next ?? (state?.run ? undefined : routerNexts.get(this));
    return (
      own ??
      ((error?: unknown): void => {
        // without an error, there was nothing to send, as for a directory
        if (state) interruptSending(state, error ?? new RequestError("SLP_NOT_FOUND"));
      })
    );
  },
  set(next: unknown) {
    const state = findState(this);
    if (!state) return;
    // a router within a native middleware sets its own `next`, and restores that of the middleware afterwards
    if (state.next === undefined) setRouterNext(this, next);
    else state.next = next;
  },
};
