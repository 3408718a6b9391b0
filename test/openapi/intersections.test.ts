import { Ajv2020 } from "ajv/dist/2020.js";
import { defaultEndpointsFactory as factory } from "sallyport";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { findOperation, generate } from "./generate.ts";

const strict = z.strictObject({ a: z.string() });
const named = z.object({ b: z.string() }).meta({ id: "Named" });
const closed = z.strictObject({ b: z.string() }).meta({ id: "Closed" });
const shape = (...options: readonly [z.ZodObject, z.ZodObject]) =>
  z.discriminatedUnion("kind", options as never);
const one = { kind: z.literal("one"), b: z.string() };
const two = { kind: z.literal("two") };
const value = { a: "x", b: "y", kind: "one", c: { a: "x", b: "y" } };

/** Checks whether a document describes a value that the server accepts. */
const isDescribed = (input: z.ZodType<object>, sent: object = value): boolean => {
  expect(input.safeParse(sent).success).toBe(true);
  const document = generate({ "post /a": factory.build({ input, handler: () => ({}) }) });
  const { requestBody } = findOperation(document, "POST /a");
  const schema = requestBody?.content["application/json"]?.schema;
  const { components } = document;
  return new Ajv2020({ strict: false }).compile({ ...schema, components })(sent);
};

describe("an intersection accepts the fields of each part, although some parts are strict", () => {
  const { a, b, kind } = value;
  test.each<[string, z.ZodType, object]>([
    ["with a component", strict.and(named), { a, b }],
    ["after a component", named.and(strict), { a, b }],
    ["with a lazy component", strict.and(z.lazy(() => named)), { a, b }],
    ["with a strict component", z.object({ a: z.string() }).and(closed), { a, b }],
    ["with a description", strict.and(z.strictObject({ b: z.string() }).describe("B")), { a, b }],
    ["that may be null", strict.and(z.strictObject({ b: z.string() }).nullable()), { a, b }],
    ["with a discriminated union", strict.and(shape(z.object(one), z.object(two))), { a, b, kind }],
    [
      "with a discriminated union of strict options",
      z.object({ a: z.string() }).and(shape(z.strictObject(one), z.strictObject(two))),
      { a, b, kind },
    ],
    [
      "with a record of other keys",
      z.object({ a: z.string() }).and(z.record(z.string().regex(/^x/), z.int())),
      { a, x1: 1 },
    ],
    [
      "in a strict component of another intersection",
      z
        .strictObject({ c: strict.and(named) })
        .meta({ id: "Outer" })
        .and(named),
      { b, c: { a, b } },
    ],
  ])("%s", (_name, schema, sent) => {
    expect(isDescribed(schema as z.ZodType<object>, sent)).toBe(true);
    expect(isDescribed(z.object({ field: schema }), { field: sent })).toBe(true);
  });
});
