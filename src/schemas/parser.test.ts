import { describe, expect, test } from "vitest";
import { z } from "zod";
import { compileAfter, toParser } from "./parser.ts";

const times = (count: number, act: (turn: number) => void): void => {
  for (let turn = 0; turn < count; turn++) act(turn);
};

describe("toParser", () => {
  test("gives one parser for one schema", () => {
    const schema = z.object({});
    expect(toParser(schema)).toBe(toParser(schema));
  });

  test("never gives a promise for a synchronous schema, cold or hot", () => {
    const parse = toParser(z.object({ a: z.string().transform(Number) }));
    times(compileAfter * 2, (turn) => {
      expect(parse({ a: String(turn) })).toMatchObject({ value: { a: turn }, issues: [] });
    });
  });

  test("parses valid input exactly once, cold and hot", () => {
    let calls = 0;
    const parse = toParser(z.object({ a: z.string().transform(() => ++calls) }));
    times(compileAfter * 2, () => void parse({ a: "x" }));
    expect(calls).toBe(compileAfter * 2);
  });

  test("remembers that a schema is asynchronous, and runs its parts once", async () => {
    let calls = 0;
    const parse = toParser(z.object({ a: z.string().refine(async () => ++calls > 0) }));
    for (let turn = 1; turn <= compileAfter * 2; turn++) {
      expect(await parse({ a: "x" })).toMatchObject({ value: { a: "x" } });
      expect(calls).toBe(turn);
    }
  });

  test("finds an async function in a branch that was not entered while cold", async () => {
    const schema = z.union([
      z.object({ kind: z.literal("sync") }),
      z.object({ kind: z.literal("async"), a: z.string().refine(async () => true) }),
    ]);
    const parse = toParser(schema);
    for (let turn = 0; turn < compileAfter; turn++) await parse({ kind: "sync" });
    expect(await parse({ kind: "async", a: "x" })).toMatchObject({ issues: [] });
  });

  test("turns asynchronous when a hidden promise shows up late", async () => {
    const parse = toParser(
      z.object({
        a: z.string().refine((text) => (text === "late" ? Promise.resolve(false) : true)),
      }),
    );
    times(compileAfter + 1, () => void parse({ a: "x" }));
    const result = await parse({ a: "late" });
    expect(result.issues).toHaveLength(1);
    expect(await parse({ a: "x" })).toMatchObject({ issues: [] });
  });

  test("passes on what a transform throws", () => {
    const parse = toParser(
      z.string().transform(() => {
        throw new RangeError("mine");
      }),
    );
    times(compileAfter * 2, () => expect(() => parse("x")).toThrow(RangeError));
  });
});
