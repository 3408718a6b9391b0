import { defaultEndpointsFactory as factory, ez } from "sallyport";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { start } from "../http/harness.ts";
import { findOperation, generate } from "./generate.ts";

const handler = () => ({});

/** Creates an endpoint whose field `id` a middleware and the endpoint read in their own ways. */
const build = (first: z.ZodType, second: z.ZodType, method: "get" | "post" = "get") =>
  factory
    .addMiddleware({ input: z.object({ id: first }), handler })
    .build({ method, input: z.object({ id: second }), handler });

const parameterOf = (first: z.ZodType, second: z.ZodType, path = "a/:id") =>
  findOperation(
    generate({ [path]: build(first, second) }),
    `GET /${path.replace(":id", "{id}")}`,
  ).parameters?.find(({ name }) => name === "id");

const bodyOf = (first: z.ZodType, second: z.ZodType) =>
  findOperation(generate({ a: build(first, second, "post") }), "POST /a").requestBody?.content[
    "application/json"
  ]?.schema;

const text = { type: "string" };
const number = { type: "number" };

describe("A field that two stages read as different types has the type that the wire takes", () => {
  test.each<[string, z.ZodType, z.ZodType, object]>([
    ["a string and a coerced number", z.string(), z.coerce.number(), number],
    [
      "a coerced number and a string",
      z.coerce.number().min(1),
      z.string(),
      { ...number, minimum: 1 },
    ],
    ["a string and a boolean", z.string(), z.coerce.boolean(), { type: "boolean" }],
    ["a string and a number of a kind", z.string(), z.coerce.number().int(), { type: "integer" }],
  ])("in a path and a query: %s", (_what, first, second, expected) => {
    expect(parameterOf(first, second)).toMatchObject({ in: "path", schema: expected });
    expect(parameterOf(first, second)?.["schema"]).not.toHaveProperty("allOf");
    expect(parameterOf(first, second, "a")).toMatchObject({ in: "query", required: true });
    expect(parameterOf(first, second, "a")?.["schema"]).toMatchObject(expected);
  });

  test.each<[string, z.ZodType, z.ZodType, object]>([
    ["a string and a coerced number", z.string(), z.coerce.number(), text],
    ["a coerced string and a number", z.coerce.string(), z.number(), number],
    [
      "a number with a fallback and a string",
      z.number().catch(1),
      z.string().min(2),
      { ...text, minLength: 2 },
    ],
    ["two that convert", z.coerce.string(), z.coerce.number(), { allOf: [text, number] }],
    ["two that exclude each other", z.string(), z.number(), { allOf: [text, number] }],
  ])("in JSON: %s", (_what, first, second, expected) => {
    expect(bodyOf(first, second)).toMatchObject({ properties: { id: expected }, required: ["id"] });
  });

  test("in JSON that cannot be joined", () => {
    const endpoint = factory.addMiddleware({ input: z.object({ id: z.string() }), handler }).build({
      method: "post",
      input: z.union([
        z.object({ id: z.coerce.number(), a: z.string() }),
        z.object({ b: z.int() }),
      ]),
      handler,
    });
    const { requestBody } = findOperation(generate({ a: endpoint }), "POST /a");
    expect(requestBody?.content["application/json"]?.schema).toEqual({
      allOf: [
        { type: "object", properties: { id: text }, required: ["id"] },
        {
          anyOf: [
            { type: "object", properties: { id: {}, a: text }, required: ["id", "a"] },
            expect.objectContaining({ required: ["b"] }),
          ],
        },
      ],
    });
  });

  test("in forms and header fields", () => {
    const endpoint = factory
      .addMiddleware({
        input: z.object({ id: z.string() }),
        headers: z.object({ "x-a": z.string() }),
        handler,
      })
      .build({
        method: "post",
        input: ez.form({ id: z.coerce.number() }),
        headers: z.object({ "x-a": z.coerce.number() }),
        handler,
      });
    expect(findOperation(generate({ a: endpoint }), "POST /a")).toMatchObject({
      parameters: [{ name: "x-a", required: true, schema: number }],
      requestBody: {
        content: {
          "application/x-www-form-urlencoded": { schema: { properties: { id: number } } },
        },
      },
    });
  });

  test("as the server accepts it", async () => {
    const server = await start({
      "get a/:id": build(z.string(), z.coerce.number()),
      "post a": build(z.string(), z.coerce.number(), "post"),
    });
    const post = async (id: unknown) => {
      const headers = { "content-type": "application/json" };
      const body = JSON.stringify({ id });
      return (await server.send("/a", { method: "POST", headers, body })).status;
    };
    expect((await server.send("/a/5")).status).toBe(200);
    expect([await post("5"), await post(5)]).toEqual([200, 400]);
  });
});
