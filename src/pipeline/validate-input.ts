import { InputValidationError } from "../errors.ts";
import { BareObject } from "../http/bare-object.ts";
import { formatIssues, toZodError } from "../schemas/issues.ts";
import type { Parser, ParseResult } from "../schemas/parser.ts";

/**
 * Parses input by a schema; a promise only where the schema is asynchronous.
 *
 * @throws {@link InputValidationError} when the input does not fit.
 */
export const validateInput = (parse: Parser, input: unknown): unknown => {
  const result = parse(input);
  return result instanceof Promise ? result.then(toValue) : toValue(result);
};

const toValue = ({ issues, value }: ParseResult): unknown => {
  if (issues.length === 0) return value;
  const cause = toZodError(issues);
  throw new InputValidationError(formatIssues(cause.issues), cause);
};

/** Copies an input without some of its keys. */
export const omitKeys = (
  input: Readonly<Record<string, unknown>>,
  keys: readonly string[],
): Record<string, unknown> => {
  const rest = Object.assign(new BareObject(), input);
  for (const key of keys) delete rest[key];
  return rest;
};
