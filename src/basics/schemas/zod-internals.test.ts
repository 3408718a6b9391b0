import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { ZodSchema } from "./schema.ts";
import {
  readBooleanStrings,
  readLazy,
  readOptionality,
  readPropertyValues,
  readValues,
} from "./zod-internals.ts";

/** Removes the named internals from a schema, and returns the schema. */
const lack = <Schema extends ZodSchema>(schema: Schema, ...names: readonly string[]): Schema => {
  for (const name of names)
    Object.defineProperty(schema._zod, name, { configurable: true, value: undefined });
  return schema;
};

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
    const lazy = z.lazy(() => {
      calls++;
      return z.string();
    });
    expect(readLazy(lazy)).toBe(readLazy(lazy));
    expect(calls).toBe(1);
  });

  test("treats the strings of a stringbool as unknown", () => {
    expect(readBooleanStrings(z.stringbool({ truthy: ["y"], falsy: ["n"] }))).toEqual(["y", "n"]);
    expect(readBooleanStrings(lack(z.stringbool(), "bag"))).toBeUndefined();
    expect(readBooleanStrings(z.string())).toBeUndefined();
  });
});
