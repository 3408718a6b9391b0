import { defaultEndpointsFactory as factory } from "sallyport";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { generate, inputOf } from "./generate.ts";

const named = z.object({ a: z.string() }).meta({ id: "Named" });

describe("Null among values has a type, without which generators of clients lose it", () => {
  const some = z.literal(["a", 1, 2, null]).describe("Which");

  test.each<[string, z.ZodType, object, object]>([
    [
      "in a literal",
      z.literal(["a", null]),
      { type: ["string", "null"], enum: ["a", null] },
      { type: "string", nullable: true, enum: ["a", null] },
    ],
    [
      "in a literal with several types",
      some,
      {
        anyOf: [{ type: "string", const: "a" }, { type: "number", enum: [1, 2] }, { type: "null" }],
        description: "Which",
      },
      {
        anyOf: [
          { type: "string", enum: ["a", null], nullable: true },
          { type: "number", enum: [1, 2] },
        ],
        description: "Which",
      },
    ],
  ])("%s", (_where, schema, in31, in30) => {
    expect(inputOf(schema)).toEqual(in31);
    expect(inputOf(schema, { openapi: "3.0" })).toEqual(in30);
  });

  test("in the values of a query parameter that two options of a union have", () => {
    const option = (kind: "a" | null) => z.object({ kind: z.literal(kind) });
    const endpoint = factory.build({
      input: z.union([option("a"), option(null)]),
      handler: () => ({}),
    });
    expect(generate({ a: endpoint }).paths["/a"]).toMatchObject({
      get: { parameters: [{ schema: { type: ["string", "null"], enum: ["a", null] } }] },
    });
  });
});

describe("Null as an alternative in OpenAPI 3.0", () => {
  const nullComponent = { type: "string", nullable: true, enum: [null] };

  test("is a component, whose name no other component has", () => {
    const other = z.object({ b: z.string() }).meta({ id: "Null" });
    const input = z.object({ named: named.nullable(), other });
    const endpoint = factory.build({ input, handler: () => ({}) });
    const { components } = generate({ "post /a": endpoint }, { openapi: "3.0" });
    expect(components?.["schemas"]).toMatchObject({
      Null: { properties: { b: { type: "string" } } },
      Null2: nullComponent,
    });
  });

  test("is not a component if nothing refers to it", () => {
    const endpoint = factory.build({ input: z.object({ a: named }), handler: () => ({}) });
    const { components } = generate({ "post /a": endpoint }, { openapi: "3.0" });
    expect(components?.["schemas"]).not.toHaveProperty("Null");
  });

  test("stays beside a schema whose parts reject null", () => {
    const schema = z.string().regex(/a/).regex(/b/).nullable();
    const text = { type: "string", pattern: "a", allOf: [{ type: "string", pattern: "b" }] };
    expect(inputOf(schema, { openapi: "3.0" })).toEqual({
      anyOf: [text, { $ref: "#/components/schemas/Null" }],
    });
  });
});
