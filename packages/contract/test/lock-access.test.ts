import { expect, test } from "vitest";
import type { JsonObject } from "@sallyport/document";
import { asRequest, asResponse, listLevels } from "./lock-tools.ts";

const user = (required: boolean, name: JsonObject = {}): JsonObject => ({
  type: "object",
  properties: { name: { type: "string", ...name } },
  ...(required && { required: ["name"] }),
});
const readOnly = { readOnly: true };
const writeOnly = { writeOnly: true };

test("a required property that is no longer read-only must be sent from now on", () => {
  const [before, after] = [user(true, readOnly), user(true)];
  expect(listLevels(asRequest, before, after)).toEqual([
    "request-schema-required-read-only-removed breaking",
  ]);
  expect(listLevels(asResponse, before, after)).toEqual([
    "response-schema-required-read-only-removed harmless",
  ]);
  expect(listLevels(asRequest, user(false, readOnly), user(false))).toEqual([
    "request-schema-read-only-removed harmless",
  ]);
});

test("a property that becomes write-only is no longer sent to clients", () => {
  const [before, after] = [user(true), user(true, writeOnly)];
  expect(listLevels(asResponse, before, after)).toEqual([
    "response-schema-required-write-only-added warning",
  ]);
  expect(listLevels(asResponse, before, user(false, writeOnly))).toContain(
    "response-schema-required-write-only-added warning",
  );
  expect(listLevels(asRequest, before, after)).toEqual([
    "request-schema-required-write-only-added harmless",
  ]);
});

test("what clients have never received or sent may change as it likes", () => {
  expect(listLevels(asResponse, user(true, writeOnly), user(false))).toEqual([
    "response-schema-property-became-optional harmless",
    "response-schema-write-only-removed harmless",
  ]);
  expect(listLevels(asRequest, user(false, readOnly), user(false, { maxLength: 3 }))).toEqual([
    "request-schema-read-only-removed harmless",
    "request-schema-max-length-set harmless",
  ]);
});
