import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import type { Parser, ParseResult } from "./parse-result.ts";
import { compileAfter, toInputParser, toParser } from "./parser.ts";
import type { ZodSchema } from "./schema.ts";
import { toZodError } from "./issues.ts";
import {
  canExchangeRuns,
  exchangeDefault,
  readBooleanStrings,
  readLazy,
  readOptionality,
  readPropertyValues,
  readValues,
} from "./zod-internals.ts";

type Lacking = Record<string, unknown>;

/** Removes the named internals from a schema, and returns the schema. */
const lack = <Schema extends ZodSchema>(schema: Schema, ...names: readonly string[]): Schema => {
  for (const name of names)
    Object.defineProperty(schema._zod, name, { configurable: true, value: undefined });
  return schema;
};

const parseAll = (parse: Parser, values: readonly unknown[]) =>
  values.map((value) => {
    const { issues, value: parsed } = parse(value) as ParseResult;
    return issues.length > 0 ? toZodError(issues).issues : parsed;
  });

const user = () =>
  z.object({
    name: z.string().min(2).default("none"),
    tags: z.array(z.union([z.int(), z.string().max(3)])).max(30),
    more: z.record(z.string(), z.number().catch(7)).optional(),
  });

const inputs: readonly unknown[] = [
  { tags: [1, "abc"], more: { a: 1, b: "x" } },
  { name: "Ada", tags: [] },
  { name: "A", tags: [1.5, "abcd", null] },
  { tags: Array.from({ length: 20 }, () => null) },
  { name: 5 },
  null,
];

describe("where Zod's parse functions cannot be replaced", () => {
  const fix = <Schema extends ZodSchema>(schema: Schema): Schema => {
    // Zod itself replaces `run` on the first parse
    void schema._zod.run({ value: {}, issues: [] }, { async: false });
    Object.defineProperty(schema._zod, "run", { writable: false });
    return schema;
  };

  test("parses input in the same way as Zod, whether the schema is cold or hot", () => {
    const schema = fix(user());
    expect(canExchangeRuns(schema)).toBe(false);
    const parse = toInputParser(schema);
    const expected = inputs.map((value) => {
      const { success, data, error } = user().safeParse(value);
      return success ? data : error.issues;
    });
    for (let at = 0; at < compileAfter + 2; at++)
      expect(parseAll(parse, inputs)).toEqual(expected.map((one) => bounded(one)));
  });

  test("parses an array of such elements in the same way as Zod", () => {
    const parse = toInputParser(z.object({ list: z.array(fix(z.string())) }));
    for (let at = 0; at < compileAfter + 2; at++)
      expect(parseAll(parse, [{ list: ["a"] }, { list: [1] }])).toMatchObject([
        { list: ["a"] },
        [{ path: ["list", 0] }],
      ]);
  });
});

/** Returns the issues of an outcome that are reported, or the parsed value. */
const bounded = (outcome: unknown): unknown =>
  Array.isArray(outcome) ? outcome.slice(0, 10) : outcome;

describe("where Zod lacks its internal functions", () => {
  beforeEach(() => {
    vi.resetModules();
    vi.doMock("zod", async (importOriginal) => {
      const original = await importOriginal<typeof import("zod")>();
      const { aborted, finalizeIssue, stringifyPrimitive, CONSTANT_CATCH, ...util } =
        original.z.core.util;
      const own: Lacking = { ...original.z, compile: undefined };
      own["core"] = { ...original.z.core, util };
      expect([aborted, finalizeIssue, stringifyPrimitive, CONSTANT_CATCH]).not.toContain(undefined);
      return { ...original, z: own };
    });
  });

  afterEach(() => {
    vi.doUnmock("zod");
    vi.resetModules();
  });

  test("still parses input, and adds messages to the issues", async () => {
    const parsers = await import("./parser.ts");
    const { findIssueUtilities } = await import("./zod-internals.ts");
    expect(findIssueUtilities()).toBeUndefined();
    const lacking = parsers.toInputParser(user());
    const whole = toInputParser(user());
    const { toZodError: finish } = await import("./issues.ts");
    for (let at = 0; at < compileAfter + 2; at++)
      for (const value of inputs) {
        const { issues, value: parsed } = lacking(value) as ParseResult;
        const expected = parseAll(whole, [value])[0];
        expect(issues.length > 0 ? finish(issues).issues : parsed).toEqual(expected);
      }
  });

  test("names the tags of a union", async () => {
    const { toZodError: finish } = await import("./issues.ts");
    const { toInputParser: toLacking } = await import("./parser.ts");
    const schema = z.union([
      z.object({ kind: z.literal("a"), x: z.string() }),
      z.object({ kind: z.literal(2), x: z.string() }),
    ]);
    const { issues } = toLacking(schema)({ kind: "c", x: "" }) as ParseResult;
    const whole = toInputParser(schema)({ kind: "c", x: "" }) as ParseResult;
    expect(finish(issues).issues).toEqual(toZodError(whole.issues).issues);
  });
});

