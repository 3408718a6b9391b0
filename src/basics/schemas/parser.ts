import { z } from "zod";
import { ConfigError } from "../errors.ts";
import type { ZodSchema } from "./schema.ts";
import { someSchema } from "./some-schema.ts";
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

/** @throws ConfigError when the installed Zod 4 cannot compile schemas, which would fail once they are hot. */
export const assertZod = (
  { major, minor, patch }: Record<"major" | "minor" | "patch", number> = z.core.version,
): void => {
  if (major === 4 && minor < 5)
    throw new ConfigError(
      "SLP_CONFIG_PEER",
      `A server needs zod 4.5 or later, but zod ${major}.${minor}.${patch} is installed. Run: npm install zod@^4.5`,
    );
};

const parsers = new WeakMap<ZodSchema, Parser>();

/** Returns the parser of a schema, always the same one for the same schema. */
export const toParser = (schema: ZodSchema): Parser => {
  const known = parsers.get(schema);
  if (known) return known;
  // a compiled schema would run functions of the application again on invalid input; Zod's asynchronous mode runs each
  // exactly once, and returns synchronously if nothing is asynchronous
  const parse: Parser = runsUserCode(schema)
    ? (value) => schema._zod.run({ value, issues: [] }, { async: true })
    : createFastParser(schema);
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

/** Creates a synchronous parser for a schema of Zod's own parts, which is compiled when it becomes hot. */
const createFastParser = (schema: ZodSchema): Parser => {
  const isExact = !someSchema(schema, isCompiledInexactly);
  let parses = 0;
  let hot: ZodSchema | undefined;
  return (value) => {
    if (hot) return hot._zod.run({ value, issues: [] }, { async: false });
    if (isExact && ++parses >= compileAfter) hot = z.compile(schema);
    return schema._zod.run({ value, issues: [] }, { async: false, jitless: true });
  };
};

/**
 * Checks for a field that is an intersection, which may be missing in a compiled schema if both sides are optional, and
 * for a tuple with rest elements, which does not accept missing ones in a compiled union.
 */
const isCompiledInexactly = (schema: ZodSchema): boolean => {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === "tuple") return Boolean(def.rest);
  return (
    def.type === "object" &&
    Object.values(def.shape).some((field) => field._zod.def.type === "intersection")
  );
};

/** Functions without side effects or state, which may run any number of times. */
const pureFunctions: ReadonlySet<unknown> = new Set([
  BigInt,
  Boolean,
  Number,
  String,
  Number.parseFloat,
  decodeURIComponent,
]);

/** The kinds of schemas that consist only of Zod's own code and of the schemas in their definition. */
const ownKinds: ReadonlySet<string> = new Set([
  ...["any", "array", "bigint", "boolean", "date", "default", "enum", "file", "int"],
  ...["intersection", "lazy", "literal", "map", "nan", "never", "nonoptional", "null"],
  ...["nullable", "number", "object", "optional", "pipe", "prefault", "readonly", "record"],
  ...["set", "string", "success", "symbol", "template_literal", "transform", "tuple"],
  ...["undefined", "union", "unknown", "void"],
]);

/** The checks that only compare a value with their arguments and run no function. */
const ownChecks: ReadonlySet<string> = new Set([
  ...["bigint_format", "greater_than", "length_equals", "less_than", "max_length", "max_size"],
  ...["mime_type", "min_length", "min_size", "multiple_of", "number_format", "size_equals"],
  ...["string_format"],
]);

interface CheckDefinition {
  readonly check: string;
  readonly fn?: unknown;
  readonly tx?: unknown;
}

interface Definition {
  readonly type: string;
  readonly fn?: unknown;
  readonly checks?: readonly { readonly _zod: { readonly def: CheckDefinition } }[];
  readonly transform?: unknown;
}

/**
 * Checks whether parsing with a schema runs functions of the application, which may be asynchronous or count their
 * calls. Functions passed to `.default()` and `.prefault()` do not count, because Zod does not distinguish them from
 * constants; each `.catch()` counts for the same reason, and because a compiled one parses the value that it replaces
 * twice.
 */
export const runsUserCode = (schema: ZodSchema): boolean => someSchema(schema, hasOwnFunction);

const hasOwnFunction = (schema: ZodSchema): boolean => {
  const { type, fn, checks, transform }: Definition = schema._zod.def;
  if (!ownKinds.has(type) || fn !== undefined) return true;
  if (checks?.some(({ _zod }) => runsFunction(_zod.def))) return true;
  return transform !== undefined && !pureFunctions.has(transform);
};

const runsFunction = ({ check, fn, tx }: CheckDefinition): boolean =>
  check === "overwrite" ? !isOwnOverwrite(tx) : !ownChecks.has(check) || fn !== undefined;

let ownOverwrites: readonly string[] | undefined;

/** Checks whether a function is Zod's own, by its source, because Zod creates one for each `.trim()`. */
const isOwnOverwrite = (change: unknown): boolean => {
  ownOverwrites ??= [
    z.string().trim(),
    z.string().toLowerCase(),
    z.string().toUpperCase(),
    z.string().normalize(),
  ].flatMap(({ _zod }) =>
    ((_zod.def as Definition).checks ?? []).map((one) => String(one._zod.def.tx)),
  );
  return ownOverwrites.includes(String(change));
};
