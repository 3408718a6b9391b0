import type { z } from "zod";
import { toZodError } from "../schemas/issues.ts";
import type { Parser, ParseResult } from "../schemas/parse-result.ts";

/** Parses a value by a schema, or throws what the issues are made into; a promise only where the schema is asynchronous. */
export const validate = (
  parse: Parser,
  value: unknown,
  toError: (cause: z.ZodError) => Error,
): unknown => {
  const result = parse(value);
  return result instanceof Promise
    ? result.then((late) => toValue(late, toError))
    : toValue(result, toError);
};

const toValue = (
  { issues, value }: ParseResult,
  toError: (cause: z.ZodError) => Error,
): unknown => {
  if (issues.length > 0) throw toError(toZodError(issues));
  return value;
};
