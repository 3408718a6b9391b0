import type { Response } from "express";
import { findReplyState } from "../../reply/response-state.ts";
import { readSafely } from "../../reply/http-error.ts";

type Callback = (error?: Error, ...rest: readonly unknown[]) => void;
type Method = (this: Response, ...args: unknown[]) => unknown;

const marked = new WeakSet<Response>();

/**
 * Makes the asynchronous sending methods of a response prototype mark the response as being sent until they are done.
 */
export const markSending = (prototype: Response): void => {
  if (marked.has(prototype)) return;
  marked.add(prototype);
  mark(prototype, "sendFile", onFile);
  // `download` sets headers and calls `sendFile`, which handles errors
  mark(prototype, "download");
  mark(prototype, "render", onPage);
};

/** @param toCallback returns the callback that Express itself would use */
const mark = (
  prototype: Response,
  name: "sendFile" | "download" | "render",
  toCallback?: (response: Response) => Callback,
): void => {
  const original = prototype[name] as Method;
  Object.defineProperty(prototype, name, {
    configurable: true,
    writable: true,
    value(this: Response, ...args: unknown[]): unknown {
      setSending(this, true);
      try {
        return original.apply(this, toCallback ? withCallback(this, args, toCallback) : args);
      } catch (error) {
        // a call that has thrown will not send anything
        if (!this.headersSent) setSending(this, false);
        throw error;
      }
    },
  });
};

/** Returns the arguments (what, options, callback) with a callback that first removes the mark. */
const withCallback = (
  response: Response,
  [what, ...rest]: readonly unknown[],
  toCallback: (response: Response) => Callback,
): unknown[] => {
  const given = rest.find((one) => typeof one === "function") as Callback | undefined;
  const [options] = rest[0] === given ? [] : rest;
  const callback = given ?? toCallback(response);
  const done: Callback = (...outcome) => {
    setSending(response, false);
    callback(...outcome);
  };
  return [what, options, done];
};

/** Does what Express does: a directory counts as missing, and it is not a fault if the client has left. */
const onFile = (response: Response): Callback => {
  const { next } = response.req;
  return (error) => {
    if (!error) return;
    const code = readSafely(error, "code");
    if (code === "EISDIR") next?.();
    else if (code !== "ECONNABORTED" && readSafely(error, "syscall") !== "write") next?.(error);
  };
};

const onPage =
  (response: Response): Callback =>
  (error, page) => {
    if (error) response.req.next?.(error);
    else response.send(page);
  };

const setSending = (response: Response, isSending: boolean): void => {
  const state = findReplyState(response);
  if (state) state.isSending = isSending;
};
