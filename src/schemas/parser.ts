import type { z } from "zod";
import { boundIssues, runPlainly, type RunParse } from "./bounded-issues.ts";
import { keepDefaults, readDefaultsOnce, repeatDefaults } from "./defaults.ts";
import type { ZodSchema } from "./schema.ts";
import type { Parser } from "./parse-result.ts";
import { someSchema } from "./some-schema.ts";
import { runsUserCode } from "./user-code.ts";
import { compile, readValues } from "./zod-internals.ts";

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
  const parser = createParser(schema, runPlainly);
  parsers.set(schema, parser);
  return parser;
};

const inputParsers = new WeakMap<ZodSchema, Parser>();

/** Returns the parser of a schema for data sent by clients. The parser creates only as many issues as are reported. */
export const toInputParser = (schema: ZodSchema): Parser => {
  const known = inputParsers.get(schema);
  if (known) return known;
  const runBounded = boundIssues(schema);
  const parser = runBounded === runPlainly ? toParser(schema) : createParser(schema, runBounded);
  inputParsers.set(schema, parser);
  return parser;
};

const schemas = new WeakMap<Parser, ZodSchema>();

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

const createParser = (schema: ZodSchema, run: RunParse): Parser => {
  const parser = runsUserCode(schema)
    ? createCarefulParser(schema, run)
    : createFastParser(schema, run);
  schemas.set(parser, schema);
  return parser;
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
  (schema: ZodSchema, run: RunParse): Parser =>
  (value) =>
    run(schema, { value, issues: [] }, { async: true });

/**
 * Creates a synchronous parser for a schema that consists of Zod's own parts. The schema is compiled when it becomes
 * hot.
 */
const createFastParser = (schema: ZodSchema, run: RunParse): Parser => {
  const isExact = !someSchema(schema, hasIntersectionField);
  let parses = 0;
  let hot: Parser | undefined;
  return (value) => {
    if (hot) return hot(value);
    if (isExact && ++parses >= compileAfter) hot = createHotParser(schema, run);
    return run(schema, { value, issues: [] }, { async: false, jitless: true });
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

const createHotParser = (schema: ZodSchema, run: RunParse): Parser => {
  const compiled = compile(schema, (...args) => {
    repeatDefaults();
    return run(schema, ...args);
  });
  const parse: Parser =
    compiled === schema || runsParts(schema)
      ? (value) => run(compiled, { value, issues: [] }, { async: false })
      : (value) => compiled._zod.run({ value, issues: [] }, { async: false });
  return keepDefaults(schema) ? (value) => readDefaultsOnce(parse, value) : parse;
};

/** The kinds of schemas that Zod compiles inline; compiled code never calls the `run` methods of such parts. */
const inlineKinds: ReadonlySet<string> = new Set([
  ...["any", "array", "bigint", "boolean", "date", "default", "enum", "int", "literal", "never"],
  ...["null", "nullable", "number", "object", "optional", "pipe", "prefault", "readonly", "record"],
  ...["string", "transform", "tuple", "undefined", "union", "unknown"],
]);

const runsParts = (schema: ZodSchema): boolean =>
  someSchema(schema, ({ _zod: { def } }) => !inlineKinds.has(def.type));
