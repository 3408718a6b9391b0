import { describe, expect, test } from "vitest";
import { z } from "zod";
import { assertZod, compileAfter, runsUserCode, toParser, type ParseResult } from "./parser.ts";
import { listFileLists, takesFiles } from "./bodies.ts";

const times = (count: number, act: (turn: number) => void): void => {
  for (let turn = 0; turn < count; turn++) act(turn);
};

test("a Zod that cannot compile schemas is refused when a server starts", () => {
  expect(() => assertZod()).not.toThrow();
  expect(() => assertZod({ major: 4, minor: 3, patch: 5 })).toThrow(
    "A server needs zod 4.5 or later, but zod 4.3.5 is installed. Run: npm install zod@^4.5",
  );
});

describe("toParser", () => {
  test("returns one parser per schema", () => {
    const schema = z.object({});
    expect(toParser(schema)).toBe(toParser(schema));
  });

  test("never returns a promise for a synchronous schema, cold or hot", () => {
    const parse = toParser(z.object({ a: z.string().transform(Number) }));
    times(compileAfter * 2, (turn) => {
      expect(parse({ a: String(turn) })).toMatchObject({ value: { a: turn }, issues: [] });
    });
  });

  test("compiles a schema once it is hot, and no longer calls its `run`", () => {
    const schema = z.object({ a: z.string() });
    const run = schema._zod.run.bind(schema._zod);
    let calls = 0;
    schema._zod.run = (...args) => (calls++, run(...args));
    const parse = toParser(schema);
    times(compileAfter * 3, () => void parse({ a: "x" }));
    expect(calls).toBe(compileAfter);
  });

  test("parses valid input exactly once, whether the schema is cold or hot", () => {
    let calls = 0;
    const parse = toParser(z.object({ a: z.string().transform(() => ++calls) }));
    times(compileAfter * 2, () => void parse({ a: "x" }));
    expect(calls).toBe(compileAfter * 2);
  });

  test("runs the checks of an asynchronous schema once per parse", async () => {
    let calls = 0;
    const parse = toParser(z.object({ a: z.string().refine(async () => ++calls > 0) }));
    for (let turn = 1; turn <= compileAfter * 2; turn++) {
      expect(await parse({ a: "x" })).toMatchObject({ value: { a: "x" } });
      expect(calls).toBe(turn);
    }
  });

  test("runs each function once per parse, whether or not the value is valid", async () => {
    let calls = 0;
    const parse = toParser(z.object({ a: z.string().transform(() => ++calls), b: z.string() }));
    for (let turn = 1; turn <= compileAfter * 2; turn++) {
      expect((await parse({ a: "x" })).issues).toHaveLength(1);
      expect(calls).toBe(turn);
    }
  });

  test("runs a check once, even if it first returns a promise after many parses, and leaves no rejection unhandled", async () => {
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

  test("passes on the error that a transformation throws", () => {
    const parse = toParser(
      z.string().transform(() => {
        throw new RangeError("mine");
      }),
    );
    times(compileAfter * 2, () => expect(() => parse("x")).toThrow(RangeError));
  });
});

describe("custom functions", () => {
  let calls = 0;
  const count = (text = "x"): string => `${text}${++calls}`;

  test.each<[string, z.ZodType, unknown]>([
    ["a default", z.object({ a: z.string().default(count) }), undefined],
    ["a prefault", z.object({ a: z.string().prefault(count) }), undefined],
    ["an overwrite", z.object({ a: z.string().overwrite(count) }), "x"],
    ["a catch", z.object({ a: z.number().catch(() => Number(count("1"))) }), "x"],
    [
      "a default in an array",
      z.object({ a: z.array(z.object({ b: z.string().default(count) })) }),
      [{}],
    ],
    [
      "a default in a union",
      z.object({ a: z.union([z.int(), z.string().default(count)]) }),
      undefined,
    ],
    [
      "a default that is caught",
      z.object({
        a: z.object({ b: z.string().default(count), c: z.int() }).catch({ b: "", c: 1 }),
      }),
      {},
    ],
  ])("run once per parse, and not while the parser is created: %s", async (_name, schema, a) => {
    calls = 0;
    const whole = z.intersection(schema, z.object({ b: z.int() }));
    const parse = toParser(whole);
    expect([calls, runsUserCode(whole), takesFiles(whole), listFileLists(whole)]).toEqual([
      0,
      expect.any(Boolean),
      false,
      [],
    ]);
    for (let turn = 1; turn <= compileAfter * 3; turn++) {
      expect((await parse({ a, b: 1 })).issues).toEqual([]);
      expect(calls).toBe(turn);
    }
    // only a default may run twice, because a hot schema parses a value that does not fit again
    calls = 0;
    expect((await parse({ a, b: "misfit" })).issues).toHaveLength(1);
    expect([1, runsUserCode(whole) ? 1 : 2]).toContain(calls);
  });

  test("are not required for a default, which may be a constant without a getter", () => {
    const a = new z.ZodDefault({ type: "default", innerType: z.int(), defaultValue: 5 });
    const parse = toParser(z.object({ a, b: z.int() }));
    for (let turn = 0; turn < compileAfter * 2; turn++) {
      expect((parse({ b: "misfit" }) as ParseResult).issues).toHaveLength(1);
      expect(parse({ b: 1 })).toMatchObject({ value: { a: 5, b: 1 } });
    }
  });

  test("run once for each array element that needs a default", () => {
    const parse = toParser(z.object({ a: z.array(z.string().default(count)), b: z.int() }));
    const a = [undefined, undefined, undefined];
    for (let turn = 0; turn < compileAfter * 2; turn++) {
      calls = 0;
      expect(parse({ a, b: 1 })).toMatchObject({ value: { a: ["x1", "x2", "x3"] } });
    }
  });
});

test("a hot schema, like a cold one, rejects a missing value for an intersection of optional schemas", () => {
  const optional = z.number().optional();
  const parse = toParser(z.object({ a: z.intersection(optional, optional) }));
  for (let turn = 0; turn < 2 * compileAfter; turn++)
    expect((parse({}) as ParseResult).issues).toHaveLength(1);
});

test("a hot union, like a cold one, takes a tuple for one of its options even if elements are missing", () => {
  const tuple = z.tuple([z.unknown(), z.string().optional()], z.unknown());
  const parse = toParser(z.object({ a: z.union([tuple, z.array(z.unknown())]) }));
  for (let turn = 0; turn < 2 * compileAfter; turn++)
    expect((parse({ a: [] }) as ParseResult).value).toEqual({ a: [undefined] });
});

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
