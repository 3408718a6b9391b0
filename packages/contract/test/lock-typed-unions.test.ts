import { expect, test } from "vitest";
import type { JsonObject } from "../src/lock/json.ts";
import { asRequest, asResponse, compare } from "./lock-tools.ts";

const needs = (name: string): JsonObject => ({ type: "object", required: [name] });
const variants = [needs("a"), needs("b")];
const union = { oneOf: variants };
const id = { properties: { id: { type: "string" } } };
const change = (
  toDocument: typeof asRequest,
  base: JsonObject,
  head: JsonObject,
): readonly string[] =>
  compare(toDocument(base), toDocument(head)).map(({ rule, level }) => `${rule} ${level}`);

test("the type of all variants beside a union is no change", () => {
  const plain = { allOf: [{ type: "object", properties: {} }, union] };
  for (const toDocument of [asRequest, asResponse]) {
    expect(change(toDocument, union, plain)).toEqual([]);
    expect(change(toDocument, plain, union)).toEqual([]);
  }
});

test("a union beside a type is compared", () => {
  const without = { type: "object", ...id };
  expect(change(asRequest, without, { ...without, ...union })).toEqual([
    "request-schema-union-added breaking",
  ]);
  expect(change(asRequest, { ...without, ...union }, without)).toEqual([
    "request-schema-union-removed harmless",
  ]);
  const more = { type: "object", required: ["z"], anyOf: [...variants, needs("c")] };
  expect(change(asRequest, more, { anyOf: variants })).toContain(
    "request-schema-variant-removed breaking",
  );
});

test("null beside a union is told as such", () => {
  const before = { type: "object", ...union };
  expect(change(asRequest, before, { ...before, nullable: true })).toEqual([
    "request-schema-null-added harmless",
  ]);
});
