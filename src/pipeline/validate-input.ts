import { InputValidationError, RequestError } from "../errors.ts";
import { BareObject } from "../http/bare-object.ts";
import { formatIssues, toZodError } from "../schemas/issues.ts";
import { declaresKey } from "../schemas/parser.ts";
import type { Parser, ParseResult } from "../schemas/parse-result.ts";
import { validate } from "./validate.ts";

/**
 * Parses input with a schema; returns a promise only if the schema is asynchronous.
 *
 * @throws {@link InputValidationError} when the input does not fit, {@link RequestError} when it has too many issues.
 */
export const validateInput = (parse: Parser, input: unknown): unknown => {
  try {
    const value = validate(parse, input, toError);
    return value instanceof Promise ? value.catch(refuseTooMany) : value;
  } catch (error) {
    return refuseTooMany(error);
  }
};

/** Zod passes arrays of issues as arguments; hundreds of thousands of them exhaust the stack. */
const refuseTooMany = (error: unknown): never => {
  if (error instanceof RangeError && error.message.includes("call stack"))
    throw new RequestError("SLP_INPUT_TOO_MANY_ISSUES", { cause: error });
  throw error;
};

const toError = (issues: ParseResult["issues"], parse: Parser): Error => {
  const cause = toZodError(issues, (key) => declaresKey(parse, key));
  return new InputValidationError(formatIssues(cause.issues), cause);
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
