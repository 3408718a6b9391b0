import { expect, test } from "vitest";
import { z } from "zod";
import { Operation } from "../api/operation.ts";
import { defaultEndpointsFactory as factory } from "../../define/endpoint/endpoints-factory.ts";
import type { InputSchema, ZodSchema } from "../../basics/schemas/schema.ts";
import type { Routing } from "../../define/routing/routing.ts";
import { walkRouting } from "../../define/routing/walk-routing.ts";
import { checkPathParameters } from "./check-fields.ts";

const taking = (input: ZodSchema, from = factory) =>
  from.build({ input: input as unknown as InputSchema, handler: () => ({}) });

const check = (routing: Routing): string[] =>
  checkPathParameters(walkRouting(routing).endpoints.map((entry) => new Operation(entry, {}))).map(
    ({ code, meta }) => `${code} ${(meta as { parameter: string }).parameter}`,
  );

const id = z.string();
const optional = "SLP_WARN_PATH_PARAMETER_OPTIONAL id";

test.each<[string, ZodSchema]>([
  ["optional", z.object({ id: id.optional() })],
  ["exactly optional", z.object({ id: id.exactOptional() })],
  ["given a default", z.object({ id: id.default("a") })],
  ["nullish", z.object({ id: id.nullish() })],
  ["optional and transformed", z.object({ id: id.optional().transform(String) })],
  ["optional in an intersection", z.object({ a: id }).and(z.object({ id: id.optional() }))],
  ["optional in a pipe", z.object({ id: id.optional() }).transform((value) => value)],
  ["optional by .partial()", z.object({ id }).partial().readonly()],
])("warns about a parameter that is %s", (_what, input) => {
  expect(check({ ":id": taking(input) })).toEqual([optional]);
});

test.each<[string, ZodSchema]>([
  ["required", z.object({ id })],
  ["nullable", z.object({ id: id.nullable() })],
  ["given a fallback by .catch()", z.object({ id: id.catch("a") })],
  ["of any type", z.object({ id: z.unknown() })],
  ["preprocessed", z.object({ id: z.preprocess(String, id) })],
  [
    "required by one side of an intersection",
    z.object({ id: id.optional() }).and(z.object({ id })),
  ],
  [
    "optional in one option of a union",
    z.union([z.object({ id: id.optional() }), z.object({ id })]),
  ],
  ["accepted by a loose object", z.looseObject({})],
  ["accepted by a record", z.record(z.string(), id)],
])("accepts a parameter that is %s", (_what, input) => {
  expect(check({ ":id": taking(input) })).toEqual([]);
});

test("accepts an optional parameter if the endpoint also serves a path without it, or if a middleware declares it", () => {
  const input = z.object({ id: id.optional() });
  const both = taking(input);
  expect(check({ a: both.nest({ ":id": both }) })).toEqual([]);
  expect(check({ "get a": taking(input), "delete a/:id": taking(input) })).toEqual([]);
  const tenant = factory.addMiddleware({ input, handler: () => ({}) });
  expect(check({ ":id": taking(z.object({ a: id.optional() }), tenant) })).toEqual([]);
  const strict = factory.addMiddleware({ input: z.object({ id }), handler: () => ({}) });
  expect(check({ ":id": taking(input, strict) })).toEqual([]);
});

test("warns once per path about each missing and each optional parameter", () => {
  const input = taking(z.object({ id: id.optional() }));
  expect(check({ "get a/:id/:other": input, "delete a/:id/:other": input })).toEqual([
    "SLP_WARN_PATH_PARAMETER other",
    optional,
  ]);
});
