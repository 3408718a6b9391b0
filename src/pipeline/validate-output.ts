import { OutputValidationError } from "../errors.ts";
import { formatIssues, toZodError } from "../schemas/issues.ts";
import type { Parser, ParseResult } from "../schemas/parser.ts";

/**
 * Parses what a handler returned; a promise only where the schema is asynchronous.
 *
 * @throws {@link OutputValidationError} when it does not fit.
 */
export const validateOutput = (parse: Parser, returned: unknown): unknown => {
  const result = parse(returned);
  return result instanceof Promise ? result.then(toValue) : toValue(result);
};

const toValue = ({ issues, value }: ParseResult): unknown => {
  if (issues.length === 0) return value;
  const cause = toZodError(issues);
  throw new OutputValidationError(formatIssues(cause.issues, "output"), cause);
};
