import { describe, expect, test } from "vitest";
import { z } from "zod";
import { listArrayFields, listMiddlewareOnlyKeys, readTopLevel } from "./top-level-keys.ts";
import { listFileLists, upload } from "./bodies.ts";

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

const texts = z.array(z.string());
const node: z.ZodType = z.lazy(() => node);

test.each<[string, z.ZodType]>([
  ["an array", texts],
  ["an optional array", texts.optional()],
  ["an array with a default", texts.default([])],
  ["one of two arrays", z.union([texts, z.array(z.int())])],
  ["one array in two forms", z.union([texts, texts.nullable()])],
  ["an array or null", z.union([texts, z.null(), z.undefined()])],
  ["an intersection with an array on the right", z.intersection(z.unknown(), texts)],
  ["an intersection with an array on the left", z.intersection(texts, z.unknown())],
  ["a transformed array", texts.transform((list) => list.length)],
  ["a lazy array", z.lazy(() => texts)],
  ["a tuple", z.tuple([z.string()])],
  ["a tuple with a rest", z.tuple([z.string()]).rest(z.string())],
])("listArrayFields includes a field that accepts only arrays: %s", (_what, field) => {
  expect(listArrayFields(z.object({ field }))).toEqual(["field"]);
});

test.each<[string, z.ZodType]>([
  ["a string", z.string()],
  ["an array or a string", z.union([texts, z.string()])],
  ["null", z.union([z.null(), z.undefined()])],
  ["anything of two kinds", z.intersection(z.unknown(), z.unknown())],
  ["a preprocessed value", z.preprocess((value) => value, texts)],
  ["a schema that contains itself", node],
])("listArrayFields omits a field that accepts other values: %s", (_what, field) => {
  expect(listArrayFields(z.object({ field }))).toEqual([]);
});

const files = z.array(upload());

test.each<[string, z.ZodType]>([
  ["an array", files],
  ["an optional array", files.optional()],
  ["a transformed array", files.transform((list) => list.length)],
  ["a piped array", files.pipe(z.any())],
  ["an array or null", z.union([files, z.null()])],
  ["a lazy array", z.lazy(() => files)],
  [
    "a codec from an array",
    z.codec(files, z.unknown(), { decode: (list) => list, encode: () => [] }),
  ],
  ["an intersection with an array", z.intersection(z.unknown(), files)],
  ["a tuple with a rest", z.tuple([upload()]).rest(upload())],
])("listFileLists includes a field that accepts only arrays of files: %s", (_what, field) => {
  expect(listFileLists(z.object({ field }))).toEqual(["field"]);
});

test.each<[string, z.ZodType]>([
  ["a file", upload()],
  ["a file or an array", z.union([upload(), files])],
  ["an array of strings", texts],
  ["a preprocessed value", z.preprocess((value) => value, files)],
])("listFileLists omits other fields: %s", (_what, field) => {
  expect(listFileLists(z.object({ field }))).toEqual([]);
});
