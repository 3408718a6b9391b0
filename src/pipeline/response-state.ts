import type { Response } from "express";

/** Marks a response whose sending has begun although no byte left so far, as with `response.sendFile`. */
export const sendingMark: unique symbol = Symbol.for("sallyport/sending");

/** Tells whether someone sends the response already: it has begun, or a stream or a file will feed it. */
export const isTaken = (response: Response): boolean =>
  response.headersSent ||
  response.writableEnded ||
  (response as { [sendingMark]?: boolean })[sendingMark] === true ||
  // a stream that is piped into the response adds this listener
  response.listenerCount("unpipe") > 0;

/** Tells whether nobody waits for the response any more. */
export const isAbandoned = (response: Response): boolean =>
  response.destroyed || response.closed || (response.req.destroyed && !response.req.complete);