describe("where a schema lacks internal properties", () => {
  test.each<[string, () => ZodSchema]>([
    ["a literal", () => z.literal(["a", 2])],
    ["an enum", () => z.enum(["a", "b"])],
    ["null", () => z.null()],
    ["undefined", () => z.undefined()],
    ["a string", () => z.string()],
  ])("reads the values of %s from its definition", (_name, create) => {
    expect(readValues(lack(create(), "values"))).toEqual(create()._zod.values);
  });

  test("reads the discriminator values of a union from its options", () => {
    const create = () =>
      z.discriminatedUnion("kind", [
        z.object({ kind: z.literal("a") }),
        z.discriminatedUnion("kind", [
          z.object({ kind: z.literal("b") }),
          z.object({ kind: z.enum(["c", "d"]) }),
        ]),
      ]);
    const read = (union: ReturnType<typeof create>) => readPropertyValues(union, "kind");
    expect(read(create())).toEqual(new Set(["a", "b", "c", "d"]));
    const lacking = create();
    for (const option of [lacking, ...lacking.options]) lack(option, "propValues");
    expect(read(lacking)).toEqual(new Set(["a", "b", "c", "d"]));
    expect(
      readPropertyValues(lack(z.object({ a: z.literal(1) }), "propValues"), "b"),
    ).toBeUndefined();
  });

  test.each<[string, () => ZodSchema]>([
    ["a string", () => z.string()],
    ["an optional", () => z.string().optional()],
    ["a default", () => z.string().default("a")],
    ["a prefault", () => z.string().prefault("a")],
    ["a nullable optional", () => z.string().optional().nullable()],
    ["a readonly default", () => z.string().default("a").readonly()],
    ["a transformed optional", () => z.string().optional().transform(String)],
    ["a preprocessed value", () => z.preprocess(String, z.string())],
  ])("reads from its definition whether %s is optional", (_name, create) => {
    const schema = create();
    const expected = [schema._zod.optin, schema._zod.optout];
    lack(schema, "optin", "optout");
    expect([readOptionality(schema, "input"), readOptionality(schema, "output")]).toEqual(expected);
  });

  test("calls the getter of a lazy schema once", () => {
    let calls = 0;
    const lazy = lack(
      z.lazy(() => {
        calls++;
        return z.string();
      }),
      "innerType",
    );
    expect(readLazy(lazy)).toBe(readLazy(lazy));
    expect(calls).toBe(1);
  });

  test("treats a default without a getter as a constant", () => {
    expect(exchangeDefault({ defaultValue: 1 }, (read) => read)).toBe(false);
    expect(exchangeDefault({}, (read) => read)).toBe(false);
    const schema = z.object({ a: z.string().default("x") });
    Object.defineProperty(schema.shape.a._zod.def, "defaultValue", { value: "x" });
    const parse = toParser(schema);
    for (let at = 0; at < compileAfter + 2; at++)
      expect(parseAll(parse, [{}, { a: 1 }])).toMatchObject([{ a: "x" }, [{ path: ["a"] }]]);
  });

  test("treats the strings of a stringbool as unknown", () => {
    expect(readBooleanStrings(z.stringbool({ truthy: ["y"], falsy: ["n"] }))).toEqual(["y", "n"]);
    expect(readBooleanStrings(lack(z.stringbool(), "bag"))).toBeUndefined();
    expect(readBooleanStrings(z.string())).toBeUndefined();
  });
});
