import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { DefinitionError } from "../errors.ts";
import { cursor, maxCursorLength } from "./cursor.ts";
import { dateIn } from "./dates.ts";
import { paginated } from "./paginated.ts";

const secret = "a secret of 32 characters or more";
const other = "another secret, of as many characters";
const after = cursor(z.object({ id: z.int(), name: z.string() }), { secret });

const messagesOf = (schema: z.ZodType, text: unknown): string[] | undefined =>
  schema.safeParse(text).error?.issues.map(({ message }) => message);

describe("ez.cursor", () => {
  test("decodes to the value that it signed", () => {
    fc.assert(
      fc.property(
        fc.record({ id: fc.maxSafeInteger(), name: fc.string({ unit: "binary" }) }),
        (value) => {
          const text = z.encode(after, value);
          expect(text).toMatch(/^[\w-]+$/);
          expect(z.decode(after, text)).toEqual(value);
        },
      ),
    );
  });

  test("tells the schema of its values", () => {
    const schema = z.object({ id: z.int() });
    expect(z.globalRegistry.get(cursor(schema, { secret }))?.["output"]).toBe(schema);
  });

  test("carries any value that JSON can represent", () => {
    const any = cursor(z.json(), { secret });
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), (value) => {
        // Zod drops the key `__proto__`
        fc.pre(!JSON.stringify(value).includes("__proto__"));
        const json = JSON.parse(JSON.stringify(value)) as z.core.util.JSONType;
        expect(z.decode(any, z.encode(any, json))).toEqual(json);
      }),
    );
  });

  const valid = z.encode(after, { id: 5, name: "Ada" });

  test("rejects a string with one character changed, removed or added", () => {
    const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=+/ .\n".split(
      "",
    );
    const wrong = valid
      .split("")
      .flatMap((own, at) => [
        `${valid.slice(0, at)}${valid.slice(at + 1)}`,
        ...letters
          .filter((letter) => letter !== own)
          .map((letter) => `${valid.slice(0, at)}${letter}${valid.slice(at + 1)}`),
        ...letters.map((letter) => `${valid.slice(0, at)}${letter}${valid.slice(at)}`),
      ]);
    expect(wrong.filter((text) => after.safeParse(text).success)).toEqual([]);
  });

  test("rejects any other string with the same message", () => {
    const foreign = cursor(z.object({ id: z.int(), name: z.string() }), { secret: other });
    const older = cursor(z.object({ id: z.string() }), { secret });
    for (const text of [
      "",
      "abc",
      "💥",
      "\uD800",
      "A".repeat(maxCursorLength + 1),
      `${valid}${valid}`,
      z.encode(foreign, { id: 5, name: "Ada" }),
      z.encode(older, { id: "5" }),
    ])
      expect(messagesOf(after, text)).toEqual(["Invalid cursor"]);
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.base64String()), (text) => {
        expect(messagesOf(after, text)).toEqual(["Invalid cursor"]);
      }),
    );
  });

  test("rejects an invalid cursor with a custom issue", () => {
    expect(after.safeParse("abc").error?.issues).toMatchObject([{ code: "custom", path: [] }]);
  });

  test.each([undefined, null, 5, [valid]])("rejects %j, which is not a string", (value) => {
    expect(messagesOf(after, value)?.[0]).toMatch(/expected string, received/);
  });

  test("verifies with each secret, and signs with the first", () => {
    const rotated = cursor(z.object({ id: z.int(), name: z.string() }), {
      secret: [other, secret],
    });
    expect(z.decode(rotated, valid)).toEqual({ id: 5, name: "Ada" });
    const renewed = z.encode(rotated, { id: 5, name: "Ada" });
    expect(after.safeParse(renewed).success).toBe(false);
    expect(z.decode(rotated, renewed)).toEqual({ id: 5, name: "Ada" });
  });

  test("carries a Date through a codec to a string", () => {
    const since = cursor(z.object({ at: dateIn(), by: z.coerce.date() }), { secret });
    const value = { at: new Date(5), by: new Date(6) };
    expect(z.decode(since, z.encode(since, value))).toEqual(value);
  });

  test("signs neither an invalid value nor one that is too large for a cursor", () => {
    expect(() => z.encode(after, { id: 1.5, name: "" })).toThrow(z.ZodError);
    expect(() => z.encode(after, { id: 1, name: "x".repeat(4000) })).toThrow(
      "Value too large for a cursor",
    );
    const nothing = cursor(z.int().optional(), { secret });
    expect(() => z.encode(nothing, undefined)).toThrow("Invalid value for a cursor");
    // 3,072 bytes become 4,096 characters; the bytes include 32 for the MAC and 18 around the name
    const longest = z.encode(after, { id: 1, name: "x".repeat(3022) });
    expect([longest.length, maxCursorLength]).toEqual([4096, 4096]);
    expect(z.decode(after, longest).name).toHaveLength(3022);
    expect(() => z.encode(after, { id: 1, name: "x".repeat(3023) })).toThrow("4096 characters");
  });

  test("supports an asynchronous schema", async () => {
    const late = cursor(
      z.int().refine(async (id) => id > 0),
      { secret },
    );
    const text = await z.encodeAsync(late, 5);
    expect(await z.decodeAsync(late, text)).toBe(5);
    await expect(z.encodeAsync(late, -5)).rejects.toThrow(z.ZodError);
    expect((await late.safeParseAsync(`${text}x`)).success).toBe(false);
  });

  test.each<[string, unknown[], RegExp]>([
    ["no options", [z.int()], /must be an object with secret; got undefined\.$/],
    ["no secret", [z.int(), {}], /`secret` must be .* got undefined/],
    ["a short secret", [z.int(), { secret: "hunter2" }], /got one of 7 characters/],
    ["no secrets", [z.int(), { secret: [] }], /got an empty array/],
    ["a short secret among others", [z.int(), { secret: [secret, "hunter2"] }], /got one of 7/],
    ["a number as a secret", [z.int(), { secret: [secret, 5] }], /got number/],
    ["a misspelt option", [z.int(), { secrets: secret }], /Did you mean `secret`\?/],
    ["no schema", [{}, { secret }], /must be a Zod 4 schema.*got \{\}\.$/],
    ["null", [null, { secret }], /must be a Zod 4 schema.*got null\.$/],
    ["a date", [z.object({ at: z.date() }), { secret }], /of kind date.*ez\.dateIn\(\)/],
    ["a transformation", [z.string().transform(Number), { secret }], /of kind transform/],
    ["a bigint in an array", [z.array(z.bigint()), { secret }], /of kind bigint/],
    ["a symbol", [z.object({ of: z.symbol() }), { secret }], /of kind symbol/],
    ["a Map", [z.map(z.string(), z.string()), { secret }], /of kind map/],
    ["a Set", [z.object({ all: z.set(z.string()) }), { secret }], /of kind set/],
    ["NaN", [z.object({ not: z.nan() }), { secret }], /of kind nan/],
    ["nothing", [z.object({ none: z.void() }), { secret }], /of kind void/],
    ["a file", [z.object({ file: z.file() }), { secret }], /of kind file/],
    ["a promise", [z.object({ later: z.promise(z.string()) }), { secret }], /of kind promise/],
  ])("cannot be created with %s", (_name, [schema, options], message) => {
    const build = (): unknown => cursor(schema as z.ZodInt, options as { secret: string });
    expect(build).toThrow(DefinitionError);
    expect(build).toThrow(/^ez\.cursor: /);
    expect(build).toThrow(message);
    expect(build).not.toThrow(/hunter2/);
  });

  test.each([
    ["SLP_DEFINITION_VALUE", [z.int(), undefined]],
    ["SLP_DEFINITION_VALUE", [z.int(), {}]],
    ["SLP_DEFINITION_UNKNOWN_KEY", [z.int(), { secrets: secret }]],
    ["SLP_DEFINITION_SCHEMA", [{}, { secret }]],
    ["SLP_DEFINITION_SCHEMA", [z.date(), { secret }]],
  ] as const)("throws an error with the code %s", (code, [schema, options]) => {
    expect(() => cursor(schema as z.ZodInt, options as { secret: string })).toThrow(
      expect.objectContaining({ code }) as Error,
    );
  });
});

