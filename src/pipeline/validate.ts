import type { Parser, ParseResult } from "../schemas/parse-result.ts";

/** Converts issues to an error. */
type ToError = (issues: ParseResult["issues"], parse: Parser) => Error;

/** Parses a value with a schema, or throws the error made of the issues; returns a promise only if the schema is asynchronous. */
export const validate = (parse: Parser, value: unknown, toError: ToError): unknown => {
  const result = parse(value);
  return result instanceof Promise
    ? result.then((late) => toValue(late, parse, toError))
    : toValue(result, parse, toError);
};

const toValue = ({ issues, value }: ParseResult, parse: Parser, toError: ToError): unknown => {
  if (issues.length > 0) throw toError(issues, parse);
  return value;
};
