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

  test("runs each function once, whether the value fits or not", async () => {
    let calls = 0;
    const parse = toParser(z.object({ a: z.string().transform(() => ++calls), b: z.string() }));
    for (let turn = 1; turn <= compileAfter * 2; turn++) {
      expect((await parse({ a: "x" })).issues).toHaveLength(1);
      expect(calls).toBe(turn);
    }
  });

  test("runs a hidden promise that shows up late once, and lets nothing float", async () => {
    let calls = 0;
    const check = (text: string): boolean | Promise<boolean> => {
      if (text !== "late") return true;
      calls++;
      return Promise.reject(new Error("lost"));
    };
    const parse = toParser(z.object({ a: z.string().refine(check) }));
    times(compileAfter + 1, () => void parse({ a: "x" }));
    await expect(parse({ a: "late" })).rejects.toThrow("lost");
    expect(calls).toBe(1);
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
