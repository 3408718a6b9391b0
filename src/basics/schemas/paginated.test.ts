import { describe, expect, test } from "vitest";
import { z } from "zod";
import { DefinitionError } from "../errors.ts";
import { cursor } from "./cursor.ts";
import { formatIssues, toZodError } from "./issues.ts";
import { paginated, plainInteger, readPagination } from "./paginated.ts";
import { compileAfter, runsUserCode, toParser, type ParseResult } from "./parser.ts";

const item = z.object({ name: z.string() });
const secret = "a secret of 32 characters or more";
const byOffset = paginated({ style: "offset", itemSchema: item, maxLimit: 50 });
const byCursor = paginated({ style: "cursor", itemSchema: item });

const parseCompiled = (schema: z.ZodType, value: unknown): ParseResult => {
  const parse = toParser(schema);
  for (let turn = 0; turn < compileAfter; turn++) void parse({});
  return parse(value) as ParseResult;
};

describe("the input schema of pages", () => {
  test("has the page size and the offset, each with a default", () => {
    expect(byOffset.input.parse({})).toEqual({ limit: 20, offset: 0 });
    expect(byOffset.input.parse({ limit: "50", offset: 7, x: 1 })).toEqual({
      limit: 50,
      offset: 7,
    });
    expect(byCursor.input.parse({})).toEqual({ limit: 20 });
    expect(byCursor.input.parse({ limit: 5, cursor: "" })).toEqual({ limit: 5, cursor: "" });
  });

  test.each([
    [{ maxLimit: 10 }, 10],
    [{ maxLimit: 200 }, 20],
    [{ maxLimit: 10, defaultLimit: 10 }, 10],
    [{ defaultLimit: 100 }, 100],
  ])("derives its default page size from %j", (limits, expected) => {
    const { input } = paginated({ style: "offset", itemSchema: item, ...limits });
    expect(input.parse({}).limit).toBe(expected);
  });

  const plain = "Invalid input: expected a plain integer";
  test.each<[unknown, string]>([
    ...["", " 5 ", "1e1", "0x10", "+5", "05", "-0", "5.0", "1.5", "1_0", "٣", "5\n", "abc"].map(
      (text): [string, string] => [text, plain],
    ),
    ...[true, null, Number.NaN, Infinity].map((value): [unknown, string] => [value, plain]),
    [["5"], plain],
    [1.5, "Invalid input: expected int, received number"],
    ["0", "Too small: expected number to be >=1"],
    [-1, "Too small: expected number to be >=1"],
    ["51", "Too big: expected number to be <=50"],
    ["99999999999999999999", "Too big: expected number to be <=50"],
    [2 ** 53, "Too big: expected number to be <=50"],
  ])("rejects a limit of %j, whether or not the schema is compiled", (limit, message) => {
    const cold = byOffset.input.safeParse({ limit });
    expect(formatIssues(cold.error?.issues ?? [])).toBe(`limit: ${message}`);
    const { issues } = parseCompiled(byOffset.input, { limit });
    expect(formatIssues(toZodError(issues).issues)).toBe(`limit: ${message}`);
  });

  test("accepts any safe offset", () => {
    const offset = Number.MAX_SAFE_INTEGER;
    expect(byOffset.input.parse({ offset: String(offset) }).offset).toBe(offset);
    expect(byOffset.input.safeParse({ offset: offset + 1 }).success).toBe(false);
    expect(byOffset.input.safeParse({ offset: "9007199254740993" }).success).toBe(false);
    expect(byOffset.input.safeParse({ offset: -1 }).success).toBe(false);
  });

  test.each([null, 5, ["x", "y"]])("rejects a cursor of %j", (value) => {
    expect(byCursor.input.safeParse({ cursor: value }).success).toBe(false);
  });

  test("consists of Zod's own schemas, and can be compiled", () => {
    for (const { input, output } of [byOffset, byCursor]) {
      expect(runsUserCode(input)).toBe(false);
      expect(runsUserCode(output)).toBe(false);
    }
    const compiled = z.compile(byOffset.input, { strict: true });
    expect(compiled.parse({ limit: "5" })).toEqual({ limit: 5, offset: 0 });
  });

  test("can be combined with other fields", () => {
    const filter = z.object({ role: z.string() });
    const expected = { limit: 5, offset: 0, role: "x" };
    for (const schema of [
      byOffset.input.and(filter),
      byOffset.input.extend(filter.shape),
      byOffset.input.merge(filter),
    ])
      expect(schema.parse({ limit: "5", role: "x" })).toEqual(expected);
  });
});

