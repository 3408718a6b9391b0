import { compareContracts } from "../src/lock/compare/compare-contracts.ts";
import type { Change } from "../src/lock/compare/change.ts";
import { isObject, toApiDescription, type Json, type JsonObject } from "@sallyport/document";
import type { Level } from "../src/lock/rules/rule.ts";

const today = "2026-06-01";

/** Compares two documents on a certain day. */
export const compare = (base: unknown, head: unknown): readonly Change[] =>
  compareContracts(toApiDescription(base, "base"), toApiDescription(head, "head"), today);

/** Returns the rules of the changes between two documents. */
export const listRules = (base: unknown, head: unknown): readonly string[] =>
  compare(base, head).map(({ rule }) => rule);

/** Returns the most serious level of the changes between two documents. */
export const toLevel = (base: unknown, head: unknown): Level => {
  const levels = new Set(compare(base, head).map(({ level }) => level));
  const all = ["breaking", "access", "warning"] as const;
  return all.find((level) => levels.has(level)) ?? "harmless";
};

/** A document whose only operation, `POST /users`, has the given parts. */
export const withOperation = (operation: JsonObject, more: JsonObject = {}): JsonObject => ({
  openapi: "3.1.0",
  info: { title: "Users", version: "1.0.0" },
  paths: { "/users": { post: { responses: { 200: { description: "OK" } }, ...operation } } },
  ...more,
});

/** A document with a schema as the body of the request. */
export const asRequest = (schema: Json, schemas: JsonObject = {}): JsonObject =>
  withOperation(
    { requestBody: { content: { "application/json": { schema } } } },
    { components: { schemas } },
  );

/** A document with a schema as the body of the response. */
export const asResponse = (schema: Json, schemas: JsonObject = {}): JsonObject =>
  withOperation(
    { responses: { 200: { description: "OK", content: { "application/json": { schema } } } } },
    { components: { schemas } },
  );

/** Writes a document as OpenAPI 3.0 does: `nullable` instead of `null`, and flags for limits that exclude themselves. */
export const toVersion30 = (document: JsonObject): JsonObject => ({
  ...(convert(document) as JsonObject),
  openapi: "3.0.3",
});

const convert = (value: Json): Json => {
  if (Array.isArray(value)) return (value as readonly Json[]).map(convert);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, one]): [string, Json] => [key, convert(one)]);
  const schema = Object.fromEntries(entries);
  const { type } = schema;
  if (Array.isArray(type) && type.length === 2 && type.includes("null"))
    Object.assign(schema, { type: type.find((one) => one !== "null"), nullable: true });
  for (const [key, open] of [
    ["minimum", "exclusiveMinimum"],
    ["maximum", "exclusiveMaximum"],
  ] as const)
    if (typeof schema[open] === "number")
      Object.assign(schema, { [key]: schema[open], [open]: true });
  return schema;
};

/** Lists what has changed between two schemas in the documents of a function, each as its rule and level. */
export const listLevels = (
  toDocument: typeof asRequest,
  base: JsonObject,
  head: JsonObject,
): readonly string[] =>
  compare(toDocument(base), toDocument(head)).map(({ rule, level }) => `${rule} ${level}`);
