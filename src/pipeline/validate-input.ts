import type { z } from "zod";
import { InputValidationError } from "../errors.ts";
import { BareObject } from "../http/bare-object.ts";
import { formatIssues } from "../schemas/issues.ts";
import type { Parser } from "../schemas/parser.ts";
import { validate } from "./validate.ts";

/**
 * Parses input by a schema; a promise only where the schema is asynchronous.
 *
 * @throws {@link InputValidationError} when the input does not fit.
 */
export const validateInput = (parse: Parser, input: unknown): unknown =>
  validate(parse, input, toError);

const toError = (cause: z.ZodError): Error =>
  new InputValidationError(formatIssues(cause.issues), cause);

/** Copies an input without some of its keys. */
export const omitKeys = (
  input: Readonly<Record<string, unknown>>,
  keys: readonly string[],
): Record<string, unknown> => {
  const rest = Object.assign(new BareObject(), input);
  for (const key of keys) delete rest[key];
  return rest;
};
