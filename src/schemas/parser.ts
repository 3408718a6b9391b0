import { z } from "zod";
import type { ZodSchema } from "./schema.ts";
import { someSchema } from "./some-schema.ts";
import { runsUserCode } from "./user-code.ts";
import { readValues } from "./zod-internals.ts";

/** The result of a parser: the parsed value and the raw issues. There are no issues if the value fits. */
export interface ParseResult {
  readonly value: unknown;
  readonly issues: readonly z.core.$ZodRawIssue[];
}

/** A function that parses a value; it returns a promise only if the schema has asynchronous parts. */
export type Parser = (value: unknown) => ParseResult | Promise<ParseResult>;

/**
 * The number of parses after which a schema counts as hot and is compiled. Compiling costs 0.24 ms and 11 kB per
 * schema; an endpoint that is hardly ever called is spared that cost.
 */
export const compileAfter = 8;

const parsers = new WeakMap<ZodSchema, Parser>();

/** Returns the parser of a schema, always the same one for the same schema. */
export const toParser = (schema: ZodSchema): Parser => {
  const known = parsers.get(schema);
  if (known) return known;
  const parser = runsUserCode(schema) ? createCarefulParser(schema) : createFastParser(schema);
  parsers.set(schema, parser);
  schemas.set(parser, schema);
  return parser;
};

const schemas = new WeakMap<Parser, ZodSchema>();

/** Returns a parser that takes the place of another one for the same schema. */
export const wrapParser = (parse: Parser, wrapped: Parser): Parser => {
  const schema = schemas.get(parse);
  if (schema) schemas.set(wrapped, schema);
  return wrapped;
};

/** Checks whether the schema of a parser declares a key, which means that the client has not invented the key. */
export const declaresKey = (parse: Parser, key: string): boolean => {
  const schema = schemas.get(parse);
  return schema !== undefined && someSchema(schema, (inner) => hasKey(inner, key));
};

const hasKey = (schema: ZodSchema, key: string): boolean => {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === "record") return readValues(def.keyType)?.has(key) === true;
  return def.type === "object" && Object.hasOwn(def.shape, key);
};

/**
 * Creates a parser for a schema with refinements or transformations of the application.
 *
 * Zod's asynchronous mode returns synchronously if nothing is asynchronous, so the parser need not know in advance
 * whether a schema is asynchronous. Each function runs exactly once, whether or not the value fits. A compiled schema
 * would run it again on invalid input, and synchronous parsing would drop a promise that the function returns, along
 * with its rejection.
 */
const createCarefulParser =
  (schema: ZodSchema): Parser =>
  (value) =>
    schema._zod.run({ value, issues: [] }, { async: true });

/**
 * Creates a synchronous parser for a schema that consists of Zod's own parts. The schema is compiled when it becomes
 * hot; a value that the compiled schema rejects is parsed again by Zod, which reports the issues.
 */
const createFastParser = (schema: ZodSchema): Parser => {
  const isExact = !someSchema(schema, hasIntersectionField);
  let parses = 0;
  let hot: ZodSchema | undefined;
  return (value) => {
    if (hot) return hot._zod.run({ value, issues: [] }, { async: false });
    if (isExact && ++parses >= compileAfter) hot = z.compile(schema);
    return schema._zod.run({ value, issues: [] }, { async: false, jitless: true });
  };
};

/**
 * Checks whether a schema has a field that is an intersection. If both sides of the intersection are optional, a
 * compiled schema accepts a missing field, which Zod otherwise rejects.
 */
const hasIntersectionField = (schema: ZodSchema): boolean => {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  return (
    def.type === "object" &&
    Object.values(def.shape).some((field) => field._zod.def.type === "intersection")
  );
};
