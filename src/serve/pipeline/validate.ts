import { isError } from "../../basics/http/is-error.ts";
import { isPromiseLike } from "../../define/endpoint/handler-arguments.ts";
import { z } from "zod";
import { captureNoStack, RequestError } from "../../basics/errors.ts";
import { readFault } from "../../basics/schemas/bodies.ts";
import { BareObject } from "../../basics/http/query.ts";
import {
  formatIssues,
  InputValidationError,
  OutputValidationError,
  toZodError,
} from "../../basics/schemas/issues.ts";
import { declaresKey, type Parser, type ParseResult } from "../../basics/schemas/parser.ts";
import type { Request } from "express";

/**
 * Parses input with a schema; returns a promise only if the schema is asynchronous.
 *
 * @throws {@link InputValidationError} when the input does not fit the schema.
 */
export const validateInput = (parse: Parser, input: unknown): unknown => {
  try {
    const value = validate(parse, input, toInputError);
    return value instanceof Promise ? value.catch(refuseTooMany) : value;
  } catch (error) {
    return refuseTooMany(error);
  }
};

/** Zod passes issues as arguments, and hundreds of thousands of them overflow the stack. */
const refuseTooMany = (error: unknown): never => {
  if (isError(error) && error.name === "RangeError" && error.message.includes("call stack"))
    throw new RequestError("SLP_INPUT_TOO_MANY_ISSUES", { cause: error });
  throw error;
};

const toInputError: ToError = (issues, parse) => {
  const error = toZodError(issues, (key) => declaresKey(parse, key));
  for (const issue of error.issues) {
    const code = readFault(issue);
    const field = z.core.toDotPath(issue.path);
    if (code) return new RequestError(code, { field, expected: issue.message });
  }
  return createInputError(error);
};

/** Creates an error whose stack would tell nothing: it is about the request. */
const createInputError = (cause: z.ZodError): InputValidationError => {
  const restore = captureNoStack();
  try {
    return new InputValidationError(cause);
  } finally {
    restore();
  }
};

/** The header fields that a definition declares. */
export interface HeaderPlan {
  readonly names: readonly string[];
  readonly parse: Parser;
}

/** Parses the header fields that a definition declares; the paths of issues begin with `headers`. */
export const readHeaders = async (
  { names, parse }: HeaderPlan,
  { headers }: Request,
): Promise<object> =>
  (await validate(
    parse,
    pick(names, (name) => (Object.hasOwn(headers, name) ? headers[name] : undefined)),
    toHeaderError,
  )) as object;

const toHeaderError: ToError = (issues) => {
  const named = issues.map((issue) => ({ ...issue, path: ["headers", ...(issue.path ?? [])] }));
  return Object.assign(createInputError(toZodError(named)), { source: "headers" });
};

export const pick = (
  names: readonly string[],
  read: (name: string) => unknown,
): Record<string, unknown> => {
  const picked = new BareObject();
  for (const name of names) {
    const value = read(name);
    if (value !== undefined) picked[name] = value;
  }
  return picked;
};

export const toOutputError: ToError = (issues, _parse, returned) => {
  const cause = toZodError(issues);
  const hint = toHint(returned, cause.issues);
  return new OutputValidationError(formatIssues(cause.issues, "output"), cause, hint);
};

const toHint = (
  returned: unknown,
  issues: readonly { readonly path: readonly PropertyKey[] }[],
): string | undefined => {
  if (returned === undefined) return "The handler returned undefined. Is a `return` missing?";
  // each promise must be found, because nobody else waits for those that reject
  const promises = issues.filter(({ path }) => leadsToPromise(returned, path));
  return promises.length > 0 ? "The output contains a promise. Is an `await` missing?" : undefined;
};

const leadsToPromise = (value: unknown, path: readonly PropertyKey[]): boolean => {
  let inner = value;
  for (const key of path) {
    if (typeof inner !== "object" || inner === null || isPromiseLike(inner)) break;
    inner = Reflect.get(inner, key);
  }
  if (!isPromiseLike(inner)) return false;
  inner.then(undefined, () => undefined);
  return true;
};

type ToError = (issues: ParseResult["issues"], parse: Parser, given: unknown) => Error;

/** Parses a value, or throws; returns a promise only if the schema is asynchronous. */
export const validate = (parse: Parser, value: unknown, toError: ToError): unknown => {
  const result = parse(value);
  if (result instanceof Promise)
    return result.then((late) => {
      if (late.issues.length > 0) throw toError(late.issues, parse, value);
      return late.value;
    });
  if (result.issues.length > 0) throw toError(result.issues, parse, value);
  return result.value;
};
