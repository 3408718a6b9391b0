import { OutputValidationError } from "../errors.ts";
import { formatIssues, toZodError } from "../schemas/issues.ts";
import type { Parser, ParseResult } from "../schemas/parse-result.ts";
import { validate } from "./validate.ts";

/**
 * Parses a handler's return value; returns a promise only if the schema is asynchronous.
 *
 * @throws {@link OutputValidationError} when it does not fit.
 */
export const validateOutput = (parse: Parser, returned: unknown): unknown =>
  validate(parse, returned, toError);

const toError = (issues: ParseResult["issues"]): Error => {
  const cause = toZodError(issues);
  return new OutputValidationError(formatIssues(cause.issues, "output"), cause);
};
