import { describe, expect, test } from "vitest";
import { z } from "zod";
import { isBackward, readBooleanStrings, reverse } from "../../src/basics/schemas/zod-internals.ts";

/** These tests check the internals named in `src/basics/schemas/zod-internals.ts`. */
describe("undocumented assumptions about Zod", () => {
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

  test("the context passed to the `parse` of a schema tells the direction of the parse", () => {
    const seen: boolean[] = [];
    const Probe = z.core.$constructor<z.ZodType>("Probe", (inst, def) => {
      z.ZodType.init(inst, def);
      inst._zod.parse = (payload, context) => {
        seen.push(isBackward(context));
        return payload;
      };
    });
    const wrapped = z.codec(new Probe({ type: "custom" }), z.unknown(), {
      decode: (value) => value,
      encode: (value) => value,
    });
    z.encode(wrapped, "a");
    z.decode(wrapped, "a");
    expect(new Set(seen.slice(0, -1))).toEqual(new Set([true]));
    expect(seen.at(-1)).toBe(false);
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
