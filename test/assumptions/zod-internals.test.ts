import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  canExchangeRuns,
  compile,
  describeAs,
  ExchangedRun,
  exchangeDefault,
  findIssueUtilities,
  finishIssue,
  isBackward,
  isConstantCatch,
  passOnMemo,
  readBooleanStrings,
  readMadeName,
  reverse,
  showLiteral,
} from "../../src/schemas/zod-internals.ts";
import { listInnerSchemas } from "../../src/schemas/some-schema.ts";

/** These tests check the internals named in `src/schemas/zod-internals.ts`. */
describe("undocumented assumptions about Zod", () => {
  test("each kind of schema has a `run` and a `parse` that can be replaced", () => {
    const inner = z.string();
    const schemas = [
      ...[inner, z.number(), z.boolean(), z.date(), z.array(inner), z.object({ a: inner })],
      ...[z.record(z.string(), inner), z.set(inner), z.map(inner, inner), z.tuple([inner], inner)],
      ...[z.union([inner, z.null()]), z.intersection(inner, inner), inner.optional()],
      ...[inner.nullable(), inner.default("a"), inner.prefault("a"), inner.catch("a")],
      ...[inner.readonly(), inner.transform(String), z.lazy(() => inner), z.custom<string>()],
      ...[z.literal("a"), z.enum(["a"]), z.any(), z.unknown(), z.never(), z.void(), z.nan()],
    ];
    for (const schema of schemas)
      expect([schema.type, canExchangeRuns(schema)]).toEqual([schema.type, true]);
  });

  test("arrays, objects and records call the current `run` of their parts", () => {
    const inner = z.string();
    const seen: unknown[] = [];
    const exchange = new ExchangedRun(inner, "run", (own) => (payload, context) => {
      seen.push(payload.value);
      return own.run(payload, context);
    });
    const schemas = [
      z.array(inner),
      z.set(inner),
      z.map(inner, z.any()),
      z.record(z.string(), inner),
      z.tuple([z.any()], inner),
      z.object({}).catchall(inner),
    ];
    const values = [["a"], new Set(["a"]), new Map([["a", 1]]), { x: "a" }, [1, "a"], { x: "a" }];
    exchange.begin();
    try {
      for (const [at, schema] of schemas.entries())
        void schema._zod.run({ value: values[at], issues: [] }, { async: false, jitless: true });
    } finally {
      exchange.end();
    }
    expect(seen).toEqual(["a", "a", "a", "a", "a", "a"]);
    z.array(inner).parse(["b"]);
    expect(seen).toHaveLength(6);
  });

  test("`run` calls the `parse` of the same schema, and then runs its checks", () => {
    const calls: string[] = [];
    const schema = z.array(z.string()).refine(() => calls.push("check") > 0);
    const exchange = new ExchangedRun(schema, "parse", (own) => (payload, context) => {
      calls.push("parse");
      return own.run(payload, context);
    });
    exchange.begin();
    void schema._zod.run({ value: [], issues: [] }, { async: false });
    exchange.end();
    expect(calls).toEqual(["parse", "check"]);
  });

  test("a compiled schema parses rejected input again, with the `run` that the schema had when it was compiled", () => {
    const schema = z.object({ a: z.string() });
    let refused = 0;
    const compiled = compile(schema, (payload, context) => {
      refused++;
      return schema._zod.run(payload, context);
    });
    expect(compiled).not.toBe(schema);
    const run = (value: unknown) => compiled._zod.run({ value, issues: [] }, { async: false });
    expect(run({ a: "x" })).toMatchObject({ value: { a: "x" }, issues: [] });
    expect(refused).toBe(0);
    expect(run({ a: 1 })).toMatchObject({ issues: [{ code: "invalid_type" }] });
    expect(refused).toBe(1);
  });

  test("issues are completed by `finalizeIssue`, as in a thrown error", () => {
    expect(findIssueUtilities()).toBeDefined();
    const schema = z.object({ a: z.string() });
    const result = schema._zod.run({ value: { a: 1 }, issues: [] }, { async: false });
    if (result instanceof Promise) throw new Error("asynchronous");
    expect(result.issues.map((issue) => finishIssue(issue))).toEqual(
      schema.safeParse({ a: 1 }).error?.issues,
    );
  });

  test("`aborted` distinguishes a wrong type from a failed check", () => {
    const issuesOf = (value: unknown) =>
      z.string().min(2)._zod.run({ value, issues: [] }, { async: false }) as z.core.ParsePayload;
    expect(findIssueUtilities()?.aborted(issuesOf(1))).toBe(true);
    expect(findIssueUtilities()?.aborted(issuesOf("a"))).toBe(false);
  });

  test("literals are shown in the same way as in Zod's messages", () => {
    expect([showLiteral("a"), showLiteral(1), showLiteral(null)]).toEqual(['"a"', "1", "null"]);
  });

  test("a catch with a constant can be told from one with a function", () => {
    expect(isConstantCatch(z.string().catch("a")._zod.def.catchValue)).toBe(true);
    expect(isConstantCatch(z.string().catch(() => "a")._zod.def.catchValue)).toBe(false);
  });

  test("the default in a schema's definition is a replaceable getter, even for a compiled schema", () => {
    let calls = 0;
    const field = z.string().default(() => `${++calls}`);
    const schema = z.object({ a: field });
    const read: unknown[] = [];
    const isExchanged = exchangeDefault(field._zod.def, (own) => () => {
      const value = own();
      read.push(value);
      return value;
    });
    expect(isExchanged).toBe(true);
    expect(schema.parse({})).toEqual({ a: "1" });
    expect(
      compile(schema, (...args) => schema._zod.run(...args))._zod.run(
        { value: {}, issues: [] },
        { async: false },
      ),
    ).toMatchObject({ value: { a: "2" } });
    expect(read).toEqual(["1", "2"]);
    expect(exchangeDefault(z.string().prefault(() => "x")._zod.def, (own) => own)).toBe(true);
  });

  test("a lazy schema exposes the schema that Zod parses with, whatever its getter returns", () => {
    const lazy = z.lazy(() => z.string());
    const { innerType } = lazy._zod;
    expect(innerType).toBe(lazy._zod.innerType);
    expect(listInnerSchemas(lazy)).toEqual([innerType]);
  });

  test("schemas list their values and discriminators, and say whether they are optional", () => {
    expect(z.literal(["a", 1])._zod.values).toEqual(new Set(["a", 1]));
    expect(z.enum(["a", "b"])._zod.values).toEqual(new Set(["a", "b"]));
    const option = z.object({ kind: z.literal("a"), other: z.string() });
    expect(option._zod.propValues).toEqual({ kind: new Set(["a"]) });
    expect([z.string()._zod.optin, z.string().optional()._zod.optin]).toEqual([
      undefined,
      "optional",
    ]);
    expect(z.string().default("a")._zod.optin).toBeDefined();
    expect(z.string().default("a")._zod.optout).toBeUndefined();
  });

  test("a stringbool lists the strings that it accepts", () => {
    expect(readBooleanStrings(z.stringbool({ truthy: ["y"], falsy: ["n"] }))).toEqual(["y", "n"]);
  });

  test("the context passed to the `run` of a schema tells the direction of the parse", () => {
    const seen: boolean[] = [];
    const schema = z.string();
    const exchange = new ExchangedRun(schema, "run", (own) => (payload, context) => {
      seen.push(isBackward(context));
      return own.run(payload, context);
    });
    const wrapped = z.codec(schema, z.string(), { decode: String, encode: String });
    exchange.begin();
    void z.encode(wrapped, "a");
    void z.decode(wrapped, "a");
    exchange.end();
    expect(seen).toEqual([true, false]);
  });

  test("a document shows the replacement of a schema", () => {
    const schema = z.string();
    describeAs(schema, { type: "integer" });
    expect(z.toJSONSchema(z.object({ a: schema })).properties).toEqual({ a: { type: "integer" } });
  });

  test("unnamed definitions in a JSON Schema are numbered", () => {
    const tree = z.object({
      get inner(): z.ZodOptional<typeof tree> {
        return tree.optional();
      },
    });
    const { $defs = {} } = z.toJSONSchema(z.object({ a: tree }));
    expect(Object.keys($defs).map(readMadeName)).toEqual(["schema0"]);
  });

  test("a cyclic value is marked until it is parsed", () => {
    const marks: unknown[] = [];
    const list: z.ZodType = z.lazy(() => z.array(inner));
    const inner = z.union([z.string(), list]);
    const value: unknown[] = ["a"];
    value.push(value);
    const exchange = new ExchangedRun(list, "run", (own) => (payload, context) => {
      const result = own.run(payload, context) as Parameters<typeof passOnMemo>[0];
      const copy = { value: result.value, issues: [] };
      passOnMemo(result, copy);
      marks.push("memo" in copy);
      return result;
    });
    exchange.begin();
    try {
      list.parse(value);
    } finally {
      exchange.end();
    }
    expect(marks).toContain(true);
  });

  test("a schema parses with the replacement of its `parse`, in the given direction", () => {
    const inner = z.codec(z.string(), z.number(), { decode: Number, encode: String });
    const reversed = z.custom<unknown>();
    reverse(reversed, inner);
    const wrapped = z.object({ a: reversed.optional() });
    expect(wrapped.parse({ a: 5 })).toEqual({ a: "5" });
    expect(z.encode(wrapped, { a: "5" })).toEqual({ a: 5 });
  });
});
