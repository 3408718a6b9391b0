import { isObject, readOwn, toStableText, type Json } from "../json.ts";
import { hasFormat } from "./formats.ts";
import { matches, toCharacters } from "./patterns.ts";
import type { Schema, TypeName } from "./schema.ts";
import { isOfType } from "./settle.ts";

/** What is wrong with a value, and where. */
export interface Problem {
  /** The way to the value, such as `/items/0/name`; empty for the whole. */
  readonly path: string;
  /** What the value must do, such as `must have at most 5 characters`. */
  readonly message: string;
}

/** Checks whether a schema accepts a value. */
export const accepts = (schema: Schema, value: unknown): boolean =>
  explain(schema, value) === undefined;

/** Returns the first thing that is wrong with a value; undefined if the schema accepts it. */
export const explain = (schema: Schema, value: unknown, path = ""): Problem | undefined => {
  const message = findProblem(schema, value);
  if (message !== undefined) return { path, message };
  return explainParts(schema, value, path) ?? explainInner(schema, value, path);
};

/** Checks the keywords that are about the value as a whole. */
const findProblem = (schema: Schema, value: unknown): string | undefined => {
  const { never, types, nullable, enum: values, anyOf } = schema;
  if (never) return "must not be there";
  if (value === undefined) return "must be there";
  if (value === null) {
    const takers = anyOf?.filter((one) => accepts(one, null)).length;
    const isTaken = takers === undefined || (schema.exclusive ? takers === 1 : takers > 0);
    return !nullable && (types !== undefined || values !== undefined || !isTaken)
      ? `must be ${types?.join(" or ") ?? "another value"}, not null`
      : undefined;
  }
  if (types && !types.some((type) => isOfType(value, type)))
    return `must be ${types.join(" or ") || "null"}`;
  if (values && !values.some((one) => isEqual(one, value)))
    return `must be ${values.length === 1 ? "" : "one of "}${values
      .map((one) => JSON.stringify(one))
      .join(", ")}`;
  if (schema.format !== undefined && !hasFormat(schema.format, value))
    return `must be of the format ${schema.format}`;
  if (typeof value === "string") return findTextProblem(schema, value);
  if (typeof value === "number") return findNumberProblem(schema, value);
  if (Array.isArray(value)) return findListProblem(schema, value);
  return isObject(value) ? findObjectProblem(schema, value) : undefined;
};

const isEqual = (one: Json, value: unknown): boolean =>
  one === value ||
  (typeof one === "object" && one !== null && toStableText(one) === toStableText(value as Json));

const findTextProblem = (schema: Schema, text: string): string | undefined => {
  const { minLength = 0, maxLength = Infinity, patterns = [], contentEncoding } = schema;
  const isLimited = minLength > 0 || maxLength < Infinity;
  const length = isLimited ? toCharacters(text).length : 0;
  if (length < minLength) return `must have at least ${minLength} characters`;
  if (length > maxLength) return `must have at most ${maxLength} characters`;
  if (contentEncoding === "base64" && !/^[\w+/-]*={0,2}$/.test(text.replaceAll(/\s/g, "")))
    return "must be base64";
  const pattern = patterns.find((one) => !matches(one, text));
  return pattern === undefined ? undefined : `must match ${pattern}`;
};

const findNumberProblem = (schema: Schema, value: number): string | undefined => {
  const { minimum = -Infinity, maximum = Infinity, openMinimum, openMaximum, multipleOf } = schema;
  if (value < minimum || (openMinimum && value === minimum))
    return `must be ${openMinimum ? "above" : "at least"} ${minimum}`;
  if (value > maximum || (openMaximum && value === maximum))
    return `must be ${openMaximum ? "below" : "at most"} ${maximum}`;
  return multipleOf === undefined || isMultiple(value, multipleOf)
    ? undefined
    : `must be a multiple of ${multipleOf}`;
};

/** Fractions such as 0.1 are not exact. */
export const isMultiple = (value: number, step: number): boolean => {
  if (Number.isInteger(value) && Number.isInteger(step)) return value % step === 0;
  const count = value / step;
  return Math.abs(count - Math.round(count)) <= Math.abs(count) * Number.EPSILON * 4;
};

const findListProblem = (schema: Schema, items: readonly unknown[]): string | undefined => {
  const { minItems = 0, maxItems = Infinity, uniqueItems, contains } = schema;
  if (items.length < minItems) return `must have at least ${minItems} items`;
  if (items.length > maxItems) return `must have at most ${maxItems} items`;
  if (uniqueItems && new Set(items.map((one) => toStableText(one as Json))).size < items.length)
    return "must not have an item twice";
  if (!contains) return undefined;
  const { minContains = 1, maxContains = Infinity } = schema;
  const count = items.filter((one) => accepts(contains, one)).length;
  return count < minContains || count > maxContains
    ? `must have ${
        count < minContains ? `at least ${minContains}` : `at most ${maxContains}`
      } matching items`
    : undefined;
};

const findObjectProblem = (
  schema: Schema,
  value: Readonly<Record<string, unknown>>,
): string | undefined => {
  const { required = [], minProperties = 0, maxProperties = Infinity } = schema;
  const names = Object.keys(value).filter((name) => value[name] !== undefined);
  const missing = required.find((name) => !names.includes(name));
  if (missing !== undefined) return `must have the property ${missing}`;
  if (names.length < minProperties) return `must have at least ${minProperties} properties`;
  if (names.length > maxProperties) return `must have at most ${maxProperties} properties`;
  for (const [name, needed] of Object.entries(schema.dependentRequired ?? {}))
    if (names.includes(name) && needed.some((one) => !names.includes(one)))
      return `must have the properties ${needed.join(", ")} beside ${name}`;
  const { propertyNames } = schema;
  const wrong = propertyNames && names.find((name) => !accepts(propertyNames, name));
  return wrong === undefined ? undefined : `must not have the property ${wrong}`;
};

