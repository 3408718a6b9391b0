import { replaceMethods, type ReplyMethod } from "../../wire/exchange/replace-methods.ts";
import type { RequestState } from "./request-state.ts";
import { senders, waitForTool } from "./answer.ts";

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
  let isAsked = false;
  let isOver = false;
  const watch = (original: ReplyMethod): ReplyMethod =>
    function (...args) {
      // a tool that has replaced this method meanwhile still calls it
      if (isOver) return Reflect.apply(original, response, args);
      const { isSending } = state;
      isAsked ||= !isSending;
      state.setSending(true);
      try {
        return Reflect.apply(original, response, args);
      } catch (error) {
        state.setSending(isSending);
        throw error;
      }
    };
  const undo = replaceMethods(response, Object.fromEntries(own.map((name) => [name, watch])));
  return () => {
    isOver = true;
    undo();
    const isHeld = isAsked && state.isSending && state.sentStatus === undefined;
    if (isHeld && !state.hasLeft) void waitForTool(state);
  };
};
