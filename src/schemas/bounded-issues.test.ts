import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { maxIssues, toZodError } from "./issues.ts";
import { compileAfter, toInputParser } from "./parser.ts";
import type { ParseResult } from "./parse-result.ts";

const parse = (schema: z.ZodType, value: unknown): ParseResult =>
  toInputParser(schema)(value) as ParseResult;

const wrong = Array.from({ length: 5000 }, () => true);
const wrongByKey = Object.fromEntries(wrong.entries());

describe("a value with many wrong elements", () => {
  test.each([
    ["an array", z.object({ a: z.array(z.string()) }), { a: wrong }],
    [
      "an array of short strings",
      z.object({ a: z.array(z.string().min(9)) }),
      { a: wrong.map(() => "x") },
    ],
    ["an array in an array", z.object({ a: z.array(z.array(z.string())) }), { a: [wrong] }],
    [
      "an array of unions",
      z.object({ a: z.array(z.union([z.string(), z.number()])) }),
      { a: wrong },
    ],
    ["a set", z.object({ a: z.set(z.string()) }), { a: new Set(wrong.keys()) }],
    ["a record", z.object({ a: z.record(z.string(), z.string()) }), { a: wrongByKey }],
    ["the keys of a record", z.record(z.string().regex(/^x/), z.boolean()), wrongByKey],
    ["the rest of a tuple", z.object({ a: z.tuple([z.boolean()], z.string()) }), { a: wrong }],
    ["an object with a catchall", z.object({}).catchall(z.string()), wrongByKey],
    ["a lazy array", z.lazy(() => z.object({ a: z.array(z.string()).optional() })), { a: wrong }],
    [
      "an array of refined strings",
      z.object({ a: z.array(z.string().refine(() => true)) }),
      { a: wrong },
    ],
    [
      "a refined array of strings with aborting checks",
      z.object({ a: z.array(z.string().min(9, { abort: true })).refine(() => true) }),
      { a: wrong.map(() => "x") },
    ],
    [
      "one side of an intersection",
      z.intersection(z.object({ a: z.array(z.string()) }), z.object({})),
      { a: wrong },
    ],
  ])("causes at most `maxIssues` issues: %s", (_name, schema, value) => {
    for (let turn = 0; turn < compileAfter * 2; turn++) {
      const { length } = parse(schema, value).issues;
      expect(length).toBe(maxIssues);
    }
  });

  test.each<[string, z.ZodType, unknown]>([
    ["in an option of a union", z.union([z.array(z.string()), z.boolean()]), wrong],
    ["in the only option of a union", z.union([z.array(z.string())]), wrong],
    [
      "in a discriminated union",
      z.discriminatedUnion("a", [z.object({ a: z.literal(1), b: z.array(z.string()) })]),
      { a: 1, b: wrong },
    ],
    ["in a caught value", z.array(z.string()).catch(({ issues }) => issues as never), wrong],
  ])("causes at most `maxIssues` nested issues: %s", (_name, schema, value) => {
    for (let turn = 0; turn < compileAfter * 2; turn++) {
      const { issues, value: caught } = parse(schema, value);
      const [issue] = toZodError(issues).issues;
      const inside = issue && "errors" in issue ? issue.errors[0] : issues;
      expect(issue ? inside : caught).toHaveLength(maxIssues);
    }
  });

  test.each<[string, (element: z.ZodNumber) => z.ZodType]>([
    ["caught", (element) => element.catch(0)],
    ["caught in a union", (element) => z.union([element, z.string()]).catch("")],
    ["caught, with a check", (element) => element.catch(0).refine(() => true)],
  ])("causes no unread messages to be created: %s", (_name, wrap) => {
    let messages = 0;
    const element = z.number({ error: () => `message ${messages++}` });
    expect(parse(z.array(wrap(element)), wrong).issues).toEqual([]);
    expect(messages).toBe(0);
  });

  test("never makes V8 store the issues of unions in dictionary mode, which is ten times slower", () => {
    setFlagsFromString("--allow-natives-syntax");
    const isFast = runInNewContext("(issue) => %HasFastProperties(issue)") as (
      issue: unknown,
    ) => boolean;
    const caught: unknown[] = [];
    const element = z.union([z.string(), z.number()]).catch(({ issues }) => {
      caught.push(...issues);
      return "";
    });
    parse(z.array(element), [true, false]);
    expect(caught.map(isFast)).toEqual([true, true]);
    expect(caught[1]).toMatchObject({ errors: [[{}], [{}]] });
  });

  const element = z.array(z.number());
  test.each<[string, z.ZodType, unknown]>([
    ["a tuple", z.tuple([element], element), wrong],
    ["a longer tuple", z.tuple([element, element, element.optional()], element), wrong],
    [
      "an object",
      z.object({ a: element, b: element }).catchall(element),
      { a: 1, b: 1, ...wrongByKey },
    ],
  ])(
    "causes the same first issues as with Zod alone, even if %s uses one schema for all its parts",
    (_what, schema, value) => {
      const toPaths = (issues: ParseResult["issues"]) =>
        toZodError(issues).issues.map(({ path }) => path);
      const zods = schema._zod.run({ value, issues: [] }, { async: false }) as ParseResult;
      for (let turn = 0; turn < compileAfter * 2; turn++) {
        const { issues } = parse(schema, value);
        expect(toPaths(issues)).toEqual(toPaths(zods.issues));
        expect(issues.length).toBeLessThan(2 * maxIssues);
      }
    },
  );

  test("causes issues for the first wrong elements, and leaves the schema unchanged", () => {
    const schema = z.object({ a: z.array(z.string()) });
    const { element } = schema.shape.a;
    const own = Object.getOwnPropertyDescriptor(element._zod, "run");
    expect(parse(schema, { a: ["x", ...wrong] }).issues[0]).toMatchObject({ path: ["a", 1] });
    expect(Object.getOwnPropertyDescriptor(element._zod, "run")).toEqual(own);
    expect(schema.safeParse({ a: wrong }).error?.issues).toHaveLength(wrong.length);
  });

  test("causes custom functions to run once for each checked element", () => {
    let calls = 0;
    const element = z.string().refine(() => ++calls < 0);
    parse(z.object({ a: z.array(element) }), { a: wrong.map(() => "x") });
    expect(calls).toBe(maxIssues);
  });

  test("is also rejected by an asynchronous schema", async () => {
    const schema = z.object({
      a: z.array(z.string().refine(async () => false)),
      b: z.array(z.int()),
    });
    const result = await toInputParser(schema)({ a: ["x"], b: wrong });
    expect(result.issues.length).toBeGreaterThanOrEqual(maxIssues);
  });
});

