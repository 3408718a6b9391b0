import fc from "fast-check";
import { isObject, type Json, type JsonObject } from "@sallyport/document";
import type { Schemas } from "./schemas.ts";
import { listValid, typesOf } from "./values.ts";

type Values = fc.Arbitrary<unknown>;

/** Creates the values of a schema; undefined if none is known. */
export const toValid = (schema: JsonObject, schemas: Schemas): Values | undefined => {
  const known = listValid(schema, schemas).map(({ value }) => value);
  const own = generate(schema, schemas, 0);
  const all = [
    ...(known.length > 0 ? [fc.constantFrom(...known)] : []),
    // a value may miss what only the whole schema says
    ...(own ? [own.filter((value) => schemas.isValid(schema, value))] : []),
  ];
  return all.length > 0 ? fc.oneof(...all) : undefined;
};

const letters = fc.constantFrom(..."abcdefgxyzABCXYZ0123456789_-äß名".split(""));

const generate = (given: JsonObject, schemas: Schemas, depth: number): Values | undefined => {
  const schema = schemas.flatten(given);
  if (depth > 5 || "const" in schema || "enum" in schema) {
    const [first, ...others] = listValid(given, schemas).map(({ value }) => value);
    return first === undefined ? undefined : fc.constantFrom(first, ...others);
  }
  const arms = schema["anyOf"] ?? schema["oneOf"];
  if (Array.isArray(arms)) {
    const all = (arms as readonly JsonObject[]).flatMap(
      (arm) => generate(arm, schemas, depth + 1) ?? [],
    );
    return all.length > 0 ? fc.oneof(...all) : undefined;
  }
  const all = typesOf(schema).flatMap((type) => ofType(type, schema, schemas, depth) ?? []);
  return all.length > 0 ? fc.oneof(...all) : undefined;
};

const ofType = (
  type: string,
  schema: JsonObject,
  schemas: Schemas,
  depth: number,
): Values | undefined => {
  if (type === "null") return fc.constant(null);
  if (type === "boolean") return fc.boolean();
  if (type === "integer" || type === "number") return toNumbers(type, schema);
  if (type === "string") return toStrings(schema);
  if (type === "array") return toArrays(schema, schemas, depth);
  return toObjects(schema, schemas, depth);
};

const toNumbers = (type: string, schema: JsonObject): Values => {
  const read = (name: string): number | undefined =>
    typeof schema[name] === "number" ? schema[name] : undefined;
  const low = read("minimum") ?? read("exclusiveMinimum") ?? -1_000_000;
  const high = read("maximum") ?? read("exclusiveMaximum") ?? Math.max(1_000_000, low + 1000);
  const min = Math.max(Math.min(low, high), Number.MIN_SAFE_INTEGER);
  const max = Math.min(high, Number.MAX_SAFE_INTEGER);
  const step = read("multipleOf");
  if (type === "integer" || step !== undefined) {
    const unit = step ?? 1;
    return fc
      .integer({ min: toInt(Math.ceil(min / unit)), max: toInt(Math.floor(max / unit)) })
      .map((value) => value * unit);
  }
  return fc.oneof(
    fc.integer({
      min: toInt(Math.ceil(min)),
      max: Math.max(toInt(Math.floor(max)), toInt(Math.ceil(min))),
    }),
    fc.double({ min, max, noNaN: true }).map((value) => value + 0),
  );
};

const toInt = (value: number): number => Math.max(-2_147_483_648, Math.min(2_147_483_647, value));

const toStrings = (schema: JsonObject): Values | undefined => {
  const { format, pattern, minLength, maxLength } = schema;
  if (format === "uuid") return fc.uuid({ version: 4 });
  if (format === "email") return fc.stringMatching(/^[a-z][a-z0-9]{0,9}@[a-z]{2,8}\.(com|org)$/);
  if (format === "date" || format === "date-time")
    return fc
      .date({
        min: new Date("2000-01-01T00:00:00Z"),
        max: new Date("2030-12-31T00:00:00Z"),
        noInvalidDate: true,
      })
      .map((date) => date.toISOString().slice(0, format === "date" ? 10 : undefined));
  if (format !== undefined) return undefined;
  if (typeof pattern === "string") return toMatching(pattern);
  const min = typeof minLength === "number" ? minLength : 0;
  const max = typeof maxLength === "number" ? Math.min(maxLength, min + 40) : min + 20;
  return fc.string({ unit: letters, minLength: min, maxLength: max });
};

const toMatching = (pattern: string): Values | undefined => {
  try {
    return fc.stringMatching(new RegExp(pattern));
  } catch {
    // assertions that fast-check cannot generate
    return undefined;
  }
};

const toArrays = (schema: JsonObject, schemas: Schemas, depth: number): Values | undefined => {
  const { items, minItems, maxItems, prefixItems } = schema;
  if (Array.isArray(prefixItems)) return undefined;
  const item = isObject(items) ? generate(items, schemas, depth + 1) : fc.constant("a");
  const minLength = typeof minItems === "number" ? minItems : 0;
  if (!item) return minLength === 0 ? fc.constant([]) : undefined;
  const maxLength = Math.min(
    typeof maxItems === "number" ? maxItems : minLength + 4,
    minLength + 10,
  );
  return fc.array(item, { minLength, maxLength });
};

const toObjects = (schema: JsonObject, schemas: Schemas, depth: number): Values | undefined => {
  const required = (schema["required"] ?? []) as readonly string[];
  const fields = Object.entries((schema["properties"] ?? {}) as Record<string, Json>).map(
    ([name, one]) => [name, generate(one as JsonObject, schemas, depth + 1)] as const,
  );
  const known = Object.fromEntries(fields.filter(([, values]) => values)) as Record<string, Values>;
  if (required.some((name) => !Object.hasOwn(known, name))) return undefined;
  return fc.record(known, { requiredKeys: [...required], noNullPrototype: true });
};
