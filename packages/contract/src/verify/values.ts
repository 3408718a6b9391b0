import fc from "fast-check";
import { isObject, toText, type Json, type JsonObject } from "@sallyport/document";
import type { Schemas } from "./schemas.ts";

/** A value, with what it tries. */
export interface Sample {
  readonly label: string;
  readonly value: unknown;
}

const formats: Readonly<Record<string, string>> = {
  uuid: "0b6a3c1e-6a0f-4c52-9a53-2f5a4b6c7d8e",
  email: "ada@example.com",
  date: "2025-01-31",
  "date-time": "2025-01-31T12:00:00Z",
  time: "12:00:00",
  duration: "P1D",
  uri: "https://example.com/",
  url: "https://example.com/",
  hostname: "example.com",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
  cidrv4: "192.0.2.0/24",
  cidrv6: "2001:db8::/32",
  base64: "YQ==",
  base64url: "YQ",
  e164: "+15555550100",
  cuid2: "tz4a98xxat96iws9zmbrgj3a",
  ulid: "01ARZ3NDEKTSV4RRFFQ69G5FAV",
  nanoid: "V1StGXR8_Z5jdHi6B-myT",
  binary: "content",
};

export const typesOf = (schema: JsonObject): readonly string[] => {
  const { type, properties, items } = schema;
  if (type !== undefined) return [type].flat() as string[];
  return properties ? ["object"] : items ? ["array"] : [];
};

export const numberOf = (value: Json | undefined): number | undefined =>
  typeof value === "number" ? value : undefined;

/** Returns the limits of a number, as those that fit. */
export const toRange = (schema: JsonObject) => {
  const isInteger = typesOf(schema).includes("integer");
  const step = numberOf(schema["multipleOf"]) ?? (isInteger ? 1 : 0.5);
  const low = numberOf(schema["minimum"]);
  const high = numberOf(schema["maximum"]);
  const above = numberOf(schema["exclusiveMinimum"]);
  const below = numberOf(schema["exclusiveMaximum"]);
  const min = low ?? (above === undefined ? undefined : above + step);
  const max = high ?? (below === undefined ? undefined : below - step);
  return {
    step,
    min: min === undefined ? undefined : Math.ceil(min / step) * step,
    max: max === undefined ? undefined : Math.floor(max / step) * step,
  };
};

export const isListed = (limit: number | undefined): limit is number =>
  limit !== undefined && Math.abs(limit) < Number.MAX_SAFE_INTEGER;

/** Lists values of a schema, from the simplest: examples, limits, members and arms; empty if none is known. */
export const listValid = (schema: JsonObject, schemas: Schemas, depth = 0): readonly Sample[] => {
  const found = schemas.flatten(schema);
  const samples = [...listExamples(found), ...listOwn(found, schemas, depth)];
  return distinct(samples.filter(({ value }) => schemas.isValid(schema, value)));
};

/** Returns the simplest value of a schema; undefined if none is known. */
export const toSimplest = (schema: JsonObject, schemas: Schemas): Sample | undefined =>
  listValid(schema, schemas)[0];

const listExamples = ({ example, examples, default: preset }: JsonObject): readonly Sample[] =>
  [
    ...(example === undefined ? [] : [example]),
    ...(Array.isArray(examples) ? (examples as readonly Json[]) : []),
    ...(preset === undefined ? [] : [preset]),
  ].map((value) => ({ label: "an example", value }));

const listOwn = (schema: JsonObject, schemas: Schemas, depth: number): readonly Sample[] => {
  if (depth > 6) return [];
  if ("const" in schema) return [{ label: "the constant", value: schema["const"] }];
  if (Array.isArray(schema["enum"]))
    return (schema["enum"] as readonly Json[]).map((value) => ({
      label: `the member ${JSON.stringify(value)}`,
      value,
    }));
  const arms = schema["anyOf"] ?? schema["oneOf"];
  if (Array.isArray(arms)) {
    const { anyOf: _any, oneOf: _one, ...own } = schema;
    const lists = (arms as readonly JsonObject[]).map((arm) =>
      // what stands beside the arms holds for each
      listValid("properties" in own ? { allOf: [own, arm] } : arm, schemas, depth + 1),
    );
    const first = lists.flatMap(([one], at) =>
      one ? [{ label: `arm ${at + 1} of the union`, value: one.value }] : [],
    );
    return [...first, ...lists.flatMap((list) => list.slice(1))];
  }
  const types = typesOf(schema);
  if (types.length === 0) return [{ label: "any value", value: "a" }];
  return types.flatMap((type) => listOfType(type, schema, schemas, depth));
};

const listOfType = (
  type: string,
  schema: JsonObject,
  schemas: Schemas,
  depth: number,
): readonly Sample[] => {
  if (type === "null") return [{ label: "null", value: null }];
  if (type === "boolean") return [true, false].map((value) => ({ label: String(value), value }));
  if (type === "number" || type === "integer") return listNumbers(schema);
  if (type === "string") return listStrings(schema);
  if (type === "array") return listArrays(schema, schemas, depth);
  return listObjects(schema, schemas, depth);
};

