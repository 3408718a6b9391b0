import { z } from "zod";
import type { ZodSchema } from "./schema.ts";
import { someSchema } from "./some-schema.ts";

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
