import type { JsonObject } from "@sallyport/document";
import {
  body,
  define,
  header,
  json,
  lifecycle,
  pair,
  removal,
  response,
  responses,
} from "./operation-change.ts";

const csv: JsonObject = { "text/csv": {} };
const bare: JsonObject = { "application/json": {} };
const plain: JsonObject = json({ encoding: { name: { contentType: "text/plain" } } });
const list: JsonObject = { type: "array", items: { type: "string" } };
const stream = (more: JsonObject): JsonObject => ({ "application/jsonl": more });

/** Changes of the contents of requests and responses, and of the responses themselves. */
export const messageChanges = define({
  // the contents of requests
  "request-media-type-added": {
    level: "harmless",
    isAddition: true,
    words: "the media type {name} was added",
    example: pair(body({}), body({ content: { ...json(), ...csv } })),
  },
  "request-media-type-removed": {
    level: "breaking",
    words: "the media type {name} was removed",
    example: pair(body({ content: { ...json(), ...csv } }), body({})),
  },
  "request-media-type-generalised": {
    level: "harmless",
    isAddition: true,
    words: "the media type {before} became {after}, of which it is a kind",
    example: pair(body({}), body({ content: { "application/*": { schema: { type: "object" } } } })),
  },
  "request-media-type-specialised": {
    level: "breaking",
    words: "the media type {before} became {after}, which is a kind of it",
    example: pair(body({ content: { "application/*": { schema: { type: "object" } } } }), body({})),
  },
  "request-schema-added": {
    level: "breaking",
    words: "a schema was added",
    example: pair(body({ content: bare }), body({})),
  },
  "request-schema-removed": {
    level: "harmless",
    isAddition: true,
    words: "the schema was removed",
    example: pair(body({}), body({ content: bare })),
  },
  "request-item-schema-added": {
    level: "breaking",
    words: "a schema of the items was added",
    example: pair(body({ content: stream({}) }), body({ content: stream({ itemSchema: {} }) })),
  },
  "request-item-schema-removed": {
    level: "harmless",
    isAddition: true,
    words: "the schema of the items was removed",
    example: pair(body({ content: stream({ itemSchema: {} }) }), body({ content: stream({}) })),
  },
  "request-encoding-changed": {
    level: "warning",
    words: "the encoding of {name} was changed from {before} to {after}",
    example: pair(body({}), body({ content: plain })),
    counterexample: pair(body({ content: plain }), body({ content: plain })),
  },

  // the contents of responses
  "response-media-type-added": {
    level: "harmless",
    isAddition: true,
    words: "the media type {name} was added",
    example: pair(response({ content: json() }), response({ content: { ...json(), ...csv } })),
  },
  "response-media-type-removed": {
    level: "breaking",
    words: "the media type {name} was removed",
    example: pair(response({ content: { ...json(), ...csv } }), response({ content: json() })),
  },
  "response-media-type-specialised": {
    level: "harmless",
    words: "the media type {before} became {after}, which is a kind of it",
    example: pair(
      response({ content: json() }),
      response({ content: { "application/problem+json": { schema: { type: "object" } } } }),
    ),
  },
  "response-media-type-generalised": {
    level: "breaking",
    words: "the media type {before} became {after}, of which it is a kind",
    example: pair(
      response({ content: { "application/problem+json": { schema: { type: "object" } } } }),
      response({ content: json() }),
    ),
  },
  "response-media-type-parameters-changed": {
    level: "harmless",
    words: "the parameters of the media type {before} were changed: {after}",
    example: pair(
      response({ content: csv }),
      response({ content: { "text/csv; header=present": {} } }),
    ),
    counterexample: pair(response({ content: csv }), response({ content: csv })),
  },
  "response-schema-added": {
    level: "harmless",
    isAddition: true,
    words: "a schema was added",
    example: pair(response({ content: bare }), response({ content: json() })),
  },
  "response-schema-removed": {
    level: "warning",
    words: "the schema was removed",
    example: pair(response({ content: json() }), response({ content: bare })),
  },
  "response-item-schema-added": {
    level: "harmless",
    isAddition: true,
    words: "a schema of the items was added",
    example: pair(
      response({ content: stream({}) }),
      response({ content: stream({ itemSchema: {} }) }),
    ),
  },
  "response-item-schema-removed": {
    level: "warning",
    words: "the schema of the items was removed",
    example: pair(
      response({ content: stream({ itemSchema: {} }) }),
      response({ content: stream({}) }),
    ),
  },
  "response-encoding-changed": {
    level: "warning",
    words: "the encoding of {name} was changed from {before} to {after}",
    example: pair(response({ content: json() }), response({ content: plain })),
    counterexample: pair(response({ content: plain }), response({ content: plain })),
  },

  // responses
  "success-added": {
    level: "harmless",
    isAddition: true,
    words: "the successful response was added",
    example: pair(responses({}), responses({ 201: { description: "Created" } })),
  },
  "success-removed": {
    level: "breaking",
    words: "the successful response was removed",
    example: pair(responses({ 201: { description: "Created" } }), responses({})),
  },
  "success-generalised": {
    level: "harmless",
    words: "the successful response became one of a range",
    example: pair(
      responses({ 201: { description: "Created" } }),
      responses({ "2XX": { description: "Done" } }),
    ),
  },
  "success-specialised": {
    level: "harmless",
    words: "the successful response is told apart from its range",
    example: pair(
      responses({ "2XX": { description: "Done" } }),
      responses({ 201: { description: "Created" } }),
    ),
  },
  "error-added": {
    level: "harmless",
    isAddition: true,
    words: "the error was added",
    example: pair(responses({}), responses({ 404: { description: "Missing" } })),
  },
  "error-removed": {
    level: "harmless",
    words: "the error was removed",
    example: pair(responses({ 404: { description: "Missing" } }), responses({})),
  },
  "header-added": {
    level: "harmless",
    isAddition: true,
    words: "the header was added",
    example: pair(response({}), header({})),
  },
  "required-header-removed": {
    level: "breaking",
    words: "the header was removed, which had always been there",
    example: pair(header({ required: true }), response({})),
  },
  ...removal("header", "the header", "warning", (more) => pair(header(more), response({}))),
  "header-became-required": {
    level: "harmless",
    words: "the header is now always there",
    example: pair(header({}), header({ required: true })),
  },
  "header-became-optional": {
    level: "breaking",
    words: "the header is no longer always there",
    example: pair(header({ required: true }), header({})),
  },
  "header-style-changed": {
    level: "breaking",
    words: "how the header is written was changed from {before} to {after}",
    example: pair(header({ schema: list }), header({ schema: list, explode: true })),
    counterexample: pair(header({}), header({ explode: true })),
  },
  "header-media-type-changed": {
    level: "breaking",
    words: "the media type of the header was changed from {before} to {after}",
    example: pair(header({}), header({ content: json() })),
    counterexample: pair(header({ content: json() }), header({ content: json() })),
  },
  ...lifecycle("header", "the header", header),
});
