import type { ZodSchema } from "./schema.ts";
import { someSchema } from "./some-schema.ts";

/** Functions that have no effect and no memory, so that it does not matter how often they run. */
const pureFunctions: ReadonlySet<unknown> = new Set([
  BigInt,
  Boolean,
  Number,
  String,
  Number.parseFloat,
  decodeURIComponent,
]);

/** Kinds of schemas that are made of Zod's own code and of the schemas in their definition. */
const ownKinds: ReadonlySet<string> = new Set([
  "any",
  "array",
  "bigint",
  "boolean",
  "catch",
  "date",
  "default",
  "enum",
  "file",
  "int",
  "intersection",
  "lazy",
  "literal",
  "map",
  "nan",
  "never",
  "nonoptional",
  "null",
  "nullable",
  "number",
  "object",
  "optional",
  "pipe",
  "prefault",
  "readonly",
  "record",
  "set",
  "string",
  "success",
  "symbol",
  "template_literal",
  "transform",
  "tuple",
  "undefined",
  "union",
  "unknown",
  "void",
]);

interface Definition {
  readonly type: string;
  readonly fn?: unknown;
  readonly checks?: readonly { readonly _zod: { readonly def: { readonly check: string } } }[];
  readonly transform?: unknown;
}

/** Tells whether to parse by a schema runs functions of the application, which may be asynchronous or count their calls. */
export const runsUserCode = (schema: ZodSchema): boolean => someSchema(schema, hasOwnFunction);

const hasOwnFunction = (schema: ZodSchema): boolean => {
  const def = schema._zod.def as Definition;
  if (!ownKinds.has(def.type) || def.fn !== undefined) return true;
  if (def.checks?.some((check) => check._zod.def.check === "custom")) return true;
  return def.transform !== undefined && !pureFunctions.has(def.transform);
};
