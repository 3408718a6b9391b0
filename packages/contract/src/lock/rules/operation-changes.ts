import type { JsonObject } from "@sallyport/document";
import {
  body,
  define,
  document,
  json,
  lifecycle,
  ok,
  pair,
  query,
  removal,
  secured,
  withOperation,
} from "./operation-change.ts";

const bearer: JsonObject = { bearer: [] };
const key: JsonObject = { key: [] };
const oauth = (...scopes: string[]): JsonObject => ({ oauth: scopes });

const withUrl = (tokenUrl: string): JsonObject =>
  withOperation(secured({ oauth: [] }), {
    components: {
      securitySchemes: {
        oauth: { type: "oauth2", flows: { clientCredentials: { tokenUrl, scopes: {} } } },
      },
    },
  });

/** Changes of operations, access, parameters and request bodies as a whole. */
export const operationChanges = define({
  // operations
  "operation-added": {
    level: "harmless",
    isAddition: true,
    words: "the operation was added",
    example: [document({}), withOperation({})],
  },
  ...removal("operation", "the operation", "breaking", (more) => [
    withOperation(more),
    document({}),
  ]),
  ...lifecycle("operation", "the operation", (more) => more),
  "operation-id-changed": {
    level: "harmless",
    words: "the operationId was changed from {before} to {after}",
    example: pair({ operationId: "a" }, { operationId: "b" }),
    counterexample: pair({ operationId: "a" }, { operationId: "a" }),
  },
  "tag-added": {
    level: "harmless",
    words: "the tag {name} was added",
    example: pair({}, { tags: ["users"] }),
  },
  "tag-removed": {
    level: "harmless",
    words: "the tag {name} was removed",
    example: pair({ tags: ["users"] }, {}),
  },
  "server-added": {
    level: "harmless",
    isAddition: true,
    words: "the server {name} was added",
    example: [document({}), document({}, { servers: [{ url: "/v1" }] })],
  },
  "server-removed": {
    level: "warning",
    words: "the server {name} was removed",
    example: [document({}, { servers: [{ url: "/v1" }] }), document({})],
  },
  "webhook-added": {
    level: "harmless",
    isAddition: true,
    words: "the webhook was added",
    example: [document({}), document({}, { webhooks: { paid: { post: ok } } })],
  },
  ...removal("webhook", "the webhook", "breaking", (more) => [
    document({}, { webhooks: { paid: { post: { ...ok, ...more } } } }),
    document({}),
  ]),
  "callback-added": {
    level: "harmless",
    isAddition: true,
    words: "the callback was added",
    example: pair({}, { callbacks: { done: { "{$url}": { post: ok } } } }),
  },
  ...removal("callback", "the callback", "breaking", (more) =>
    pair({ callbacks: { done: { "{$url}": { post: { ...ok, ...more } } } } }, {}),
  ),

  // security
  "security-added": {
    level: "breaking",
    words: "credentials are needed: {after}",
    example: pair({}, secured(bearer)),
  },
  "security-removed": {
    level: "access",
    words: "no credentials are needed any longer, before: {before}",
    example: pair(secured(bearer), {}),
  },
  "security-alternative-added": {
    level: "access",
    words: "other credentials are accepted, too: {after}",
    example: pair(secured(bearer), secured(bearer, key)),
  },
  "security-alternative-removed": {
    level: "breaking",
    words: "credentials are no longer accepted: {before}",
    example: pair(secured(bearer, key), secured(bearer)),
  },
  "security-tightened": {
    level: "breaking",
    words: "more credentials are needed: {after} instead of {before}",
    example: pair(secured(bearer), secured({ ...bearer, ...key })),
  },
  "security-loosened": {
    level: "access",
    words: "fewer credentials are needed: {after} instead of {before}",
    example: pair(secured({ ...bearer, ...key }), secured(bearer)),
  },
  "scope-added": {
    level: "breaking",
    words: "the scope {name} is needed",
    example: pair(secured(oauth("read")), secured(oauth("read", "write"))),
  },
  "scope-removed": {
    level: "access",
    words: "the scope {name} is no longer needed",
    example: pair(secured(oauth("read", "write")), secured(oauth("read"))),
  },
  "security-url-changed": {
    level: "warning",
    words: "where clients get a token, {name}, was changed from {before} to {after}",
    example: [withUrl("https://example.com/token"), withUrl("https://example.com/oauth/token")],
    counterexample: [withUrl("https://example.com/token"), withUrl("https://example.com/token")],
  },

  // parameters
  "optional-parameter-added": {
    level: "harmless",
    isAddition: true,
    words: "the optional parameter was added",
    example: pair({}, query({})),
  },
  "required-parameter-added": {
    level: "breaking",
    words: "the required parameter was added",
    example: pair({}, query({ required: true })),
  },
  ...removal("parameter", "the parameter", "warning", (more) => pair(query(more), {})),
  ...lifecycle("parameter", "the parameter", query),
  "parameter-became-required": {
    level: "breaking",
    words: "the parameter became required",
    example: pair(query({}), query({ required: true })),
  },
  "parameter-became-optional": {
    level: "harmless",
    isAddition: true,
    words: "the parameter became optional",
    example: pair(query({ required: true }), query({})),
  },
  "path-parameter-renamed": {
    level: "harmless",
    words: "the path parameter was renamed from {before} to {after}",
    example: [
      document({ "/users/{id}": { get: { ...ok, parameters: [{ name: "id", in: "path" }] } } }),
      document({ "/users/{key}": { get: { ...ok, parameters: [{ name: "key", in: "path" }] } } }),
    ],
    counterexample: [
      document({ "/users/{id}": { get: { ...ok, parameters: [{ name: "id", in: "path" }] } } }),
      document({ "/users/{id}": { get: { ...ok, parameters: [{ name: "id", in: "path" }] } } }),
    ],
  },
  "parameter-style-changed": {
    level: "breaking",
    words: "how the parameter is written was changed from {before} to {after}",
    example: pair(query({}), query({ style: "pipeDelimited" })),
    counterexample: pair(query({}), query({ style: "form" })),
  },
  "parameter-became-list": {
    level: "harmless",
    isAddition: true,
    words: "the parameter may be repeated",
    example: pair(query({}), query({ schema: { type: "array", items: { type: "string" } } })),
  },
  "parameter-media-type-changed": {
    level: "breaking",
    words: "the media type of the parameter was changed from {before} to {after}",
    example: pair(query({}), query({ content: json() })),
    counterexample: pair(query({ content: json() }), query({ content: json() })),
  },
  "reserved-characters-allowed": {
    level: "harmless",
    words: "reserved characters may stand unescaped in the parameter",
    example: pair(query({}), query({ allowReserved: true })),
  },
  "reserved-characters-refused": {
    level: "warning",
    words: "reserved characters must be escaped in the parameter",
    example: pair(query({ allowReserved: true }), query({})),
  },
  "empty-value-allowed": {
    level: "harmless",
    words: "the parameter may be empty",
    example: pair(query({}), query({ allowEmptyValue: true })),
  },
  "empty-value-refused": {
    level: "breaking",
    words: "the parameter may no longer be empty",
    example: pair(query({ allowEmptyValue: true }), query({})),
  },

  // bodies
  "optional-body-added": {
    level: "harmless",
    isAddition: true,
    words: "an optional body was added",
    example: pair({}, body({})),
  },
  "required-body-added": {
    level: "breaking",
    words: "a required body was added",
    example: pair({}, body({ required: true })),
  },
  "body-removed": { level: "breaking", words: "the body was removed", example: pair(body({}), {}) },
  "body-became-required": {
    level: "breaking",
    words: "the body became required",
    example: pair(body({}), body({ required: true })),
  },
  "body-became-optional": {
    level: "harmless",
    isAddition: true,
    words: "the body became optional",
    example: pair(body({ required: true }), body({})),
  },
});
