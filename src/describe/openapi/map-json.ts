import type { JsonObject } from "./options.ts";

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const isSame = (one: unknown, other: unknown): boolean =>
  one === other || JSON.stringify(one) === JSON.stringify(other);

/** The keywords whose values are data of the application, in which `$ref` means nothing. */
export const dataKeywords: ReadonlySet<string> = new Set([
  ...["const", "default", "enum", "example", "examples"],
]);

/** The keywords whose members have names that the application has chosen, such as `default`. */
export const maps: ReadonlySet<string> = new Set([
  ...["$defs", "callbacks", "headers", "patternProperties", "properties", "responses", "schemas"],
  ...["scopes", "variables", "webhooks", "x-webhooks"],
]);

/** Copies a value and converts each object in it, apart from data, with a function, innermost first. */
export const mapObjects = (
  value: unknown,
  change: (object: JsonObject) => unknown,
  isMap = false,
): unknown => {
  if (Array.isArray(value)) return value.map((one) => mapObjects(one, change));
  if (!isObject(value)) return value;
  // a loop, because most of what a document takes is done here
  const entries: [string, unknown][] = [];
  for (const key of Object.keys(value)) {
    const isData = !isMap && dataKeywords.has(key);
    const inner = value[key];
    entries.push([key, isData ? inner : mapObjects(inner, change, !isMap && maps.has(key))]);
  }
  return change(Object.fromEntries(entries));
};

/**
 * Copies a value with changed references, or with schemas in their place; where the function returns undefined, a
 * reference is left unchanged.
 */
export const mapReferences = (
  value: unknown,
  change: (reference: string) => JsonObject | string | undefined,
): unknown =>
  mapObjects(value, (object) => {
    const { $ref: reference, ...rest } = object;
    const { discriminator } = rest;
    const mapping = isObject(discriminator) ? discriminator["mapping"] : undefined;
    if (isObject(discriminator) && isObject(mapping))
      discriminator["mapping"] = mapValues(mapping, (to) => change(String(to)) ?? to);
    if (typeof reference !== "string") return object;
    const changed = change(reference) ?? reference;
    return typeof changed === "string" ? { ...object, $ref: changed } : { ...changed, ...rest };
  });

type Resolve = (json: JsonObject) => JsonObject;

/** Makes the schemas in each `allOf` accept other fields, because at run time they accept those of the others. */
export const openIntersections = (value: JsonObject, resolve: Resolve): JsonObject => {
  const copy = mapObjects(value, (object) => {
    const parts = listOf(object["allOf"]).filter(isObject);
    return parts.length > 1
      ? { ...object, allOf: parts.map((part) => openObject(part, resolve)) }
      : object;
  });
  return copy as JsonObject;
};

/** Returns a schema that accepts other fields, without references to others that do not; the same one if it does. */
const openObject = (json: JsonObject, resolve: Resolve, depth = 0): JsonObject => {
  if (depth > 20) return json;
  const own = { ...resolve(json) };
  let isClosed = own["additionalProperties"] === false || "propertyNames" in own;
  if (isClosed) {
    delete own["additionalProperties"];
    delete own["propertyNames"];
  }
  for (const keyword of ["allOf", "anyOf", "oneOf"]) {
    const parts = listOf(own[keyword]).filter(isObject);
    const opened = parts.map((part) => openObject(part, resolve, depth + 1));
    if (opened.every((part, at) => part === parts[at])) continue;
    own[keyword] = opened;
    // a discriminator would map to the closed schemas
    delete own["discriminator"];
    isClosed = true;
  }
  return isClosed ? own : json;
};

export const listReferences = (value: unknown): readonly string[] => {
  const { $ref: reference } = Object(value) as JsonObject;
  const inner = typeof value === "object" ? Object.values(value ?? {}).flatMap(listReferences) : [];
  return typeof reference === "string" ? [reference, ...inner] : inner;
};

export const mapValues = <Value>(
  object: Readonly<Record<string, Value>>,
  change: (value: Value, key: string) => unknown,
): JsonObject =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value, key)]));

export const compact = (object: Readonly<Record<string, unknown>>): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));

export const nonEmpty = <Value extends object>(value: Value): Value | undefined =>
  Object.keys(value).length > 0 ? value : undefined;

export const toSorted = (map: ReadonlyMap<string, unknown>): JsonObject =>
  Object.fromEntries([...map].toSorted(([one], [other]) => (one < other ? -1 : 1)));

/** Returns the value of a keyword such as `anyOf` if it is an array, otherwise an empty array. */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Joins schemas with `anyOf`, without duplicates; a single schema is returned unchanged. */
export const anyOf = (schemas: readonly JsonObject[]): JsonObject => {
  const distinct = distinctBy(schemas);
  const [first] = distinct;
  if (distinct.length < 2) return first ?? {};
  if (distinct.some((schema) => Object.keys(schema).length === 0)) return {};
  const values = distinct.flatMap((schema) => toValues(schema) ?? [undefined]);
  return values.includes(undefined) ? { anyOf: distinct } : toEnum(values);
};

/** Joins schemas with `allOf`, without duplicates and empty schemas. */
export const allOf = (schemas: readonly JsonObject[]): JsonObject => {
  const distinct = distinctBy(schemas).filter((schema) => Object.keys(schema).length > 0);
  const [first] = distinct;
  return distinct.length < 2 ? (first ?? {}) : { allOf: distinct };
};

export const distinctBy = <Value>(schemas: readonly Value[]): readonly Value[] =>
  schemas.length < 2
    ? schemas
    : [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()];

/** Returns the values of a schema that only lists values; undefined for other schemas. */
const toValues = (schema: JsonObject): readonly unknown[] | undefined => {
  const keys = Object.keys(schema).filter((key) => key !== "type");
  if (keys.length !== 1) return undefined;
  if (keys[0] === "const") return [schema["const"]];
  return keys[0] === "enum" ? listOf(schema["enum"]) : undefined;
};

/** Lists values in a form in which generators of clients do not lose null, which needs a type. */
export const toEnum = (values: readonly unknown[]): JsonObject => {
  const distinct = [...new Set(values)];
  const others = distinct.filter((value) => value !== null);
  const types = [...new Set(others.map((value) => typeof value))];
  const [type = "null"] = types;
  const hasNull = others.length < distinct.length;
  if (types.length < 2)
    return { type: hasNull && types.length > 0 ? [type, "null"] : type, enum: distinct };
  if (!hasNull) return { enum: distinct };
  const options = types.map((one) => toOption(others.filter((value) => typeof value === one)));
  return { anyOf: [...options, { type: "null" }] };
};

const toOption = (values: readonly unknown[]): JsonObject => {
  const [value] = values;
  return { type: typeof value, ...(values.length > 1 ? { enum: values } : { const: value }) };
};
