import { expect, test } from "vitest";
import { z } from "zod";
import { DefinitionError } from "../errors.ts";
import { ez } from "./ez.ts";
import { takesRawBody } from "./raw.ts";
import { takesFiles } from "./upload.ts";

const meta = { description: "What it is", examples: ["one"] };

test.each([
  ["buffer", ez.buffer(meta)],
  ["dateIn", ez.dateIn(meta)],
  ["dateOut", ez.dateOut(meta)],
  ["form of fields", ez.form({ a: z.string() }, meta)],
  ["form of a schema", ez.form(z.object({ a: z.string() }), meta)],
  ["raw", ez.raw({ id: z.string() }, meta)],
  ["upload", ez.upload(meta)],
])("ez: %s takes text for documents", (_name, schema: z.ZodType) => {
  expect(schema.meta()).toMatchObject(meta);
});

test("ez: what is described is still known for a body or a file", () => {
  expect(takesRawBody(ez.raw({}, meta).describe("again"))).toBe(true);
  expect(takesFiles(z.object({ file: ez.upload(meta).meta({ title: "File" }) }))).toBe(true);
});

test.each([
  ["a form of a text", () => ez.form(z.string() as never), "pass its `shape`"],
  [
    "a form of a field that is none",
    () => ez.form({ a: "x" } as never),
    "`a` must be a Zod 4 schema",
  ],
  ["a form of nothing", () => ez.form(undefined as never), "got undefined"],
  ["a raw body of a schema", () => ez.raw(z.object({}) as never), "pass its `shape`"],
  ["a raw body of a number", () => ez.raw(5 as never), "got 5"],
])("ez: %s is refused where it is declared", (_name, declare, text) => {
  expect(declare).toThrow(DefinitionError);
  expect(declare).toThrow(text);
});
