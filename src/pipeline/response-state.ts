import type { Readable } from "node:stream";
import type { Response } from "express";
import { hasLeft, isFed, isPiped } from "../http/node-internals.ts";

/** Marks a response that is being sent although no byte has left yet, as with `response.sendFile`. */
export const sendingMark: unique symbol = Symbol.for("sallyport/sending");

/** Checks whether someone is already sending the response: it has begun, or a stream or a file feeds it. */
export const isTaken = (response: Response): boolean =>
  response.headersSent ||
  response.writableEnded ||
  (response as { [sendingMark]?: boolean })[sendingMark] === true ||
  isFed(response);

/** Checks whether no byte has left and nobody is about to send one. */
export const isIdle = (response: Response): boolean => {
  const isSending = (response as { [sendingMark]?: boolean })[sendingMark] === true;
  return !hasLeft(response) && !response.writableEnded && !isSending && !isFed(response);
};

/**
 * Watches a response that a stream feeds, and closes the stream when the client leaves, which `pipe` does not do. A
 * response to HEAD needs no body, so the stream is stopped and the head is sent at once.
 */
export const watchFeeding = (response: Response): void => {
  if (!isPiped(response)) return;
  if (response.req.method === "HEAD" && !response.writableEnded) {
    response.once("unpipe", (source: Readable) => source.destroy());
    response.end();
    return;
  }
  response.on("unpipe", (source: Readable) => {
    // a handler may unpipe the stream to pipe another one
    if (response.destroyed && !response.writableEnded) source.destroy();
  });
};

/** Makes a response free again after a file could not be sent, unless the response has begun. */
export const forgetSending = (response: Response): void => {
  (response as { [sendingMark]?: boolean })[sendingMark] = false;
};

/** Checks whether the client no longer waits for the response. */
export const isAbandoned = (response: Response): boolean =>
  response.destroyed ||
  response.closed ||
  response.req.socket.destroyed ||
  (response.req.destroyed && !response.req.complete);