describe("the output schema of pages", () => {
  const page = { items: [{ name: "Ada", secret: 1 }], limit: 1000 };

  test("has the items, and the fields that describe their position", () => {
    expect(byOffset.output.parse({ ...page, total: 0, offset: 0 })).toEqual({
      items: [{ name: "Ada" }],
      limit: 1000,
      total: 0,
      offset: 0,
    });
    expect(byCursor.output.parse({ ...page, nextCursor: null }).nextCursor).toBeNull();
    expect(byCursor.output.parse({ ...page, nextCursor: "x" }).nextCursor).toBe("x");
  });

  test.each([{ total: -1 }, { total: 1.5 }, { limit: 0 }, { offset: -1 }, { items: null }])(
    "rejects %j",
    (wrong) => {
      const value = { ...page, total: 0, offset: 0, ...wrong };
      expect(byOffset.output.safeParse(value).success).toBe(false);
    },
  );

  test("requires `nextCursor`, even on the last page", () => {
    expect(byCursor.output.safeParse(page).success).toBe(false);
  });
});

test("field descriptions in documents use the application's name for the items", () => {
  const users = paginated({ style: "offset", itemSchema: item, itemsName: "users", maxLimit: 50 });
  expect(z.toJSONSchema(users.input, { io: "input" }).properties).toEqual({
    limit: {
      type: "integer",
      minimum: 1,
      maximum: 50,
      default: 20,
      description: "Page size (number of users per page)",
    },
    offset: {
      type: "integer",
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      default: 0,
      description: "Number of users to skip",
    },
  });
  expect(users.output.shape.users.description).toBe("Page of users");
  expect(users.output.shape.total.description).toBe("Total number of users");
  const signed = paginated({
    style: "cursor",
    itemSchema: item,
    cursor: cursor(z.int(), { secret }),
  });
  expect(z.toJSONSchema(signed.input, { io: "input" }).properties).toMatchObject({
    cursor: { type: "string" },
  });
  expect(z.toJSONSchema(signed.output).properties).toMatchObject({
    nextCursor: { type: ["string", "null"] },
  });
});

describe("wrong options", () => {
  const oneWay = z.codec(z.string(), z.string().transform(Number), {
    decode: (text) => text,
    encode: String,
  });
  test.each<[string, object, RegExp]>([
    ["style", {}, /must be "offset" or "cursor"; got undefined\.$/],
    ["style", { style: "ofset" }, /got "ofset"\. Did you mean `offset`\?/],
    ["style", { style: "page" }, /got "page"\.$/],
    ["itemSchema", { style: "offset", itemSchema: {} }, /must be a Zod 4 schema/],
    ["maxLimt", { style: "offset", maxLimt: 5 }, /Did you mean `maxLimit`\?/],
    ...[0, -1, 1.5, Infinity, Number.NaN, 2 ** 53, "5", null].flatMap(
      (limit): [string, object, RegExp][] => [
        ["maxLimit", { style: "offset", maxLimit: limit }, /must be a positive integer; got/],
        ["defaultLimit", { style: "cursor", defaultLimit: limit }, /must be a positive integer/],
      ],
    ),
    ["defaultLimit", { style: "offset", defaultLimit: 9, maxLimit: 8 }, /which is 8; got 9/],
    ...["total", "limit", "offset"].map((itemsName): [string, object, RegExp] => [
      "itemsName",
      { style: "offset", itemsName },
      /total, limit, offset, which are reserved in offset style/,
    ]),
    ...["nextCursor", "limit"].map((itemsName): [string, object, RegExp] => [
      "itemsName",
      { style: "cursor", itemsName },
      /nextCursor, limit, which are reserved in cursor style/,
    ]),
    ["itemsName", { style: "offset", itemsName: "__proto__" }, /the name of a property/],
    ["itemsName", { style: "offset", itemsName: 5 }, /the name of a property/],
    ["cursor", { style: "offset", cursor: z.string() }, /only allowed in cursor style/],
    ["cursor", { style: "cursor", cursor: z.int() }, /made by ez\.cursor/],
    ["cursor", { style: "cursor", cursor: oneWay }, /has a \.transform\(\) or z\.preprocess\(\)/],
    ["links", { style: "offset", links: "yes" }, /must be true or false/],
  ])("are named in the error: %s with %j", (name, options, message) => {
    const build = (): unknown => paginated({ itemSchema: item, ...options } as never);
    expect(build).toThrow(DefinitionError);
    expect(build).toThrow(/^ez\.paginated: /);
    expect(build).toThrow(`\`${name}\``);
    expect(build).toThrow(message);
  });

  test("include values that are not objects", () => {
    expect(() => paginated(undefined as never)).toThrow(
      "ez.paginated: `options` must be an object with style, ",
    );
  });

  test("do not include the reserved names of the other style", () => {
    paginated({ style: "offset", itemSchema: item, itemsName: "nextCursor" });
    paginated({ style: "cursor", itemSchema: item, itemsName: "total" });
  });
});

