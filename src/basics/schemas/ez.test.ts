import { expect, test } from "vitest";
import { z } from "zod";
import { DefinitionError } from "../errors.ts";
import { ez } from "./ez.ts";
import { takesFiles, takesRawBody } from "./bodies.ts";

const meta = { description: "What it is", examples: ["one"] };

test.each([
  ["buffer", ez.buffer(meta)],
  ["dateIn", ez.dateIn(meta)],
  ["dateOut", ez.dateOut(meta)],
  ["ez.form of fields", ez.form({ a: z.string() }, meta)],
  ["ez.form of a schema", ez.form(z.object({ a: z.string() }), meta)],
  ["raw", ez.raw({ id: z.string() }, meta)],
  ["upload", ez.upload(meta)],
])("ez: %s accepts a description for documents", (_name, schema: z.ZodType) => {
  expect(schema.meta()).toMatchObject(meta);
});

test("ez: a described schema is still recognised as a body or a file", () => {
  expect(takesRawBody(ez.raw({}, meta).describe("again"))).toBe(true);
  expect(takesFiles(z.object({ file: ez.upload(meta).meta({ title: "File" }) }))).toBe(true);
});

test.each([
  ["ez.form of a string schema", () => ez.form(z.string() as never), "pass its `shape`"],
  [
    "ez.form of a field that is not a schema",
    () => ez.form({ a: "x" } as never),
    "`a` must be a Zod 4 schema",
  ],
  ["ez.form of nothing", () => ez.form(undefined as never), "got undefined"],
  ["ez.raw of a schema", () => ez.raw(z.object({}) as never), "pass its `shape`"],
  ["ez.raw of a number", () => ez.raw(5 as never), "got 5"],
])("ez: %s is rejected as soon as it is declared", (_name, declare, text) => {
  expect(declare).toThrow(DefinitionError);
  expect(declare).toThrow(text);
});
