import { expect, test } from "vitest";
import type { JsonObject } from "@sallyport/document";
import { listRules, withOperation } from "./lock-tools.ts";

const answer = (statuses: Readonly<Record<string, string>>): JsonObject =>
  withOperation({
    responses: Object.fromEntries(
      Object.entries(statuses).map(([status, type]) => [
        status,
        { description: status, content: { "application/json": { schema: { type } } } },
      ]),
    ),
  });

const take = (type: string): JsonObject =>
  withOperation({ requestBody: { content: { [type]: { schema: { type: "object" } } } } });

test.each([
  ["200", "2XX", "success-generalised"],
  ["2XX", "200", "success-specialised"],
])("%s that becomes %s is compared with it", (was, is, rule) => {
  expect(listRules(answer({ [was]: "string" }), answer({ [is]: "string" }))).toEqual([rule]);
  expect(listRules(answer({ [was]: "string" }), answer({ [is]: "boolean" }))).toEqual([
    rule,
    "response-schema-type-changed",
  ]);
});

test("a status of another range is another response", () => {
  expect(listRules(answer({ 200: "string" }), answer({ "3XX": "string" }))).toEqual([
    "success-removed",
    "success-added",
  ]);
});

test("an error that replaces the default one is compared with it", () => {
  const before = answer({ 200: "string", default: "string" });
  const toAfter = (type: string): JsonObject => answer({ 200: "string", 400: type });
  expect(listRules(before, toAfter("string")).toSorted()).toEqual(["error-added", "error-removed"]);
  expect(listRules(before, toAfter("boolean"))).toContain("response-schema-type-changed");
});

test.each([
  ["application/json", "application/*", "request-media-type-generalised"],
  ["application/json", "*/*", "request-media-type-generalised"],
  ["*/*", "application/json", "request-media-type-specialised"],
])("a request of %s that may be of %s", (was, is, rule) => {
  expect(listRules(take(was), take(is))).toEqual([rule]);
});

test("a request of one media type may not be of another kind of it", () => {
  expect(listRules(take("application/json"), take("application/problem+json"))).toEqual([
    "request-media-type-removed",
    "request-media-type-added",
  ]);
});
