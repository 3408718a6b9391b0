import { describe, expect, test } from "vitest";
import { ez } from "sallyport";
import { z } from "zod";
import { isForm } from "../../src/basics/schemas/bodies.ts";
import { readPagination } from "../../src/basics/schemas/paginated.ts";
import { runsUserCode } from "../../src/basics/schemas/parser.ts";

const run = (schema: z.core.$ZodType, value: unknown, context: z.core.ParseContextInternal) =>
  schema._zod.run({ value, issues: [] }, context);

describe("assumptions about Zod", () => {
  test("the asynchronous mode returns no promise if nothing is asynchronous", () => {
    const schema = z.object({ a: z.string().transform(Number), b: z.array(z.number()).max(3) });
    expect(run(schema, { a: "1", b: [1] }, { async: true })).not.toBeInstanceOf(Promise);
  });

  test("the asynchronous mode returns a promise if something is asynchronous", async () => {
    const schema = z.object({ a: z.string().refine(async () => true) });
    const result = run(schema, { a: "x" }, { async: true });
    expect(result).toBeInstanceOf(Promise);
    expect((await result).issues).toEqual([]);
  });

  test("compiling a schema that cannot be compiled returns the same schema", () => {
    const schema = z.object({ a: z.string().refine(async () => true) });
    expect(z.compile(schema)).toBe(schema);
  });

  test("the definition of a transformation keeps the given function", () => {
    expect(z.transform(Number)._zod.def.transform).toBe(Number);
  });

  test("additional properties of a definition are kept in copies of the schema, and in schemas derived from it", () => {
    const marked = ez.form({ a: z.string() });
    const derived = [
      ...[marked.extend({ b: z.string() }), marked.meta({ title: "a" }), marked.partial()],
      ...[marked.pick({ a: true }), marked.strict(), marked.refine(() => true)],
    ];
    for (const schema of [marked, ...derived]) expect(isForm(schema)).toBe(true);
    expect(isForm(z.object({ a: z.string() }))).toBe(false);
    const page = ez.paginated({ style: "offset", itemSchema: z.string() }).input;
    const { limit } = page.shape;
    const copies = [limit.describe("a"), limit.refine(() => true), limit.meta({ title: "a" })];
    for (const copy of [limit, ...copies, limit.optional(), ...copies.map((one) => one.nullable())])
      expect(readPagination(page.extend({ limit: copy }))?.style).toBe("offset");
  });

  test("Zod's own transformations of strings can be recognised by their source code", () => {
    for (const schema of [z.string().trim(), z.string().toLowerCase(), z.string().normalize("NFC")])
      expect(runsUserCode(schema)).toBe(false);
    expect(runsUserCode(z.string().overwrite((text) => `${text}!`))).toBe(true);
  });

  test("a union with one option calls the `run` that the option had when the union was created", () => {
    const option = z.string();
    const union = z.union([option]);
    option._zod.run = () => {
      throw new Error("called");
    };
    expect(union.parse("a")).toBe("a");
  });

  test("compiling returns a schema that parses in the same way", () => {
    const schema = z.object({ a: z.string().transform(Number), b: z.string().default("x") });
    const compiled = z.compile(schema, { strict: true });
    expect(compiled).not.toBe(schema);
    expect(run(compiled, { a: "1" }, { async: false })).toMatchObject({
      value: { a: 1, b: "x" },
      issues: [],
    });
  });

  test("an array that is too long is rejected before its elements are parsed", () => {
    let parsed = 0;
    const schema = z.array(z.unknown().refine(() => ++parsed > 0)).max(3);
    const result = schema.safeParse(Array.from({ length: 1000 }));
    expect(result.error?.issues.map(({ code }) => code)).toEqual(["too_big"]);
    expect(parsed).toBe(0);
  });

  test("an object without a prototype is valid as an object and as a record", () => {
    const value = Object.assign(Object.create(null) as object, { a: "1" });
    expect(z.object({ a: z.string() }).parse(value)).toEqual({ a: "1" });
    expect(z.record(z.string(), z.string()).parse(value)).toEqual({ a: "1" });
  });

  test("a number is never infinite, and an integer never unsafe", () => {
    expect(z.number().safeParse(JSON.parse("1e400")).success).toBe(false);
    expect(z.int().safeParse(JSON.parse("9007199254740993")).success).toBe(false);
  });
});
