import type { Readable } from "node:stream";
import type { Response } from "express";

/** Marks a response whose sending has begun although no byte left so far, as with `response.sendFile`. */
export const sendingMark: unique symbol = Symbol.for("sallyport/sending");

/** Tells whether someone sends the response already: it has begun, or a stream or a file will feed it. */
export const isTaken = (response: Response): boolean =>
  response.headersSent ||
  response.writableEnded ||
  (response as { [sendingMark]?: boolean })[sendingMark] === true ||
  isFed(response);

/** Tells whether a stream feeds the response: `pipe` adds the first of these listeners, `pipeline` of an iterable the second. */
const isFed = (response: Response): boolean =>
  response.listenerCount("unpipe") > 0 || response.listenerCount("drain") > 0;

/** Tells whether not a byte has left, and nothing says that one will. */
export const isIdle = (response: Response): boolean => {
  const { _headerSent: hasLeft } = response as { readonly _headerSent?: boolean };
  const isSending = (response as { [sendingMark]?: boolean })[sendingMark] === true;
  return hasLeft !== true && !response.writableEnded && !isSending && !isFed(response);
};

/** The answer to HEAD needs no body, so a stream that would feed it is stopped and the head is sent at once. */
export const endHead = (response: Response): void => {
  if (response.req.method !== "HEAD" || response.writableEnded) return;
  response.once("unpipe", (source: Readable) => source.destroy());
  if (response.listenerCount("unpipe") > 1) response.end();
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
