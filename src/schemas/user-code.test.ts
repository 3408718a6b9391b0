import { describe, expect, test } from "vitest";
import { z } from "zod";
import { runsUserCode } from "./user-code.ts";

const node = z.object({
  value: z.string(),
  get next() {
    return node.optional();
  },
});

describe("runsUserCode", () => {
  test.each<[string, z.ZodType]>([
    [
      "plain fields",
      z.object({ a: z.string().min(1).trim().regex(/x/), b: z.array(z.int()).max(3) }),
    ],
    ["formats", z.object({ a: z.email(), b: z.uuid(), c: z.iso.datetime(), d: z.url() })],
    [
      "coercion and defaults",
      z.object({ a: z.coerce.number().default(1), b: z.string().optional() }),
    ],
    [
      "Zod's own changes",
      z.object({ a: z.string().trim().toLowerCase().toUpperCase().normalize() }),
    ],
    [
      "constants that replace a value",
      z.object({ a: z.string().default("x"), b: z.int().prefault(1) }),
    ],
    [
      "checks of sizes, formats and kinds",
      z.object({
        bigints: z.bigint().check(z.int64()).gt(1n).lt(9n),
        files: z.file().mime("text/plain").min(1).max(2).check(z.size(1)),
        lists: z.array(z.number().check(z.int32()).multipleOf(2)).length(1),
      }),
    ],
    [
      "rare kinds",
      z.object({
        symbol: z.symbol(),
        nothing: z.void(),
        not: z.nan(),
        never: z.never(),
        template: z.templateLiteral(["a", z.int()]),
        set: z.set(z.any()),
        map: z.map(z.unknown(), z.null()),
        both: z.intersection(z.undefined(), z.undefined()),
        needed: z.nonoptional(z.date().nullable().readonly()),
        success: z.success(z.boolean()),
        choice: z.enum(["a"]),
        big: z.bigint(),
      }),
    ],
    ["a pure transformation", z.object({ a: z.string().transform(Number) })],
    ["unions and records", z.union([z.record(z.string(), z.number()), z.tuple([z.literal(1)])])],
    ["a recursive schema", node],
    ["a lazy schema", z.lazy(() => z.object({}))],
  ])("is false for %s", (_name, schema) => {
    expect(runsUserCode(schema)).toBe(false);
  });

  test.each<[string, z.ZodType]>([
    ["a refinement", z.string().refine(() => true)],
    ["a check function", z.string().check(() => undefined)],
    [
      "a deeply nested transformation",
      z.object({ a: z.array(z.object({ b: z.string().transform((b) => b) })) }),
    ],
    ["an overwrite", z.array(z.string().overwrite((text) => `${text}!`))],
    ["a catch with a function", z.string().catch(() => "x")],
    ["a catch with a constant, which Zod turns into a function", z.string().catch("x")],
    [
      "a check of a property",
      z.unknown().check(
        z.property(
          "a",
          z.custom(() => true),
        ),
      ),
    ],
    ["a preprocessed schema", z.preprocess((value) => value, z.string())],
    ["a codec", z.codec(z.string(), z.number(), { decode: (text) => text.length, encode: String })],
    ["a custom schema", z.custom(() => true)],
    ["an instance check", z.instanceof(Date)],
    ["a lazy schema", z.lazy(() => z.string().refine(() => true))],
    ["a refinement of an object", z.object({}).refine(() => true)],
    ["one option of a union", z.union([z.string(), z.number().refine(() => true)])],
  ])("is true for %s", (_name, schema) => {
    expect(runsUserCode(schema)).toBe(true);
  });
});
