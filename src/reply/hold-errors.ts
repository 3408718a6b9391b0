import type { EventEmitter } from "node:events";

/** The first error that a stream has emitted, if any. */
interface Held {
  failure?: { readonly error: unknown };
}

const streams = new WeakMap<object, Held>();

/**
 * Listens for the errors of a Node.js stream from now on. Without a listener, an error of a stream that is not read
 * yet, or never, would end the process.
 */
export const holdErrors = (content: unknown): void => {
  if (!isEmitter(content) || streams.has(content)) return;
  const held: Held = {};
  streams.set(content, held);
  content.on("error", (error: unknown) => {
    held.failure ??= { error };
  });
};

/**
 * Throws the error with which a stream has failed before being read. Streams of other packages do not report such an
 * error to those who read them later.
 */
export const throwHeldError = (content: object): void => {
  const failure = streams.get(content)?.failure;
  if (failure) throw failure.error;
};

const isEmitter = (value: unknown): value is EventEmitter =>
  typeof value === "object" &&
  value !== null &&
  typeof (value as { readonly on?: unknown }).on === "function";
