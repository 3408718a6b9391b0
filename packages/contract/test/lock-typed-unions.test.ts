import { expect, test } from "vitest";
import type { JsonObject } from "@sallyport/document";
import { asRequest, asResponse, listLevels } from "./lock-tools.ts";

const needs = (name: string): JsonObject => ({ type: "object", required: [name] });
const variants = [needs("a"), needs("b")];
const union = { oneOf: variants };
const id = { properties: { id: { type: "string" } } };

test("the type of all variants beside a union is no change", () => {
  const plain = { allOf: [{ type: "object", properties: {} }, union] };
  for (const toDocument of [asRequest, asResponse]) {
    expect(listLevels(toDocument, union, plain)).toEqual([]);
    expect(listLevels(toDocument, plain, union)).toEqual([]);
  }
});

test("a union beside a type is compared", () => {
  const without = { type: "object", ...id };
  expect(listLevels(asRequest, without, { ...without, ...union })).toEqual([
    "request-schema-union-added breaking",
  ]);
  expect(listLevels(asRequest, { ...without, ...union }, without)).toEqual([
    "request-schema-union-removed harmless",
  ]);
  const more = { type: "object", required: ["z"], anyOf: [...variants, needs("c")] };
  expect(listLevels(asRequest, more, { anyOf: variants })).toContain(
    "request-schema-variant-removed breaking",
  );
});

test("null beside a union is told as such", () => {
  const before = { type: "object", ...union };
  expect(listLevels(asRequest, before, { ...before, nullable: true })).toEqual([
    "request-schema-null-added harmless",
  ]);
});