describe("pages with a signed cursor", () => {
  const page = paginated({ style: "cursor", itemSchema: z.string(), cursor: after });

  test("read and write values", () => {
    const next = { id: 1, name: "x" };
    const sent = page.output.parse({ items: [], limit: 1, nextCursor: next });
    expect(page.input.parse({ cursor: sent.nextCursor })).toEqual({ cursor: next, limit: 20 });
    expect(page.input.parse({})).toEqual({ limit: 20 });
    expect(page.output.parse({ items: [], limit: 1, nextCursor: null }).nextCursor).toBeNull();
  });

  test("reject invalid cursors", () => {
    expect(messagesOf(page.input, { cursor: "" })).toEqual(["Invalid cursor"]);
    expect(page.output.safeParse({ items: [], limit: 1 }).success).toBe(false);
    const wrong = { items: [], limit: 1, nextCursor: { id: "1", name: "x" } };
    expect(page.output.safeParse(wrong).error?.issues[0]?.path).toEqual(["nextCursor", "id"]);
  });
});

test("pages can also have a string schema, or any codec from a string, as their cursor", () => {
  const codec = z.codec(z.string(), z.int(), { decode: Number, encode: String });
  const own = paginated({ style: "cursor", itemSchema: z.string(), cursor: codec });
  expect(own.input.parse({ cursor: "5" }).cursor).toBe(5);
  expect(own.output.parse({ items: [], limit: 1, nextCursor: 6 }).nextCursor).toBe("6");
  const short = paginated({ style: "cursor", itemSchema: z.string(), cursor: z.string().max(3) });
  expect(short.input.safeParse({ cursor: "long" }).success).toBe(false);
  expect(short.output.safeParse({ items: [], limit: 1, nextCursor: "long" }).success).toBe(false);
});