describe("issues of wrong elements", () => {
  const texts = z.array(z.string());
  const numbers = z.array(z.number());
  const many = wrong.map(String);

  test.each([
    ["a union", z.object({ a: z.union([numbers, texts]), b: numbers }), { a: many, b: ["x"] }],
    ["a catch", z.object({ a: numbers.catch([]), b: numbers }), { a: many, b: ["x"] }],
    [
      "a shared element",
      z.object({ a: z.array(z.number()).catch([]), b: numbers, c: z.union([numbers, texts]) }),
      { a: many, b: [1], c: [...many, 1] },
    ],
  ])(
    "that the schema tolerates do not hide the issues that fail the parse: %s",
    (_name, schema, value) => {
      for (let turn = 0; turn < compileAfter * 2; turn++)
        expect(parse(schema, value).issues).not.toEqual([]);
      expect(parse(schema, { ...value, a: many, b: [1], c: many }).issues).toEqual([]);
    },
  );

  test.each([
    ["unknown keys do not stop it", [], 1],
    ["a failed check after unknown keys does", ["x"], 0],
    ["a wrong type after unknown keys does", [1], 0],
  ])("decide whether a transformation runs: %s", async (_name, last, calls) => {
    const transform = vi.fn();
    const element = z.union([z.strictObject({}), z.string().min(3)]);
    const strange = wrong.map(() => ({ a: 1 }));
    await toInputParser(z.array(element).transform(transform))([...strange, ...last]);
    expect(transform).toHaveBeenCalledTimes(calls);
  });

  test.each([
    ["wrong types do not stop it", [], 1],
    ["an aborting check does, even after wrong types", ["x"], 0],
  ])("decide whether a refinement of wrong arrays runs: %s", async (_name, last, calls) => {
    const check = vi.fn(() => true);
    const list = z.array(z.string().min(3, { abort: true })).refine(check, { when: () => true });
    await toInputParser(list)([...wrong, ...last]);
    expect(check).toHaveBeenCalledTimes(calls);
  });

  test("are reported for elements that match two options of an exclusive union", () => {
    const schema = z.array(z.xor([z.string(), z.string().min(2)]));
    for (let turn = 0; turn < compileAfter * 2; turn++)
      expect(parse(schema, ["a", "ab"]).issues).toMatchObject([
        { code: "invalid_union", path: [1] },
      ]);
  });

  test("disappear where a catch replaces the elements, and valid elements are kept", async () => {
    for (let turn = 0; turn < compileAfter * 2; turn++)
      expect(parse(z.array(z.number().catch(0)), [1, "x", 2])).toMatchObject({ value: [1, 0, 2] });
    const late = z.array(
      z
        .number()
        .refine(async (value) => value < 2)
        .catch(0),
    );
    expect(await toInputParser(late)([1, "x", 2])).toMatchObject({ value: [1, 0, 0], issues: [] });
  });

  test("do not hide a later, more severe issue that decides the outcome of a union", () => {
    const schema = z.union([z.array(z.string().min(3)), z.boolean()]);
    const short = wrong.map(() => "x");
    const codesOf = (value: unknown) =>
      new Set(parse(schema, value).issues.map(({ code }) => code));
    for (let turn = 0; turn < compileAfter * 2; turn++) {
      expect(codesOf(short)).toEqual(new Set(["too_small"]));
      expect(codesOf([...short, 5])).toEqual(new Set(["invalid_union"]));
    }
  });

  const keys = z.enum(["a", "b"]);
  const sides = z.intersection(
    z.looseObject({ n: z.number() }),
    z.record(z.string().regex(/^(?:k|n)/), z.unknown()),
  );
  test("are not caused by keys that both sides of an intersection accept", () => {
    const value = { n: 1, ...Object.fromEntries(many.map((_text, index) => [`k${index}`, keys])) };
    expect(parse(sides, value).issues).toEqual([]);
  });
});

test("a custom function may itself parse with the schema of the elements", () => {
  const element = z.number().min(3);
  let right = 0;
  const schema = z.array(element).refine((list) => {
    right = list.filter((one) => element.safeParse(one).success).length;
    return true;
  });
  expect(
    parse(
      schema,
      wrong.map(() => 1),
    ).issues,
  ).toHaveLength(maxIssues);
  expect(right).toBe(0);
});

test("keys that a loose record passes on cause no issues", () => {
  const value = z.number();
  const schema = z.object({
    a: z.looseRecord(z.string().regex(/^x-/), value),
    b: z.union([value, z.string()]).optional(),
  });
  for (let turn = 0; turn < compileAfter * 2; turn++)
    expect(parse(schema, { a: { ...wrongByKey, "x-a": 1 } }).issues).toEqual([]);
});
