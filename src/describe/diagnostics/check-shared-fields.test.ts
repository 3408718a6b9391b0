import { expect, test } from "vitest";
import { z } from "zod";
import { Operation } from "../api/operation.ts";
import { defaultEndpointsFactory as factory } from "../../define/endpoint/endpoints-factory.ts";
import type { Method } from "../../basics/http/method.ts";
import { walkRouting } from "../../define/routing/walk-routing.ts";
import { ez } from "../../basics/schemas/ez.ts";
import { checkSharedFields } from "./check-shared-fields.ts";

const handler = () => ({});

/** Returns the fields that are reported for an endpoint behind a middleware that reads the same field. */
const check = (first: z.ZodType, second: z.ZodType, method: Method = "post"): unknown[] => {
  const endpoint = factory
    .addMiddleware({ input: z.object({ id: first, other: z.string() }), handler })
    .build({ method, input: z.object({ id: second }), handler });
  const { endpoints } = walkRouting({ a: endpoint, b: endpoint });
  return checkSharedFields(endpoints.map((entry) => new Operation(entry, {}))).map(
    ({ meta }) => meta,
  );
};

test.each<[string, z.ZodType, z.ZodType, Method?]>([
  ["a string and a number", z.string(), z.number()],
  ["a string and a number, both optional", z.string().optional(), z.number().default(1)],
  ["a string and an array", z.string(), z.array(z.string())],
  ["a string and an array in a query", z.string(), z.array(z.string()), "get"],
  ["an object and an array", z.object({}), z.tuple([z.string()])],
  ["literals of two types", z.literal("a"), z.literal(1)],
  ["a codec of strings and a boolean", ez.dateIn(), z.boolean()],
  ["a union and another", z.union([z.string(), z.null()]), z.union([z.number(), z.boolean()])],
])("warns about %s, once for each pair of schemas", (_what, first, second, method) => {
  expect(check(first, second, method)).toEqual([
    { field: "id", method: method ?? "post", path: "/a" },
  ]);
});

test.each<[string, z.ZodType, z.ZodType, Method?]>([
  ["the same type", z.string(), z.uuid()],
  ["a type that converts", z.string(), z.coerce.number()],
  ["a fallback", z.string(), z.number().catch(1)],
  ["one common alternative", z.string().nullable(), z.number().nullable()],
  ["a preprocessed value", z.string(), z.preprocess(Number, z.number())],
  ["any value", z.string(), z.unknown()],
  ["a number in a query, about which another check warns", z.string(), z.number(), "get"],
])("does not warn about %s", (_what, first, second, method) => {
  expect(check(first, second, method)).toEqual([]);
});

test("does not warn about a field that only one option of a union has", () => {
  const endpoint = factory.addMiddleware({ input: z.object({ id: z.string() }), handler }).build({
    input: z.union([z.object({ id: z.number() }), z.object({ a: z.string() })]),
    handler,
  });
  const { endpoints } = walkRouting({ "post a": endpoint });
  expect(checkSharedFields(endpoints.map((entry) => new Operation(entry, {})))).toEqual([]);
});
