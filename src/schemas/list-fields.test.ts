import { expect, test } from "vitest";
import { z } from "zod";
import { listArrayFields } from "./list-fields.ts";

const texts = z.array(z.string());
const node: z.ZodType = z.lazy(() => node);

test.each<[string, z.ZodType]>([
  ["an array", texts],
  ["an optional one", texts.optional()],
  ["one with a default", texts.default([])],
  ["one of two arrays", z.union([texts, z.array(z.int())])],
  ["one array in two forms", z.union([texts, texts.nullable()])],
  ["an array or null", z.union([texts, z.null(), z.undefined()])],
  ["an array that is something else as well, on the right", z.intersection(z.unknown(), texts)],
  ["an array that is something else as well, on the left", z.intersection(texts, z.unknown())],
  ["an array that is transformed", texts.transform((list) => list.length)],
  ["an array that is made later", z.lazy(() => texts)],
])("takes arrays alone: %s", (_what, field) => {
  expect(listArrayFields(z.object({ field }))).toEqual(["field"]);
});

test.each<[string, z.ZodType]>([
  ["a text", z.string()],
  ["an array or a text", z.union([texts, z.string()])],
  ["null", z.union([z.null(), z.undefined()])],
  ["anything of two kinds", z.intersection(z.unknown(), z.unknown())],
  ["what is preprocessed", z.preprocess((value) => value, texts)],
  ["what contains itself", node],
])("takes something else: %s", (_what, field) => {
  expect(listArrayFields(z.object({ field }))).toEqual([]);
});
