import type { EventEmitter } from "node:events";

/** The errors that streams have emitted. */
const errorsOf = new WeakMap<object, unknown[]>();

/** Listens for the errors of a Node.js stream, which would end the process if the stream is never read. */
export const holdErrors = (content: unknown): void => {
  const stream = Object(content) as Partial<EventEmitter>;
  if (typeof stream.on !== "function" || errorsOf.has(stream)) return;
  const errors: unknown[] = [];
  errorsOf.set(stream, errors);
  stream.on("error", (error: unknown) => errors.push(error));
};

/** Throws the error with which a stream has failed; streams of other packages do not report it to later readers. */
export const throwHeldError = (content: object): void => {
  for (const error of errorsOf.get(content) ?? []) throw error;
};
