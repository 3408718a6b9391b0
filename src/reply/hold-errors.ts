import type { EventEmitter } from "node:events";

/** The errors that streams have emitted. */
const errorsOf = new WeakMap<object, unknown[]>();

/** Listens for the errors of a Node.js stream: without a listener, an error of a stream that is not read ends the process. */
export const holdErrors = (content: unknown): void => {
  if (!isEmitter(content) || errorsOf.has(content)) return;
  const errors: unknown[] = [];
  errorsOf.set(content, errors);
  content.on("error", (error: unknown) => errors.push(error));
};

/**
 * Throws the error with which a stream has failed before being read. Streams of other packages do not report such an
 * error to those who read them later.
 */
export const throwHeldError = (content: object): void => {
  for (const error of errorsOf.get(content) ?? []) throw error;
};

const isEmitter = (value: unknown): value is EventEmitter =>
  typeof value === "object" &&
  value !== null &&
  typeof (value as { readonly on?: unknown }).on === "function";
