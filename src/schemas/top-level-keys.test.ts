import { describe, expect, test } from "vitest";
import { z } from "zod";
import { listMiddlewareOnlyKeys, readTopLevel } from "./top-level-keys.ts";

const read = (schema: z.ZodType): unknown => {
  const { fields, others } = readTopLevel(schema);
  return [[...fields.keys()].toSorted(), others];
};

describe("readTopLevel", () => {
  test.each<[string, z.ZodType, readonly string[], string]>([
    ["an object", z.object({ a: z.any(), b: z.any() }), ["a", "b"], "strip"],
    ["a strict object", z.strictObject({ a: z.any() }), ["a"], "refuse"],
    ["a loose object", z.looseObject({ a: z.any() }), ["a"], "keep"],
    [
      "an intersection",
      z.object({ a: z.any() }).and(z.object({ b: z.any() })),
      ["a", "b"],
      "strip",
    ],
    [
      "a union",
      z.union([z.object({ a: z.any() }), z.strictObject({ b: z.any() })]),
      ["a", "b"],
      "refuse",
    ],
    [
      "an intersection of a strict and a loose object",
      z.strictObject({ a: z.any() }).and(z.looseObject({})),
      ["a"],
      "keep",
    ],
    [
      "an intersection with an unknown side",
      z.looseObject({ a: z.any() }).and(z.any()),
      ["a"],
      "unknown",
    ],
    ["a refined object", z.object({ a: z.any() }).refine(() => true), ["a"], "strip"],
    ["a transformed object", z.object({ a: z.any() }).transform(() => ({})), ["a"], "strip"],
    ["a wrapped object", z.object({ a: z.any() }).optional().nullable().readonly(), ["a"], "strip"],
    ["a lazy object", z.lazy(() => z.object({ a: z.any() })), ["a"], "strip"],
    ["a record", z.record(z.string(), z.any()), [], "keep"],
    ["a record with literal keys", z.record(z.enum(["a", "b"]), z.any()), ["a", "b"], "refuse"],
    ["a loose record with literal keys", z.looseRecord(z.literal("a"), z.any()), ["a"], "keep"],
    [
      "a preprocessed object",
      z.preprocess((value) => value, z.object({ a: z.any() })),
      ["a"],
      "strip",
    ],
    ["anything", z.any(), [], "unknown"],
  ])("reads the keys of %s", (_name, schema, keys, others) => {
    expect(read(schema)).toEqual([keys, others]);
  });

  test("stops at a schema that contains itself", () => {
    const loop: z.ZodType = z.lazy(() => loop);
    expect(read(loop)).toEqual([[], "unknown"]);
  });
});

describe("listMiddlewareOnlyKeys", () => {
  const middleware = z.object({ key: z.string(), id: z.string() });

  test("lists the keys that must be hidden from a strict or loose endpoint schema", () => {
    expect(listMiddlewareOnlyKeys(z.strictObject({ id: z.string() }), [middleware])).toEqual([
      "key",
    ]);
    expect(listMiddlewareOnlyKeys(z.looseObject({}), [middleware, middleware])).toEqual([
      "key",
      "id",
    ]);
  });

  test("lists nothing for a schema that strips unknown keys, or that accepts any value", () => {
    expect(listMiddlewareOnlyKeys(z.object({}), [middleware])).toEqual([]);
    expect(listMiddlewareOnlyKeys(z.any(), [middleware])).toEqual([]);
  });
});
