import { toStableText, type Json } from "../json.ts";
import { sortJson, type Schema, type TypeName } from "./schema.ts";

/** The keywords that say something about values of one kind only. */
const keywordsOf = {
  number: ["minimum", "maximum", "openMinimum", "openMaximum", "multipleOf"],
  string: [
    "minLength",
    "maxLength",
    "patterns",
    "contentEncoding",
    "contentMediaType",
    "contentSchema",
  ],
  array: [
    "minItems",
    "maxItems",
    "uniqueItems",
    "items",
    "prefixItems",
    "contains",
    "minContains",
    "maxContains",
    "unevaluatedItems",
  ],
  object: [
    ...["properties", "required", "additionalProperties", "patternProperties", "propertyNames"],
    ...["minProperties", "maxProperties", "dependentRequired", "dependentSchemas"],
    "unevaluatedProperties",
  ],
} as const satisfies Readonly<Record<string, readonly (keyof Schema)[]>>;

const kinds = Object.keys(keywordsOf) as readonly (keyof typeof keywordsOf)[];

/** Formats of numbers; any other format is one of strings. */
const numericFormats: ReadonlySet<string> = new Set(["int32", "int64", "float", "double"]);

/** Writes a schema in the one way in which all schemas that accept the same are written, as far as that is easy. */
export const settle = (schema: Schema): Schema => {
  if (schema.never) return { never: true };
  return settleItems(dropIdle(settleNumbers(imply(settleValues(schema)))));
};

/** A list of values states the types, so values of other types are never accepted. */
const settleValues = (schema: Schema): Schema => {
  const { enum: given, implied: _, ...rest } = schema;
  if (!given) return schema;
  const types = schema.implied ? undefined : schema.types;
  const values = dedupe(
    given.filter((value) => !types || types.some((one) => isOfType(value, one))),
  );
  if (values.length === 0 && !schema.nullable) return { never: true };
  // the normal form of both boolean values is the type
  if (values.length === 2 && values.every((value) => typeof value === "boolean"))
    return { ...rest, types: ["boolean"] };
  return {
    ...rest,
    types: [...new Set(values.map(toType))].toSorted(),
    ...(values.length > 0 && { enum: sortJson(values) }),
  };
};

export const dedupe = (values: readonly Json[]): readonly Json[] => [
  ...new Map(values.map((value) => [toStableText(value), value])).values(),
];

export const isOfType = (value: unknown, type: TypeName): boolean => {
  if (type === "array") return Array.isArray(value);
  if (type === "integer") return Number.isInteger(value);
  if (type === "object")
    return typeof value === "object" && value !== null && !Array.isArray(value);
  return typeof value === type;
};

const toType = (value: Json): TypeName =>
  Array.isArray(value)
    ? "array"
    : Number.isInteger(value)
      ? "integer"
      : (typeof value as "boolean" | "number" | "object" | "string");

/**
 * Adds the types that keywords imply: a schema with `properties` is meant for objects, although JSON Schema lets it
 * accept all else, too.
 */
const imply = (schema: Schema): Schema => {
  if (schema.types && !schema.implied) return schema;
  const found = kinds.filter((kind) => keywordsOf[kind].some((key) => schema[key] !== undefined));
  if (schema.format !== undefined)
    found.push(numericFormats.has(schema.format) ? "number" : "string");
  const types = [...new Set<TypeName>(found)].toSorted();
  const { types: _types, implied: _implied, ...rest } = schema;
  // what stands beside a union may be about some of its variants only
  const isApart = schema.anyOf?.some((one) => one.types?.some((type) => !covers(types, type)));
  return types.length === 0 || isApart ? rest : { ...rest, types, implied: true };
};

/** Whether values of a type are of one of the types. */
export const covers = (types: readonly TypeName[], type: TypeName): boolean =>
  types.includes(type) || (type === "integer" && types.includes("number"));

/** Removes keywords of types that are not accepted. */
const dropIdle = (schema: Schema): Schema => {
  const { types } = schema;
  if (!types) return schema;
  const settled = { ...schema };
  for (const kind of kinds)
    if (!types.includes(kind) && !(kind === "number" && types.includes("integer")))
      for (const key of keywordsOf[kind]) delete settled[key];
  return settled;
};

/** Writes the limits of integers as integers that are allowed. */
const settleNumbers = (schema: Schema): Schema => {
  const { types = [], multipleOf } = schema;
  const isWhole = Number.isInteger(multipleOf);
  const own: Schema = { ...schema };
  if (isWhole && types.includes("number"))
    own.types = types.map((type) => (type === "number" ? "integer" : type)).toSorted();
  if (!own.types?.includes("integer")) return own;
  // an integer is a multiple of one, and of what divides one
  if (multipleOf !== undefined && multipleOf > 0 && Number.isInteger(1 / multipleOf))
    delete own.multipleOf;
  if (own.minimum !== undefined)
    own.minimum = own.openMinimum ? Math.floor(own.minimum) + 1 : Math.ceil(own.minimum);
  if (own.maximum !== undefined)
    own.maximum = own.openMaximum ? Math.ceil(own.maximum) - 1 : Math.floor(own.maximum);
  delete own.openMinimum;
  delete own.openMaximum;
  return own;
};

/** Further items that the maximum does not allow need no schema. */
const settleItems = (schema: Schema): Schema => {
  const { prefixItems, maxItems = Infinity } = schema;
  return prefixItems && maxItems <= prefixItems.length
    ? { ...schema, items: { never: true } }
    : schema;
};
