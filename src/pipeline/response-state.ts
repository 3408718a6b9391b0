import type { Readable } from "node:stream";
import type { Response } from "express";
import { hasLeft, isFed } from "../http/node-internals.ts";

/** Marks a response whose sending has begun although no byte left so far, as with `response.sendFile`. */
export const sendingMark: unique symbol = Symbol.for("sallyport/sending");

/** Tells whether someone sends the response already: it has begun, or a stream or a file will feed it. */
export const isTaken = (response: Response): boolean =>
  response.headersSent ||
  response.writableEnded ||
  (response as { [sendingMark]?: boolean })[sendingMark] === true ||
  isFed(response);

/** Tells whether not a byte has left, and nothing says that one will. */
export const isIdle = (response: Response): boolean => {
  const isSending = (response as { [sendingMark]?: boolean })[sendingMark] === true;
  return !hasLeft(response) && !response.writableEnded && !isSending && !isFed(response);
};

/**
 * Watches a response that a stream feeds: the stream is closed when the client has left, which `pipe` alone does not do.
 *
 * The answer to HEAD needs no body, so there the stream is stopped, and the head is sent at once.
 */
export const watchFeeding = (response: Response): void => {
  if (response.listenerCount("unpipe") === 0) return;
  if (response.req.method === "HEAD" && !response.writableEnded) {
    response.once("unpipe", (source: Readable) => source.destroy());
    response.end();
    return;
  }
  response.on("unpipe", (source: Readable) => {
    // a handler may unpipe it to pipe another one
    if (response.destroyed && !response.writableEnded) source.destroy();
  });
};

/** Where a file could not be sent, the response is free again, unless it has begun. */
export const forgetSending = (response: Response): void => {
  (response as { [sendingMark]?: boolean })[sendingMark] = false;
};

/** Tells whether nobody waits for the response any more. */
export const isAbandoned = (response: Response): boolean =>
  response.destroyed ||
  response.closed ||
  response.req.socket.destroyed ||
  (response.req.destroyed && !response.req.complete);
