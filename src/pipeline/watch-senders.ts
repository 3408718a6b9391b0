import { isAbandoned } from "../reply/response-state.ts";
import type { RequestState } from "./request-state.ts";
import { senders, waitForTool } from "./send-result.ts";

/**
 * Makes a response count as being sent once the handler has called a method that a tool has replaced, although the tool
 * sends it later; returns a function that ends this.
 */
export const watchSenders = (state: RequestState): (() => void) | undefined => {
  const { response } = state;
  const own = senders.filter(
    (name) => Object.getOwnPropertyDescriptor(response, name)?.writable === true,
  );
  if (own.length === 0) return undefined;
  const methods: Record<string, unknown> = response as never;
  let isAsked = false;
  let isOver = false;
  const watched = own.map((name) => {
    const method = methods[name];
    const watching = (...args: unknown[]): unknown => {
      // a tool that has replaced this method meanwhile still calls it
      if (isOver) return Reflect.apply(method as () => unknown, response, args);
      const { isSending } = state;
      isAsked ||= !isSending;
      state.isSending = true;
      try {
        return Reflect.apply(method as () => unknown, response, args);
      } catch (error) {
        state.isSending = isSending;
        throw error;
      }
    };
    methods[name] = watching;
    return { name, method, watching };
  });
  return () => {
    isOver = true;
    for (const { name, method, watching } of watched)
      if (methods[name] === watching) methods[name] = method;
    const isHeld = isAsked && state.isSending && !response.headersSent;
    if (isHeld && !isAbandoned(response)) void waitForTool(state);
  };
};
