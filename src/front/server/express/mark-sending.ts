import type { Response } from "express";
import { replaceMethods, type ReplyMethod } from "../../../wire/exchange/replace-methods.ts";
import { findExchange } from "../../../wire/exchange/exchange.ts";
import { readSafely } from "../../../wire/reply/http-error.ts";

type Callback = (error?: Error, ...rest: readonly unknown[]) => void;

const marked = new WeakSet<Response>();

/** Makes the asynchronous methods of a response prototype mark the response as being sent until they are done. */
export const markSending = (prototype: Response): void => {
  if (marked.has(prototype)) return;
  marked.add(prototype);
  // `download` calls `sendFile`
  replaceMethods(prototype, { sendFile: mark(onFile), render: mark(onPage) });
};

/** @param toCallback returns the callback that Express itself would use */
const mark =
  (toCallback: (response: Response) => Callback) =>
  (original: ReplyMethod): ReplyMethod =>
    function (what, ...rest) {
      const response = this as Response;
      const given = rest.find((one) => typeof one === "function") as Callback | undefined;
      const [options] = rest[0] === given ? [] : rest;
      const callback = given ?? toCallback(response);
      const done: Callback = (...outcome) => {
        note(response, false);
        callback(...outcome);
      };
      note(response, true);
      try {
        return Reflect.apply(original, response, [what, options, done]);
      } catch (error) {
        // a call that has thrown will not send anything
        if (!response.headersSent) note(response, false);
        throw error;
      }
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

const note = (response: Response, isSending: boolean): void =>
  findExchange(response)?.setSending(isSending);
