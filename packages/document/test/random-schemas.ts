import fc from "fast-check";
import type { Json, JsonObject } from "../src/index.ts";

type Schemas = fc.Arbitrary<JsonObject>;

const small = fc.integer({ min: 0, max: 6 });
const maybe = <T>(values: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(values, { nil: undefined, freq: 2 });

/** Leaves out keywords that are not chosen. */
const compact = (schema: object): JsonObject =>
  Object.fromEntries(Object.entries<Json>({ ...schema }).filter(([, one]) => one !== undefined));

const texts: Schemas = fc
  .record({
    type: fc.constant("string"),
    minLength: maybe(small),
    maxLength: maybe(small),
    pattern: maybe(fc.constantFrom("^a", "^[a-z]+$", "b$", "^.*$")),
    format: maybe(fc.constantFrom("date", "uuid", "email", "ipv4")),
    kind: fc.integer({ min: 0, max: 3 }),
  })
  .map(({ kind, minLength, maxLength, pattern, format, type }) =>
    compact(
      kind === 0
        ? { type, format }
        : kind === 1
          ? { type, pattern }
          : { type, minLength, maxLength: maxLength && Math.max(maxLength, minLength ?? 0) },
    ),
  );

const bound = fc.constantFrom(-3, -1, 0, 0.5, 1, 2, 5, 10);

const numbers: Schemas = fc
  .record({
    type: fc.constantFrom("number", "integer"),
    minimum: maybe(bound),
    exclusiveMinimum: maybe(bound),
    maximum: maybe(bound.map((one) => one + 12)),
    exclusiveMaximum: maybe(bound.map((one) => one + 12)),
    multipleOf: maybe(fc.constantFrom(1, 2, 3, 4, 0.5)),
  })
  .map(compact);

const member: fc.Arbitrary<Json> = fc.constantFrom<Json>("a", "b", "abc", 1, 2, 2.5, true, false);

const values: Schemas = fc
  .uniqueArray(member, { minLength: 1, maxLength: 4 })
  .chain((list) => fc.constantFrom<JsonObject>({ enum: list }, { const: list[0] ?? "a" }));

const leaf: Schemas = fc.oneof(
  texts,
  numbers,
  values,
  fc.constantFrom<JsonObject>({ type: "boolean" }, { type: "null" }, {}),
  fc.constant<JsonObject>({ type: ["string", "null"] }),
);

const name = fc.constantFrom("a", "b", "c");

const objects = (inner: Schemas): Schemas =>
  fc
    .record({
      type: fc.constant("object"),
      properties: fc.dictionary(name, inner, { maxKeys: 3 }),
      required: maybe(fc.uniqueArray(name, { maxLength: 2 })),
      additionalProperties: maybe(
        fc.oneof<[fc.Arbitrary<Json>, Schemas]>(fc.constant(false), inner),
      ),
      minProperties: fc.option(fc.integer({ min: 0, max: 2 }), { nil: undefined, freq: 6 }),
      maxProperties: fc.option(fc.integer({ min: 2, max: 4 }), { nil: undefined, freq: 6 }),
      patternProperties: fc.option(
        inner.map((one) => ({ "^a": one })),
        { nil: undefined, freq: 6 },
      ),
    })
    .map(compact);

const arrays = (inner: Schemas): Schemas =>
  fc
    .record({
      type: fc.constant("array"),
      items: maybe(inner),
      minItems: maybe(fc.integer({ min: 0, max: 2 })),
      maxItems: maybe(fc.integer({ min: 2, max: 4 })),
      uniqueItems: fc.option(fc.constant(true), { nil: undefined, freq: 5 }),
    })
    .map(compact);

const unions = (inner: Schemas): Schemas =>
  fc
    .tuple(
      fc.constantFrom("anyOf", "oneOf", "allOf"),
      fc.array(inner, { minLength: 1, maxLength: 3 }),
    )
    // a variant that is there twice counts once
    // null is told apart from other values, so not from all of them
    .map(([key, list]) => [key, list.filter((one) => Object.keys(one).length > 0)] as const)
    .filter(([, list]) => list.length > 0)
    .map(([key, list]) => ({
      [key]: [...new Map(list.map((one) => [JSON.stringify(one), one])).values()],
    }));

/** Schemas that state their types, so that JSON Schema means by them what documents do. */
export const schemas: Schemas = fc.letrec<{ any: JsonObject }>((tie) => ({
  any: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    leaf,
    objects(tie("any")),
    arrays(tie("any")),
    unions(tie("any")),
  ),
})).any;

/** Changes one keyword somewhere in a schema. */
const mutate = (schema: Json, pick: readonly number[], other: JsonObject): Json => {
  const [first = 0, ...rest] = pick;
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return schema;
  const keys = Object.keys(schema);
  const key = keys[first % Math.max(1, keys.length)];
  if (key === undefined) return other;
  const own = (schema as Record<string, Json>)[key];
  const { [key]: _left, ...left } = schema as Record<string, Json>;
  if (Array.isArray(own) && key !== "enum" && key !== "required" && key !== "type") {
    const at = (rest[0] ?? 0) % Math.max(1, own.length);
    return { ...left, [key]: own.with(at, mutate(own[at] ?? {}, rest.slice(1), other)) };
  }
  if (typeof own === "object" && own !== null && !Array.isArray(own)) {
    if (key !== "properties" && key !== "patternProperties")
      return { ...left, [key]: mutate(own, rest, other) };
    const names = Object.keys(own);
    const at = names[(rest[0] ?? 0) % Math.max(1, names.length)] ?? "a";
    const inner = own as Record<string, Json>;
    return { ...left, [key]: { ...inner, [at]: mutate(inner[at] ?? {}, rest.slice(1), other) } };
  }
  if (key === "type") return other;
  if (typeof own === "number" && first % 2 === 0)
    return { ...left, [key]: own + (first % 3) - 1 < 0 ? 1 : own + (first % 3) };
  if (Array.isArray(own) && own.length > 1) return { ...left, [key]: own.slice(1) };
  return left;
};

/** Pairs of schemas, most of which differ in one place. */
export const pairs: fc.Arbitrary<readonly [JsonObject, JsonObject]> = fc
  .record({
    schema: schemas,
    pick: fc.array(fc.integer({ min: 0, max: 7 }), { minLength: 6, maxLength: 6 }),
    other: leaf,
    isTurned: fc.boolean(),
  })
  .map(({ schema, pick, other, isTurned }) => {
    const changed = mutate(schema, pick, other) as JsonObject;
    return isTurned ? [changed, schema] : [schema, changed];
  });
