import { z } from "zod";
import type { ZodSchema } from "./schema.ts";
import { someSchema } from "./some-schema.ts";
import { runsUserCode } from "./user-code.ts";
import { readValues } from "./zod-internals.ts";

/** The parsed value and the raw issues; there are none if the value fits. */
export interface ParseResult {
  readonly value: unknown;
  readonly issues: readonly z.core.$ZodRawIssue[];
}

/** A function that parses a value; it returns a promise only if the schema has asynchronous parts. */
export interface Parser {
  (value: unknown): ParseResult | Promise<ParseResult>;
  readonly schema?: ZodSchema | undefined;
}

/** The number of parses after which a schema is compiled, which costs 0.24 ms and 11 kB. */
export const compileAfter = 8;

const parsers = new WeakMap<ZodSchema, Parser>();

/** Returns the parser of a schema, always the same one for the same schema. */
export const toParser = (schema: ZodSchema): Parser => {
  const known = parsers.get(schema);
  if (known) return known;
  const parse = runsUserCode(schema) ? createCarefulParser(schema) : createFastParser(schema);
  const parser = Object.assign(parse, { schema });
  parsers.set(schema, parser);
  return parser;
};

/** Returns a parser that takes the place of another one for the same schema. */
export const wrapParser = ({ schema }: Parser, wrapped: Parser): Parser =>
  Object.assign(wrapped, { schema });

/** Checks whether the schema of a parser declares a key, which means that the client has not invented the key. */
export const declaresKey = ({ schema }: Parser, key: string): boolean =>
  schema !== undefined && someSchema(schema, (inner) => hasKey(inner, key));

const hasKey = (schema: ZodSchema, key: string): boolean => {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === "record") return readValues(def.keyType)?.has(key) === true;
  return def.type === "object" && Object.hasOwn(def.shape, key);
};

/**
 * Creates a parser for a schema that runs functions of the application, each exactly once: a compiled schema would run
 * them again on invalid input. Zod's asynchronous mode returns synchronously if nothing is asynchronous.
 */
const createCarefulParser =
  (schema: ZodSchema): Parser =>
  (value) =>
    schema._zod.run({ value, issues: [] }, { async: true });

/** Creates a synchronous parser for a schema of Zod's own parts, which is compiled when it becomes hot. */
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

/** Checks for a field that is an intersection: compiled, it may be missing if both sides are optional. */
const hasIntersectionField = (schema: ZodSchema): boolean => {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  return (
    def.type === "object" &&
    Object.values(def.shape).some((field) => field._zod.def.type === "intersection")
  );
};
