import type { ZodSchema } from "./schema.ts";

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
  readonly getter?: () => ZodSchema;
  readonly checks?: readonly { readonly _zod: { readonly def: { readonly check: string } } }[];
  readonly transform?: unknown;
  readonly reverseTransform?: unknown;
}

/** Tells whether to parse by a schema runs functions of the application, which may be asynchronous or count their calls. */
export const runsUserCode = (schema: ZodSchema, seen = new Set<unknown>()): boolean => {
  if (seen.has(schema)) return false;
  seen.add(schema);
  const def = schema._zod.def as Definition;
  if (!ownKinds.has(def.type)) return true;
  if (def.checks?.some((check) => check._zod.def.check === "custom")) return true;
  if (def.transform !== undefined && !pureFunctions.has(def.transform)) return true;
  if (def.getter) return runsUserCode(def.getter(), seen);
  return listSchemas(Object.values(def)).some((inner) => runsUserCode(inner, seen));
};

/** The schemas in a definition, also those in its lists and shapes. */
const listSchemas = (values: readonly unknown[]): ZodSchema[] =>
  values.flatMap((value) => {
    if (typeof value !== "object" || value === null) return [];
    if ("_zod" in value) return isCheckOnly(value) ? [] : [value as ZodSchema];
    const prototype: unknown = Object.getPrototypeOf(value);
    const isContainer =
      Array.isArray(value) || prototype === Object.prototype || prototype === null;
    return isContainer ? listSchemas(Object.values(value)) : [];
  });

/** A check has no type. */
const isCheckOnly = (value: { _zod?: unknown }): boolean =>
  (value as ZodSchema)._zod.def.type === undefined;