const listNumbers = (schema: JsonObject): readonly Sample[] => {
  const { min, max, step } = toRange(schema);
  const middle = Math.min(Math.max(step < 1 ? 1 : step, min ?? -Infinity), max ?? Infinity);
  return [
    { label: "a number", value: middle },
    ...(isListed(min) ? [{ label: "the minimum", value: min }] : []),
    ...(isListed(max) ? [{ label: "the maximum", value: max }] : []),
    ...(min === undefined && max === undefined ? [{ label: "zero", value: 0 }] : []),
    ...(min === undefined ? [{ label: "a negative number", value: -step }] : []),
  ];
};

export const listStrings = (schema: JsonObject): readonly Sample[] => {
  const { format, minLength, maxLength, pattern } = schema;
  const known = typeof format === "string" ? formats[format] : undefined;
  if (known !== undefined) return [{ label: `a string as ${toText(format)}`, value: known }];
  if (typeof pattern === "string") return listMatching(pattern);
  const min = numberOf(minLength) ?? 0;
  const max = numberOf(maxLength);
  return [
    { label: "a string", value: "a".repeat(Math.max(1, min)) },
    ...(min > 1 ? [{ label: "the minimal length", value: "b".repeat(min) }] : []),
    ...(max !== undefined && max <= 10_000
      ? [{ label: "the maximal length", value: "a".repeat(max) }]
      : []),
    ...(min === 0 ? [{ label: "an empty string", value: "" }] : []),
    ...(max === undefined ? [{ label: "other letters", value: "ä'\"<名>%" }] : []),
  ];
};

/** Lists a short string that matches a pattern. */
const listMatching = (pattern: string): readonly Sample[] => {
  try {
    const found = fc.sample(fc.stringMatching(new RegExp(pattern)), { seed: 1, numRuns: 10 });
    const [value] = found.toSorted((one, other) => one.length - other.length);
    return value === undefined ? [] : [{ label: "a string of the pattern", value }];
  } catch {
    // fast-check does not know all assertions
    return [];
  }
};

/** Returns the simplest tuple; undefined if none is known. */
export const toTuple = (
  parts: readonly JsonObject[],
  schemas: Schemas,
): readonly unknown[] | undefined => {
  const samples = parts.map((one) => toSimplest(isObject(one) ? one : {}, schemas));
  return samples.every(Boolean) ? samples.map((one) => one?.value) : undefined;
};

export const itemOf = ({ items }: JsonObject): JsonObject => (isObject(items) ? items : {});

const listArrays = (schema: JsonObject, schemas: Schemas, depth: number): readonly Sample[] => {
  const { prefixItems, minItems, maxItems } = schema;
  if (Array.isArray(prefixItems)) {
    const value = toTuple(prefixItems as readonly JsonObject[], schemas);
    return value ? [{ label: "a tuple", value }] : [];
  }
  const options = listValid(itemOf(schema), schemas, depth + 1);
  const min = numberOf(minItems) ?? 0;
  const max = numberOf(maxItems);
  const fill = (count: number): readonly unknown[] =>
    // distinct ones as far as possible, because functions may ask for it
    Array.from({ length: count }, (_, at) => options[at % Math.max(1, options.length)]?.value);
  return [
    ...(options.length > 0
      ? [{ label: "as few items as possible", value: fill(Math.max(min, 1)) }]
      : []),
    ...(min === 0 ? [{ label: "no items", value: [] }] : []),
    ...(max !== undefined && max <= 100 && options.length > 0
      ? [{ label: "as many items as possible", value: fill(max) }]
      : []),
    ...options.slice(1).map(({ label, value }) => ({
      label: `an item with ${label}`,
      value: [...fill(Math.max(min, 1)).slice(1), value],
    })),
  ];
};

export const propertiesOf = (schema: JsonObject): readonly (readonly [string, JsonObject])[] =>
  Object.entries((schema["properties"] ?? {}) as Readonly<Record<string, JsonObject>>);

export const listObjects = (
  schema: JsonObject,
  schemas: Schemas,
  depth: number,
): readonly Sample[] => {
  const required = new Set((schema["required"] ?? []) as readonly string[]);
  const lists = propertiesOf(schema).map(
    ([name, one]) => [name, listValid(one, schemas, depth + 1)] as const,
  );
  if (lists.some(([name, list]) => required.has(name) && list.length === 0)) return [];
  const least = Object.fromEntries(
    lists.flatMap(([name, [first]]) => (required.has(name) && first ? [[name, first.value]] : [])),
  );
  const { additionalProperties: others, propertyNames } = schema;
  const key = toKey(propertyNames as JsonObject | undefined, schemas);
  const entry =
    typeof others === "object" && propertiesOf(schema).length === 0 && key !== undefined
      ? listValid(others as JsonObject, schemas, depth + 1).slice(0, 1)
      : [];
  return [
    { label: "an object with the required fields", value: least },
    ...entry.map(({ value }) => ({ label: "an entry", value: { [key ?? ""]: value } })),
    ...lists.flatMap(([name, list]) =>
      list.slice(required.has(name) ? 1 : 0).map(({ label, value }) => ({
        label: `${name}: ${label}`,
        value: { ...least, [name]: value },
      })),
    ),
  ];
};

const toKey = (schema: JsonObject | undefined, schemas: Schemas): string | undefined => {
  if (!schema) return "a";
  const value = toSimplest(schema, schemas)?.value;
  return typeof value === "string" ? value : undefined;
};

export const distinct = (samples: readonly Sample[]): readonly Sample[] => {
  const seen = new Set<string>();
  return samples.filter(({ value }) => {
    const key = JSON.stringify(value) ?? "undefined";
    return !seen.has(key) && seen.add(key);
  });
};
