import { expect, test } from "vitest";
import { z } from "zod";
import { listArrayFields } from "./list-fields.ts";
import { listFileLists, upload } from "./upload.ts";

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
