import { RequestError } from "../../../basics/errors.ts";
import { findState } from "../../../serve/pipeline/request-state.ts";
import { interruptSending } from "../../../serve/pipeline/answer-error.ts";

/** `request.next`: what Express calls, unbound, when it cannot send what a handler asked for; its router sets its own. */
export const requestNext: PropertyDescriptor & ThisType<object> = {
  configurable: true,
  enumerable: true,
  get() {
    const state = findState(this);
    const own = state?.run ? state.run.nativeNext : state?.next;
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
    if (state.run?.nativeNext === undefined) state.next = next;
    else state.run.nativeNext = next;
  },
};
