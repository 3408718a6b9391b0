import { expect, test } from "vitest";
import { z } from "zod";
import { defaultEndpointsFactory as factory } from "../../endpoint/endpoints-factory.ts";
import type { ZodSchema } from "../../schemas/schema.ts";
import { acceptsParameters } from "./accepts-parameters.ts";

const id = z.string().regex(/^\d+$/);
/** A function of the application, which the diagnostics may not call. */
const toNumber = (text: string): number => Number(text);
const ownCheck = (schema: z.ZodType) => schema.refine(() => true);

const accepts = (field: ZodSchema, parameters: Record<string, string>): boolean => {
  const input = z.object({ id: field as z.ZodType });
  const endpoint = factory.build({ input, handler: () => ({}) });
  return acceptsParameters({ kind: "endpoint", method: "get", path: "/:id", endpoint }, parameters);
};

test.each<[string, z.ZodType]>([
  ["unchanged", id],
  ["optional, then transformed", id.optional().transform((text) => `${text}`)],
  ["transformed", id.transform(toNumber)],
  ["transformed, then optional", id.transform(toNumber).optional()],
  ["transformed, then given a default", id.transform(toNumber).default(1)],
  ["transformed, then nullable", id.transform(toNumber).nullable()],
  ["transformed, then readonly", id.transform(toNumber).readonly()],
])("a field that is %s accepts only valid values", (_how, field) => {
  expect(accepts(field, { id: "1" })).toBe(true);
  expect(accepts(field, { id: "x" })).toBe(false);
});

test.each<[string, z.ZodType]>([
  ["a refinement of the application", ownCheck(id)],
  ["a promise", z.promise(id)],
])("%s is not assumed to accept a parameter, because that is uncertain", (_what, field) => {
  expect(accepts(field, { id: "1" })).toBe(false);
});

test("a parameter without a field in the schema is accepted", () => {
  expect(accepts(id, { other: "x" })).toBe(true);
});
