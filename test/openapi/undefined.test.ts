import { ez } from "sallyport";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { inputOf, outputOf } from "./generate.ts";

/** Schemas whose values may be undefined, although that is not apparent at first. */
const hidden: readonly z.ZodType[] = [
  z.lazy(() => z.string().optional()),
  z.string().catch(undefined as never),
  z.string().optional().catch("a"),
  z.literal(["a", undefined]),
  ez.encode(z.string().optional()),
  ez.encode(ez.encode(z.string()).optional()),
  z.string().transform(Number).meta({ output: z.number().optional() }),
];

describe("a value that may be undefined in a response", () => {
  test("is a field that is not required, because JSON omits it", () => {
    const omitted = [
      ...[z.union([z.string(), z.undefined()]), z.undefined(), z.string().optional()],
      ...[z.any(), z.unknown()],
    ];
    for (const field of [...omitted, ...hidden])
      expect(outputOf(z.object({ field }))["required"]).toBeUndefined();
    expect(outputOf(z.record(z.enum(["a"]), z.int().optional()))["required"]).toBeUndefined();
    expect(outputOf(z.record(z.enum(["a"]), z.int()))["required"]).toEqual(["a"]);
  });

  test("is an element that may be null", () => {
    expect(outputOf(z.array(z.unknown()))).toEqual({ type: "array", items: {} });
    const text = z.string().optional();
    const orNull = { anyOf: [{ type: "string" }, { type: "null" }] };
    expect(outputOf(z.array(text))).toEqual({ type: "array", items: orNull });
    expect(inputOf(z.array(text))).toEqual({ type: "array", items: { type: "string" } });
    expect(outputOf(z.tuple([z.string(), text]).rest(text))).toMatchObject({
      prefixItems: [{ type: "string" }, orNull],
      items: orNull,
    });
    for (const element of hidden)
      expect(outputOf(z.array(element))).toHaveProperty("items.anyOf.1", { type: "null" });
  });

  test("is a key that a record does not require in a request, unlike a field of an object", () => {
    const keys = z.enum(["a"]);
    for (const values of [z.unknown(), z.any(), z.union([z.string(), z.undefined()])])
      expect(inputOf(z.record(keys, values))["required"]).toBeUndefined();
    for (const values of [z.string(), z.unknown().pipe(z.string())])
      expect(inputOf(z.record(keys, values))["required"]).toEqual(["a"]);
    expect(inputOf(z.object({ a: z.unknown() }))["required"]).toEqual(["a"]);
  });

  test("is no option of a union, and no more than a missing key", () => {
    const text = { type: "string" };
    for (const nothing of [z.undefined(), z.void(), z.never(), z.literal(undefined)]) {
      expect(inputOf(z.union([z.string(), nothing]).describe("Text"))).toEqual({
        ...text,
        description: "Text",
      });
      const optional = z.union([nothing, z.string()]).optional();
      for (const wrapped of [optional, optional.readonly(), optional.default("a")])
        expect(inputOf(wrapped.describe("Text"))).toMatchObject(text);
      expect(outputOf(z.union([nothing, z.string(), z.int()]))).toEqual({
        type: ["string", "integer"],
      });
      expect(inputOf(z.union([nothing, nothing]))).toEqual({ not: {} });
      expect(inputOf(z.union([nothing.nullable(), z.string()]))).toEqual({
        type: ["null", "string"],
      });
    }
  });

  test("is not the input of a default that ez.encode reverses", () => {
    const element = ez.encode(z.string().default("a"));
    expect(outputOf(z.array(element))["items"]).not.toHaveProperty("anyOf");
  });
});
