import { describe, expect, test } from "vitest";
import { z } from "zod";
import { inputOf } from "./generate.ts";

describe("a pattern", () => {
  const text = { type: "string" };

  test.each<[string, z.ZodType, object]>([
    ["without regard to case", z.string().regex(/^[a-z]+$/i), text],
    ["whose dot matches line breaks", z.string().regex(/^a.b$/s), text],
    ["for single lines", z.string().regex(/^b$/m), text],
    ["with sets of characters", z.string().regex(new RegExp("^[a&&b]$", "v")), text],
    ["of a format", z.stringFormat("code", /^a$/i), { ...text, format: "code" }],
    ["that is invalid in Unicode mode", z.string().regex(/^{a}$/), text],
    ["in a template", z.templateLiteral([z.string().regex(/^{a}$/), "-b"]), text],
    [
      "of keys",
      z.record(z.string().regex(/^a$/i), z.int()),
      { type: "object", additionalProperties: { type: "integer" } },
    ],
  ])("that JSON Schema cannot express is left out: %s", (_name, schema, expected) => {
    expect(inputOf(schema)).toEqual(expected);
  });

  test("is kept beside others that are left out", () => {
    const schema = z.string().regex(/^a/i).regex(/b$/);
    expect(inputOf(schema)).toEqual({ ...text, pattern: "b$" });
    expect(inputOf(schema.endsWith("c").optional())).toEqual({
      ...text,
      pattern: "b$",
      allOf: [{ ...text, pattern: ".*c$" }],
    });
  });

  test("has no escapes that are invalid in Unicode mode", () => {
    const patternOf = (source: string) => inputOf(z.string().regex(new RegExp(source)))["pattern"];
    expect(patternOf(String.raw`^\\[\w\-]\-\@\\@$`)).toBe(String.raw`^\\[\w\x2d]\x2d\x40\\@$`);
    expect(patternOf(String.raw`^[\w\-]\/$`)).toBe(String.raw`^[\w\-]\/$`);
  });

  test("may be told in place of one that is left out", () => {
    const schema = z.string().regex(/^a$/i).meta({ pattern: "^[aA]$" });
    expect(inputOf(schema)).toEqual({ ...text, pattern: "^[aA]$" });
  });
});

describe("the keys of a loose record", () => {
  const value = { type: "number" };
  const cases: readonly (readonly [string, z.core.$ZodRecordKey, object])[] = [
    ["any strings", z.string(), { additionalProperties: value }],
    ["a pattern", z.string().startsWith("a"), { patternProperties: { "^a.*": value } }],
    [
      "a template",
      z.templateLiteral(["a", z.enum(["b", "c"])]),
      { patternProperties: { "^a(b|c)$": value } },
    ],
    ["several patterns", z.string().startsWith("a").endsWith("z"), {}],
    ["a pattern and other checks", z.string().startsWith("a").min(3), {}],
    ["a pattern with flags", z.string().regex(/^a/i), {}],
    ["other checks", z.string().min(3), {}],
    ["a check by a function", z.string().refine(Boolean), {}],
    ["a pipe", z.string().pipe(z.string().regex(/^a/)), {}],
    ["a union", z.union([z.literal("k"), z.templateLiteral(["y-", z.string()])]), {}],
  ];
  test.each(cases)("are described unless others have any value: %s", (_name, key, expected) => {
    expect(inputOf(z.looseRecord(key, z.number()))).toEqual({ type: "object", ...expected });
  });
});
