import { describe, expect, test } from "vitest";
import { z } from "zod";
import { inputOf, outputOf } from "./generate.ts";

describe("a value that may be undefined in a response", () => {
  test("is a field that is not required, because JSON omits it", () => {
    const omitted = [z.union([z.string(), z.undefined()]), z.undefined(), z.string().optional()];
    for (const field of omitted) expect(outputOf(z.object({ field }))["required"]).toBeUndefined();
    expect(outputOf(z.record(z.enum(["a"]), z.int().optional()))["required"]).toBeUndefined();
    expect(outputOf(z.record(z.enum(["a"]), z.int()))["required"]).toEqual(["a"]);
  });

  test("is an element that may be null", () => {
    const text = z.string().optional();
    const orNull = { anyOf: [{ type: "string" }, { type: "null" }] };
    expect(outputOf(z.array(text))).toEqual({ type: "array", items: orNull });
    expect(inputOf(z.array(text))).toEqual({ type: "array", items: { type: "string" } });
    expect(outputOf(z.tuple([z.string(), text]).rest(text))).toMatchObject({
      prefixItems: [{ type: "string" }, orNull],
      items: orNull,
    });
  });
});