describe("readPagination", () => {
  const { input, output } = paginated({
    style: "offset",
    itemSchema: item,
    itemsName: "users",
    maxLimit: 30,
    links: true,
  });
  const known = { style: "offset", itemsName: "users", maxLimit: 30, defaultLimit: 20 };
  const more = z.object({ more: z.string() });

  test.each<[string, z.ZodType]>([
    ["the input", input],
    ["the output", output],
    [".extend()", output.extend({ took: z.number() })],
    [".and()", output.and(more)],
    [".and() of another schema", more.and(input)],
    [".describe()", output.describe("Users")],
    [".meta()", output.meta({ id: "users" })],
    [".strict()", output.strict()],
    [".optional()", output.optional()],
    [".partial()", input.partial()],
    ["a refinement", output.refine(() => true)],
    ["a transformation", output.transform((page) => page)],
    ["a field described again", input.extend({ limit: input.shape.limit.describe("Limit") })],
    ["a compiled schema", z.compile(output)],
  ])("recognises %s", (_name, schema) => {
    expect(readPagination(schema)).toEqual({ ...known, hasLinks: true });
  });

  test("returns a frozen object", () => {
    expect(readPagination(output)).toSatisfy(Object.isFrozen);
  });

  test("recognises the cursor style", () => {
    const expected = { style: "cursor", itemsName: "items", maxLimit: 100, hasLinks: false };
    expect(readPagination(byCursor.input)).toMatchObject(expected);
    expect(readPagination(byCursor.output)).toMatchObject(expected);
  });

  test.each<[string, z.ZodType]>([
    ["a custom page", z.object({ items: z.array(item), limit: z.int(), offset: z.int() })],
    ["a custom limit", output.extend({ limit: z.int() })],
    ["only a limit", z.object({ limit: input.shape.limit })],
    ["a nested page", z.object({ page: output })],
    ["no object", z.string()],
  ])("does not recognise %s", (_name, schema) => {
    expect(readPagination(schema)).toBeUndefined();
  });
});

const integer = plainInteger(-5, 100, 7);

test.each([
  [undefined, 7],
  [-5, -5],
  ["-5", -5],
  ["0", 0],
  ["10", 10],
  [100, 100],
  ["100", 100],
])("plainInteger parses %j as %i", (value, number) => {
  expect(integer.parse(value)).toBe(number);
});

test.each([
  ..."-6|101|00|01|-0|+1|1.0|1e1|0x1| 1|1 |1\n|Infinity|NaN|true|".split("|"),
  ...[-6, 101, 1.5, Number.NaN, Infinity, null, true, [], "9007199254740993"],
])("plainInteger rejects %j with a single issue", (value) => {
  expect(integer.safeParse(value).error?.issues).toHaveLength(1);
});

test("plainInteger reports only the range issue for a fraction outside the range", () => {
  expect(integer.safeParse(-6.5).error?.issues).toMatchObject([{ code: "too_small" }]);
  expect(integer.safeParse(100.5).error?.issues).toMatchObject([{ code: "too_big" }]);
});

test("documents show a plain integer as type integer", () => {
  expect(z.toJSONSchema(integer, { io: "input" })).toMatchObject({
    ...{ type: "integer", minimum: -5, maximum: 100, default: 7 },
  });
});