/** Checks the schemas that the same value must match. */
const explainParts = (schema: Schema, value: unknown, path: string): Problem | undefined => {
  for (const part of schema.allOf ?? []) {
    const problem = explain(part, value, path);
    if (problem) return problem;
  }
  const { anyOf, exclusive, not, dependentSchemas = {} } = schema;
  if (anyOf && value !== null) {
    const fitting = anyOf.filter((one) => accepts(one, value));
    if (fitting.length === 0) return explainVariants(anyOf, value, path);
    if (exclusive && fitting.length > 1)
      return { path, message: `must match exactly one variant, but matches ${fitting.length}` };
  }
  if (not && accepts(not, value)) return { path, message: "must not match the excluded schema" };
  if (schema.if) {
    const branch = accepts(schema.if, value) ? schema.then : schema.else;
    const problem = branch && explain(branch, value, path);
    if (problem) return problem;
  }
  if (isObject(value))
    for (const [name, part] of Object.entries(dependentSchemas)) {
      const problem = Object.hasOwn(value, name) ? explain(part, value, path) : undefined;
      if (problem) return problem;
    }
  return undefined;
};

/** The problem of a variant that comes furthest tells most. */
const explainVariants = (variants: readonly Schema[], value: unknown, path: string): Problem => {
  const inner = variants
    .map((one) => explain(one, value, path))
    .filter((one) => one !== undefined && one.path.length > path.length)
    .toSorted((one, other) => (other?.path.length ?? 0) - (one?.path.length ?? 0));
  return inner[0] ?? { path, message: "must match one of the variants" };
};

/** Checks what is within a value. */
const explainInner = (schema: Schema, value: unknown, path: string): Problem | undefined => {
  if (Array.isArray(value)) {
    const { prefixItems = [], items, unevaluatedItems } = schema;
    const known = unevaluatedItems && listEvaluatedItems(schema, value);
    for (const [at, item] of value.entries()) {
      const rest = known && known !== "all" && !known.has(at) ? unevaluatedItems : undefined;
      const own = prefixItems[at] ?? items ?? rest;
      const problem = own && explain(own, item, `${path}/${at}`);
      if (problem) return problem;
    }
    return undefined;
  }
  if (!isObject(value)) return undefined;
  const { unevaluatedProperties } = schema;
  const known = unevaluatedProperties && listEvaluated(schema, value);
  for (const [name, one] of Object.entries(value)) {
    if (one === undefined) continue;
    const inner = `${path}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    for (const own of listPropertySchemas(schema, name)) {
      const problem = explain(own, one, inner);
      if (problem) return problem;
    }
    const problem =
      known && known !== "all" && !known.has(name) && explain(unevaluatedProperties, one, inner);
    if (problem) return problem;
  }
  return undefined;
};

/** Lists the schemas that the value of a property must match. */
export const listPropertySchemas = (schema: Schema, name: string): readonly Schema[] => {
  const own = readOwn(schema.properties, name);
  const others = Object.entries(schema.patternProperties ?? {})
    .filter(([pattern]) => matches(pattern, name))
    .map(([, one]) => one);
  const found = [...(own ? [own] : []), ...others];
  return found.length === 0 && schema.additionalProperties ? [schema.additionalProperties] : found;
};

/** Lists the properties that a schema, and all that it consists of, have schemas for. */
const listEvaluated = (schema: Schema, value: object): ReadonlySet<string> | "all" => {
  if (schema.additionalProperties) return "all";
  const names = new Set(
    Object.keys(value).filter((name) => listPropertySchemas(schema, name).length > 0),
  );
  for (const part of listFitting(schema, value)) {
    const inner = part.unevaluatedProperties ? "all" : listEvaluated(part, value);
    if (inner === "all") return "all";
    for (const name of inner) names.add(name);
  }
  return names;
};

/** Lists the places of the items that a schema, and all that it consists of, have schemas for. */
const listEvaluatedItems = (
  schema: Schema,
  items: readonly unknown[],
): ReadonlySet<number> | "all" => {
  const { prefixItems = [], contains } = schema;
  if (schema.items) return "all";
  const places = new Set(
    [...items.keys()].filter(
      (at) => at < prefixItems.length || (contains && accepts(contains, items[at])),
    ),
  );
  for (const part of listFitting(schema, items)) {
    const inner = part.unevaluatedItems ? "all" : listEvaluatedItems(part, items);
    if (inner === "all") return "all";
    for (const at of inner) places.add(at);
  }
  return places;
};

/** Lists what a schema consists of, as far as it is about a value. */
const listFitting = (schema: Schema, value: object): readonly Schema[] => {
  const condition =
    schema.if && (accepts(schema.if, value) ? [schema.if, schema.then] : [schema.else]);
  return [
    ...(schema.allOf ?? []),
    ...(schema.anyOf ?? []).filter((one) => accepts(one, value)),
    ...(condition ?? []).filter((one) => one !== undefined),
    ...Object.entries(schema.dependentSchemas ?? {}).flatMap(([name, one]) =>
      Object.hasOwn(value, name) ? [one] : [],
    ),
  ];
};

/** The types that a schema accepts, as far as they are known; undefined for any. */
export const typesOf = ({ never, types, anyOf }: Schema): readonly TypeName[] | undefined => {
  if (never) return [];
  if (types) return types;
  const inner = anyOf?.map(typesOf);
  return inner?.every((one) => one !== undefined) ? [...new Set(inner.flat())] : undefined;
};
