import type { JsonObject } from "@sallyport/document";
import { describe, expect, test } from "vitest";
import { toLevel } from "./lock-tools.ts";

const ok: JsonObject = { responses: { 200: { description: "OK" } } };

const asWebhook = (more: JsonObject): JsonObject => ({
  openapi: "3.1.0",
  info: { title: "Users", version: "1.0.0" },
  paths: {},
  webhooks: { paid: { post: { ...ok, ...more } } },
});

const asCallback = (more: JsonObject): JsonObject => ({
  openapi: "3.1.0",
  info: { title: "Users", version: "1.0.0" },
  paths: {
    "/a": { get: { ...ok, callbacks: { done: { "{$url}": { post: { ...ok, ...more } } } } } },
  },
});

const query = (more: JsonObject = {}): JsonObject => ({
  parameters: [{ name: "q", in: "query", schema: { type: "string" }, ...more }],
});
const media: JsonObject = { schema: { type: "object" } };
const body = (more: JsonObject = {}): JsonObject => ({
  requestBody: { content: { "application/json": media }, ...more },
});
const answer = (headers: JsonObject): JsonObject => ({
  responses: { 200: { description: "OK", headers } },
});
const header = (required: boolean): JsonObject =>
  answer({ "X-A": { required, schema: { type: "string" } } });
const list: JsonObject = { schema: { type: "array", items: { type: "string" } } };
const both: JsonObject = { content: { "application/json": media, "text/csv": {} } };

describe("what the server sends and is answered with is judged the other way round", () => {
  test.each<[string, JsonObject, JsonObject, string, string]>([
    [
      "a parameter that is no longer always sent",
      query({ required: true }),
      query(),
      "breaking",
      "harmless",
    ],
    ["a required parameter, there or not", {}, query({ required: true }), "harmless", "breaking"],
    ["an optional parameter, there or not", {}, query(), "harmless", "warning"],
    ["a parameter that may be repeated", query(), query(list), "breaking", "breaking"],
    [
      "a parameter that may be empty",
      query(),
      query({ allowEmptyValue: true }),
      "breaking",
      "harmless",
    ],
    [
      "a body that is no longer always sent",
      body({ required: true }),
      body(),
      "breaking",
      "harmless",
    ],
    ["a required body, there or not", {}, body({ required: true }), "harmless", "breaking"],
    ["a header that must be answered", header(false), header(true), "breaking", "harmless"],
    ["a required header, there or not", {}, header(true), "breaking", "harmless"],
    ["an optional header, there or not", {}, header(false), "harmless", "warning"],
    ["a media type, there or not", body(), body(both), "breaking", "harmless"],
  ])("%s", (_name, before, after, there, back) => {
    for (const toDocument of [asWebhook, asCallback]) {
      const [base, head] = [toDocument(before), toDocument(after)];
      expect(toLevel(base, head)).toBe(there);
      expect(toLevel(head, base)).toBe(back);
    }
  });
});
