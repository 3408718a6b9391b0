import { expect, test } from "vitest";
import type { JsonObject } from "@sallyport/document";
import { asRequest, asResponse, compare, listRules, withOperation } from "./lock-tools.ts";

const at = (stability: string | number, more: JsonObject = {}): JsonObject =>
  withOperation({ "x-stability-level": stability, ...more });
const parameter = (more: JsonObject): JsonObject => ({
  parameters: [{ name: "q", in: "query", schema: { type: "string" }, ...more }],
});
const removed: JsonObject = { openapi: "3.1.0", info: { title: "a", version: "1" }, paths: {} };
const levelsOf = (base: unknown, head: unknown): readonly string[] =>
  compare(base, head).map(({ rule, level }) => `${rule} ${level}`);

test.each([
  ["stable", "beta"],
  ["beta", "alpha"],
  ["beta", "draft"],
  // what is no level promises no less than any other operation
  ["solid", "alpha"],
])("from %s to %s, the stability is lowered", (before, after) => {
  expect(levelsOf(at(before), at(after))).toEqual(["operation-stability-lowered breaking"]);
  expect(levelsOf(at(after), at(before === "solid" ? "stable" : before))).toEqual([
    "operation-stability-raised harmless",
  ]);
});

test("what says nothing is stable", () => {
  expect(compare(withOperation({}), at("stable"))).toEqual([]);
  expect(compare(at("stable"), withOperation({}))).toEqual([]);
});

test("a level that does not exist is told where it appears", () => {
  expect(levelsOf(at("beta"), at("solid"))).toEqual(["operation-stability-invalid breaking"]);
  expect(levelsOf(withOperation({}), at(1))).toEqual(["operation-stability-invalid breaking"]);
  expect(compare(at("solid"), withOperation({}))).toEqual([]);
});

test("parameters and properties have a stability, too", () => {
  const draft = { "x-stability-level": "draft" };
  expect(listRules(withOperation(parameter({})), withOperation(parameter(draft)))).toEqual([
    "parameter-stability-lowered",
  ]);
  const toObject = (more: JsonObject): JsonObject => ({
    type: "object",
    properties: { name: { type: "string", ...more } },
  });
  for (const [toDocument, area] of [
    [asRequest, "request"],
    [asResponse, "response"],
  ] as const)
    expect(levelsOf(toDocument(toObject({})), toDocument(toObject(draft)))).toEqual([
      `${area}-schema-stability-lowered breaking`,
    ]);
});

test("what is a draft, or alpha, may change as it likes", () => {
  expect(levelsOf(at("alpha"), removed)).toEqual(["operation-removed harmless"]);
  expect(levelsOf(at("alpha", parameter({})), at("draft"))).toEqual([
    "operation-stability-lowered harmless",
    "parameter-removed harmless",
  ]);
  const callbacks = (answer: number): JsonObject => ({
    callbacks: { done: { "{$request.query.url}": { post: { responses: { [answer]: {} } } } } },
  });
  expect(
    new Set(
      compare(at("draft", callbacks(200)), at("draft", callbacks(204))).map(({ level }) => level),
    ),
  ).toEqual(new Set(["harmless"]));
});

test("what is beta, or becomes stable, breaks as anything else", () => {
  expect(levelsOf(at("beta"), removed)).toEqual(["operation-removed breaking"]);
  expect(levelsOf(at("alpha", parameter({})), at("stable"))).toContain("parameter-removed warning");
});

test("access is told even if it is opened in a draft", () => {
  expect(levelsOf(at("draft", { security: [{ key: [] }] }), at("draft"))).toEqual([
    "security-removed access",
  ]);
});
