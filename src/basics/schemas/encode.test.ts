import { describe, expect, test } from "vitest";
import { z } from "zod";
import { ez } from "./ez.ts";
import { readTopLevel } from "./top-level-keys.ts";

const money = z.codec(z.string().regex(/^\d+$/), z.bigint(), {
  decode: (text) => BigInt(text),
  encode: (value) => String(value),
});
const user = z.object({
  name: z.string(),
  bornOn: ez.dateIn(),
  balance: money.optional(),
  tags: z.array(z.string()).default([]),
});
const wire = { name: "Ada", bornOn: "1815-12-10T00:00:00.000Z", balance: "12", tags: ["a"] };

describe("ez.encode", () => {
  test("accepts what the given schema returns, and returns what that schema accepts", () => {
    const decoded = user.parse(wire);
    expect(decoded.bornOn).toBeInstanceOf(Date);
    expect(ez.encode(user).parse(decoded)).toEqual(wire);
  });

  test("works inside other schemas, and in copies of a schema", () => {
    const page = z.object({
      users: z.array(ez.encode(user).meta({ description: "A user" })),
      last: ez.encode(user).optional(),
      none: ez.encode(user.optional()),
    });
    const decoded = user.parse(wire);
    expect(page.parse({ users: [decoded] })).toEqual({ users: [wire] });
    expect(page.safeParse({ users: [wire] }).success).toBe(false);
  });

  test("is undone by a second ez.encode", () => {
    const same = ez.encode(ez.encode(user));
    expect(same.parse(wire)).toEqual(user.parse(wire));
    expect(z.encode(ez.encode(user), wire as never)).toEqual(user.parse(wire));
  });

  test("rejects values that the given schema would not have returned, and names the path", () => {
    const result = ez.encode(user).safeParse({ ...user.parse(wire), bornOn: "1815-12-10" });
    expect(result.error?.issues).toMatchObject([{ path: ["bornOn"], code: "invalid_type" }]);
    const checked = ez.encode(user.refine(({ name }) => name !== "Eve", "No Eve"));
    expect(checked.safeParse({ ...user.parse(wire), name: "Eve" }).error?.issues).toMatchObject([
      { message: "No Eve" },
    ]);
  });

  test("works asynchronously", async () => {
    const late = z.codec(z.string(), z.number(), {
      decode: async (text) => Number(text),
      encode: async (value) => String(value),
    });
    expect(await ez.encode(z.object({ late })).parseAsync({ late: 5 })).toEqual({ late: "5" });
  });

  test("discriminates the options of a discriminated union", () => {
    const options = z.discriminatedUnion("kind", [
      ez.encode(z.object({ kind: z.literal("a"), at: ez.dateIn() })) as never,
      ez.encode(z.object({ kind: z.literal("b"), n: money })) as never,
    ]);
    expect(options.parse({ kind: "b", n: 3n })).toEqual({ kind: "b", n: "3" });
  });

  test("exposes the fields of the given object schema", () => {
    expect([...readTopLevel(ez.encode(user)).fields.keys()]).toEqual(Object.keys(wire));
  });

  test("rejects a schema that cannot be reversed, and a value that is not a schema", () => {
    expect(() => ez.encode(z.object({ a: z.string().transform(Number) }))).toThrow(
      "ez.encode: the schema has a .transform() or z.preprocess(), which cannot be reversed.",
    );
    expect(() => ez.encode({} as never)).toThrow("must be a Zod 4 schema");
  });

  test("accepts recursive schemas, even before their definition is complete", () => {
    const tree: z.ZodType = z.object({
      at: ez.dateIn(),
      get children() {
        return z.array(tree);
      },
    });
    const at = new Date(0);
    expect(ez.encode(tree).parse({ at, children: [{ at, children: [] }] })).toEqual({
      at: at.toISOString(),
      children: [{ at: at.toISOString(), children: [] }],
    });
  });
});
