import type { z } from "zod";
import type { ErrorAnswer } from "./begin-error.ts";

/** Writes the body of an error for an example; `isInBody` says whether its issues are about the body. */
export type WriteErrorBody = (answer: ErrorAnswer, isInBody: boolean) => unknown;

const writers = new WeakMap<object, WriteErrorBody>();

/** Returns the schema of an error's body, which now tells documents how such a body is written. */
export const writtenBy = <Schema extends z.ZodType>(
  write: WriteErrorBody,
  schema: Schema,
): Schema => {
  writers.set(schema, write);
  return schema;
};

/** Returns the function that writes the body of an error; undefined if no ready-made result handler writes it. */
export const findErrorWriter = (schema: object): WriteErrorBody | undefined => writers.get(schema);
