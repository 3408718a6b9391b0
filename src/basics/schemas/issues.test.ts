import { describe, expect, test } from "vitest";
import { z } from "zod";
import { formatIssues, maxIssues, maxMessageBytes, toShortIssues, toZodError } from "./issues.ts";
import { declaresKey, toParser } from "./parser.ts";

const issuesOf = (schema: z.ZodType, value: unknown): readonly z.core.$ZodIssue[] => {
  const result = toParser(schema)(value);
  if (result instanceof Promise) throw new Error("synchronous schemas only");
  return toZodError(result.issues).issues;
};

describe("formatIssues", () => {
  test("writes dots before keys, and brackets around indexes and unusual keys", () => {
    const schema = z.object({
      a: z.string(),
      b: z.object({ c: z.array(z.object({ d: z.number() })) }),
      "x-y": z.boolean(),
    });
    const issues = issuesOf(schema, { b: { c: [{ d: 1 }, { d: "2" }] }, "x-y": 1 });
    expect(formatIssues(issues)).toBe(
      'a: Invalid input: expected string, received undefined; b.c[1].d: Invalid input: expected number, received string; ["x-y"]: Invalid input: expected boolean, received number',
    );
  });

  test("writes only the message if there is no path", () => {
    expect(formatIssues(issuesOf(z.object({}), 5))).toBe(
      "Invalid input: expected object, received number",
    );
  });

  test("begins each path with the given root", () => {
    const issues = issuesOf(z.object({ list: z.array(z.string()) }), { list: ["a", 1] });
    expect(formatIssues(issues, "output")).toBe(
      "output.list[1]: Invalid input: expected string, received number",
    );
    expect(formatIssues(issuesOf(z.object({}), undefined), "output")).toBe(
      "output: Invalid input: expected object, received undefined",
    );
  });

  test("reports at most ten issues", () => {
    const many = Array.from({ length: 50_000 }, () => "x");
    expect(issuesOf(z.array(z.number()), many)).toHaveLength(maxIssues);
  });

  test("cuts the string at two KiB, between characters", () => {
    const issue: z.core.$ZodIssueCustom = {
      code: "custom",
      path: [],
      message: "ä€😀".repeat(1000),
      input: undefined,
    };
    const text = formatIssues([issue]);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(maxMessageBytes);
    expect(Buffer.byteLength(text)).toBeGreaterThan(maxMessageBytes - 8);
    expect(text).not.toContain("\ufffd");
  });
});

describe("keys chosen by the client", () => {
  const messageOf = (schema: z.ZodType, value: unknown): string => {
    const parse = toParser(schema);
    const result = parse(value);
    if (result instanceof Promise) throw new Error("synchronous schemas only");
    const { issues } = toZodError(result.issues, (key) => declaresKey(parse, key));
    expect(JSON.stringify(issues)).not.toContain("<b>");
    return formatIssues(issues);
  };

  test.each<[string, z.ZodType, unknown, string]>([
    ["an unknown key", z.strictObject({}), { a: 1 }, 'Unrecognized key: "a"'],
    ["an unsafe key", z.strictObject({}), { "<b>": 1 }, 'Unrecognized key: "…"'],
    [
      "several",
      z.strictObject({}),
      { "<b>": 1, a: 1, ["x".repeat(65)]: 1 },
      'Unrecognized keys: "a", "…"',
    ],
    [
      "thousands",
      z.strictObject({}),
      Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`k${index}`, 1])),
      'Unrecognized keys: "k0", "k1", "k2", "k3", "k4", "…"',
    ],
    [
      "a key of a record",
      z.object({ "of all": z.record(z.string(), z.int()) }),
      { "of all": { "<b>": "x" } },
      '["of all"]["…"]: Invalid input: expected number, received string',
    ],
    [
      "a wrong key of a record",
      z.record(z.string().regex(/^x/), z.int()),
      { "<b>": 1 },
      '["…"]: Invalid key in record',
    ],
    [
      "a key of an enum",
      z.partialRecord(z.enum(["a b"]), z.int()),
      { "a b": "x" },
      '["a b"]: Invalid input: expected number, received string',
    ],
  ])("are named if their spelling is safe: %s", (_name, schema, value, message) => {
    expect(messageOf(schema, value)).toBe(message);
  });
});

describe("toShortIssues", () => {
  const toIssue = (path: PropertyKey[], message = "wrong"): z.core.$ZodIssueCustom => ({
    ...{ code: "custom", path, message, input: undefined },
  });

  test("returns the path, the message and the code, and nothing of the input", () => {
    const issue = { ...toIssue(["a", 1, Symbol("b")]), input: "secret" };
    expect(toShortIssues([issue])).toEqual([
      { path: ["a", 1, "Symbol(b)"], message: "wrong", code: "custom" },
    ]);
  });

  test("cuts each string at 256 bytes", () => {
    const [short] = toShortIssues([toIssue(["k".repeat(256), "k".repeat(257)], "ä".repeat(200))]);
    expect(short?.path).toEqual(["k".repeat(256), `${"k".repeat(253)}…`]);
    expect(short?.message).toBe(`${"ä".repeat(126)}…`);
  });

  test("fills four KiB to the last byte", () => {
    const size = (issues: readonly object[]): number =>
      issues.reduce((sum, issue) => sum + JSON.stringify(issue).length, 0);
    const fill = (last: number) => [
      ...Array.from({ length: 15 }, () => toIssue([], "m".repeat(220))),
      toIssue([], "m".repeat(last)),
    ];
    const rest = 4096 - size(toShortIssues(fill(0)));
    expect(toShortIssues(fill(rest))).toHaveLength(16);
    expect(size(toShortIssues(fill(rest)))).toBe(4096);
    expect(toShortIssues(fill(rest + 1))).toHaveLength(15);
  });

  test("returns as many issues as fit into four KiB, but at least one", () => {
    const long = toIssue(Array.from({ length: 4 }, () => "k".repeat(300)));
    const some = toShortIssues(Array.from({ length: 10 }, () => long));
    expect(some).toHaveLength(3);
    expect(JSON.stringify(some).length).toBeLessThan(4096);
    expect(
      toShortIssues([toIssue(Array.from({ length: 40 }, () => "k".repeat(300)))]),
    ).toHaveLength(1);
  });
});
