import { expect, test } from "vitest";
import { z } from "zod";
import { listArrayFields } from "./list-fields.ts";

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
