import type { Json } from "../json.ts";

/** The type names of JSON Schema, without `null`, which {@link Schema.nullable} states. */
export type TypeName = "array" | "boolean" | "integer" | "number" | "object" | "string";

/**
 * A schema in normal form: without references, `null` apart from types and values, `allOf` merged as far as possible,
 * and both kinds of unions as `anyOf`. Recursive schemas are cyclic objects.
 */
export interface Schema {
  /** Accepts nothing, as `false` does in JSON Schema. */
  never?: true;
  /** Absent if any type is accepted. */
  types?: readonly TypeName[];
  /** Whether the document does not state the types, but has keywords that only they have. */
  implied?: true;
  nullable?: true;
  /** The accepted values other than `null`. */
  enum?: readonly Json[];
  /** The known values of a list that may grow, which `x-extensible-enum` states. */
  extensible?: readonly string[];
  format?: string;
  patterns?: readonly string[];
  minimum?: number;
  maximum?: number;
  /** Whether the minimum itself is refused. */
  openMinimum?: true;
  openMaximum?: true;
  multipleOf?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: true;
  minProperties?: number;
  maxProperties?: number;
  minContains?: number;
  maxContains?: number;
  contentEncoding?: string;
  contentMediaType?: string;
  required?: readonly string[];
  dependentRequired?: Readonly<Record<string, readonly string[]>>;
  default?: Json;
  /** Values that the document shows; they say nothing about what is accepted. */
  examples?: readonly Json[];
  readOnly?: true;
  writeOnly?: true;
  deprecated?: true;
  /** The day after which what is deprecated may be removed, as in `2026-12-31`. */
  sunset?: string;
  /** What `x-stability-level` says, unless it is `stable`. */
  stability?: string;
  /** The property that tells the variants of a union apart. */
  discriminator?: string;
  /** Whether exactly one of the variants must match. */
  exclusive?: true;

  properties?: Readonly<Record<string, Schema>>;
  patternProperties?: Readonly<Record<string, Schema>>;
  dependentSchemas?: Readonly<Record<string, Schema>>;
  /** The variants by the value of the discriminator. */
  mapping?: Readonly<Record<string, Schema>>;
  additionalProperties?: Schema;
  unevaluatedProperties?: Schema;
  propertyNames?: Schema;
  items?: Schema;
  unevaluatedItems?: Schema;
  contains?: Schema;
  contentSchema?: Schema;
  not?: Schema;
  if?: Schema;
  then?: Schema;
  else?: Schema;
  prefixItems?: readonly Schema[];
  /** The variants of a union. */
  anyOf?: readonly Schema[];
  /** What could not be merged. */
  allOf?: readonly Schema[];
}

export const mapKeys = [
  "properties",
  "patternProperties",
  "dependentSchemas",
  "mapping",
] as const satisfies readonly (keyof Schema)[];

export const childKeys = [
  "additionalProperties",
  "unevaluatedProperties",
  "propertyNames",
  "items",
  "unevaluatedItems",
  "contains",
  "contentSchema",
  "not",
  "if",
  "then",
  "else",
] as const satisfies readonly (keyof Schema)[];

export const listKeys = [
  "prefixItems",
  "anyOf",
  "allOf",
] as const satisfies readonly (keyof Schema)[];

/** Lists whose order means nothing. */
const unorderedLists: ReadonlySet<string> = new Set(["anyOf", "allOf"]);

/** Lists the schemas within a schema. */
export const listChildren = (schema: Schema): readonly Schema[] => [
  ...mapKeys.flatMap((key) => Object.values(schema[key] ?? {})),
  ...childKeys.flatMap((key) => schema[key] ?? []),
  ...listKeys.flatMap((key) => schema[key] ?? []),
];

/** Returns a plain copy with sorted keys and without examples, whose inner schemas are replaced. */
export const replaceChildren = (
  schema: Schema,
  replace: (child: Schema) => Json,
): Readonly<Record<string, Json>> => {
  const { examples: _, ...own } = schema;
  const entries: [string, Json][] = Object.entries(own).map(([key, value]) => {
    if (includes(childKeys, key)) return [key, replace(value as Schema)];
    if (includes(listKeys, key)) {
      const list = (value as readonly Schema[]).map(replace);
      return [key, unorderedLists.has(key) ? sortJson(list) : list];
    }
    if (includes(mapKeys, key))
      return [
        key,
        Object.fromEntries(
          sortEntries(Object.entries(value as Record<string, Schema>)).map(([name, child]) => [
            name,
            replace(child),
          ]),
        ),
      ];
    return [key, value as Json];
  });
  return Object.fromEntries(sortEntries(entries));
};

const includes = (keys: readonly string[], key: string): boolean => keys.includes(key);

export const sortEntries = <Value>(
  entries: readonly (readonly [string, Value])[],
): readonly (readonly [string, Value])[] =>
  entries.toSorted(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0));

/** Sorts values by their JSON text. */
export const sortJson = <Value extends Json>(values: readonly Value[]): readonly Value[] =>
  values
    .map((value) => ({ value, text: JSON.stringify(value) }))
    .toSorted((one, other) => (one.text < other.text ? -1 : one.text > other.text ? 1 : 0))
    .map(({ value }) => value);
