import fc from "fast-check";
import { expect, test } from "vitest";
import { classify } from "../src/lock/compare/classify.ts";
import {
  listSchemas,
  isObject,
  toApiDescription,
  type Json,
  type JsonObject,
} from "@sallyport/document";
import { deserialise, serialise } from "../src/lock/file/serialise.ts";
import { compareContracts } from "../src/lock/compare/compare-contracts.ts";
import { compare } from "./lock-tools.ts";

const names = ["Alpha", "Beta", "Gamma", "Delta"];

const scalar: fc.Arbitrary<JsonObject> = fc.oneof(
  fc.record({ type: fc.constantFrom("string", "integer", "boolean") }),
  fc.record({
    type: fc.constant("string"),
    minLength: fc.nat(5),
    pattern: fc.constantFrom("^a", "b$"),
  }),
  fc.record({ type: fc.constant("number"), minimum: fc.nat(5), exclusiveMaximum: fc.nat(9) }),
  fc.record({ enum: fc.uniqueArray(fc.constantFrom("a", "b", null, 1), { minLength: 1 }) }),
);

const reference = fc
  .constantFrom(...names)
  .map((name): JsonObject => ({ $ref: `#/components/schemas/${name}` }));

const { schema } = fc.letrec<{ schema: JsonObject }>((tie) => ({
  schema: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    scalar,
    reference,
    fc.record({ type: fc.constant("array"), items: tie("schema") }),
    fc
      .dictionary(fc.constantFrom("id", "name", "tags", "next"), tie("schema"))
      .chain((properties) =>
        fc.record({
          type: fc.constant("object"),
          properties: fc.constant(properties),
          required: fc.shuffledSubarray(Object.keys(properties)),
          additionalProperties: fc.boolean(),
        }),
      ),
    fc.record({ oneOf: fc.array(tie("schema"), { minLength: 1, maxLength: 3 }) }),
    fc.record({ anyOf: fc.array(tie("schema"), { minLength: 1, maxLength: 3 }) }),
    // a component within `allOf` of itself would mean nothing
    fc.record({
      allOf: fc.array(scalar, { minLength: 1, maxLength: 2 }),
      description: fc.string(),
    }),
  ),
}));

/** Components that are never a mere reference, so that no reference leads to itself. */
const component = schema.map((inner): JsonObject => ({
  type: "object",
  properties: { inner },
}));

const document: fc.Arbitrary<JsonObject> = fc
  .record({
    components: fc.tuple(component, component, component, component),
    request: schema,
    response: schema,
    parameters: fc.uniqueArray(fc.constantFrom("a", "b", "c")),
    tags: fc.uniqueArray(fc.constantFrom("x", "y", "z")),
    security: fc.array(fc.dictionary(fc.constantFrom("k", "l"), fc.subarray(["read", "write"]))),
  })
  .map(({ components, request, response, parameters, tags, security }) => ({
    openapi: "3.1.0",
    paths: {
      "/users/{id}": {
        post: {
          ...{ tags, security },
          parameters: parameters.map((name) => ({ name, in: "query", schema: { type: "string" } })),
          requestBody: { content: { "application/json": { schema: request } } },
          responses: { 200: { content: { "application/json": { schema: response } } } },
        },
      },
    },
    components: {
      schemas: Object.fromEntries(names.map((name, at) => [name, components[at] ?? {}])),
    },
  }));

const unordered: ReadonlySet<string> = new Set([
  ...["enum", "oneOf", "anyOf", "required", "tags", "parameters", "security", "type"],
]);

/** Returns the same document with its components renamed and everything without an order turned around. */
const disguise = (value: Json, key = ""): Json => {
  if (Array.isArray(value)) {
    const list = (value as readonly Json[]).map((one) => disguise(one));
    return unordered.has(key) ? list.toReversed() : list;
  }
  if (typeof value === "string" && key === "$ref") return rename(value);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([name, one]) => [key === "schemas" ? rename(name) : name, disguise(one, name)]),
  );
};

const rename = (text: string): string =>
  text.replace(/\w+$/, (name) => `${"ZYXW"[names.indexOf(name)]}${name}`);

test("a document has no changes compared with itself, or with a renamed and reordered copy", () => {
  fc.assert(
    fc.property(document, (base) => {
      const copy = disguise(base);
      expect(compare(base, base)).toEqual([]);
      expect(compare(base, copy)).toEqual([]);
      expect(compare(copy, base)).toEqual([]);
    }),
    { numRuns: 100 },
  );
});

test("a copy has the same lock, and a lock contains everything", () => {
  fc.assert(
    fc.property(document, (base) => {
      const contract = toApiDescription(base, "base");
      const serialised = serialise(contract);
      const text = JSON.stringify(serialised);
      expect(JSON.stringify(serialise(toApiDescription(disguise(base), "copy")))).toBe(text);
      const restored = deserialise(JSON.parse(text) as typeof serialised, "lock");
      expect(compareContracts(contract, restored)).toEqual([]);
      expect(JSON.stringify(serialise(restored))).toBe(text);
    }),
    { numRuns: 100 },
  );
});

test("documents with different schemas have changes", () => {
  fc.assert(
    fc.property(document, document, (base, head) => {
      const [before, after] = [base, head].map((one) => toApiDescription(one, "document"));
      if (!before || !after) return;
      const { classes } = classify([...listSchemas(before), ...listSchemas(after)]);
      const [old, own] = [before, after].map((contract) =>
        listSchemas(contract).map((one) => classes.get(one)),
      );
      fc.pre(JSON.stringify(old) !== JSON.stringify(own));
      expect(compareContracts(before, after)).not.toEqual([]);
    }),
    { numRuns: 100 },
  );
});
