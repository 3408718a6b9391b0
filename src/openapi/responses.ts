import type { Operation } from "../api/operation.ts";
import { isEventStream, isJson, type ErrorReply, type ReplyBody } from "../api/replies.ts";
import { toStatusText } from "../http/status.ts";
import type { Components } from "./components.ts";
import { anyOf, compact, isObject, listOf, mapValues, nonEmpty } from "./json.ts";
import { toBinary, type WritePlace } from "./node-writer.ts";
import { viewObject } from "./object-view.ts";
import type { JsonObject, OpenApiVersion } from "./options.ts";
import type { SecuritySchemes } from "./security-schemes.ts";

/** What the operations of a document share. */
export interface WriteContext {
  readonly components: Components;
  readonly security: SecuritySchemes;
  readonly version: OpenApiVersion;
}

export const toResponses = (
  operation: Operation,
  place: WritePlace,
  context: WriteContext,
): JsonObject => {
  const sent = Object.assign(
    {},
    ...operation.endpoint.middlewares.map(({ sentFields }) => sentFields),
  ) as Record<string, string>;
  const own = { ...toHeaders(sent), ...listOwnHeaders(operation) };
  const successes = operation.successes.map(
    ({ status, bodies, description = toStatusText(status) }) => {
      const headers = nonEmpty({ ...own, ...toDeclaredHeaders(operation, place, context) });
      const content = toContent(bodies, { ...place, path: "response" }, context);
      return [status, compact({ description, headers, content })] as const;
    },
  );
  const errors = operation.errors.map(
    (reply) => [reply.status, toError(reply, sent, place, context)] as const,
  );
  // JavaScript lists keys that are integers in ascending order
  return Object.fromEntries([...successes, ...errors]);
};

const toDeclaredHeaders = (
  { endpoint: { responseHeadersSchema: schema } }: Operation,
  place: WritePlace,
  { components }: WriteContext,
): JsonObject => {
  if (!schema) return {};
  const json = components.write(schema, "input", { ...place, path: "responseHeaders" });
  return Object.fromEntries(
    [...viewObject(json, components).fields].map(([name, field]) => {
      const { description, deprecated, ...own } = field.json;
      const required = field.isRequired ? true : undefined;
      return [name, compact({ description, required, deprecated, schema: own })];
    }),
  );
};

const toHeaders = (headers: Readonly<Record<string, string>>): JsonObject =>
  mapValues(headers, (description) => ({ description, schema: { type: "string" } }));

/** Describes the header fields that the framework itself sets on successful responses. */
const listOwnHeaders = ({ endpoint, hasLinks, hasVersion }: Operation): JsonObject => {
  const { sunset, replacement, policy } = endpoint.deprecation ?? {};
  const links = [
    ...(hasLinks ? ["Links to the neighbouring pages, as relative URLs (RFC 8288)."] : []),
    ...((replacement ?? policy) ? ["Links about the deprecation (RFC 9745)."] : []),
  ];
  return toHeaders({
    ...(hasVersion && {
      etag: "The version, as a strong tag, if it is a string.",
      "last-modified": "The version, if it is a date.",
    }),
    ...(endpoint.deprecation && { Deprecation: "Since when this is deprecated (RFC 9745)." }),
    ...(sunset && { Sunset: "From when this may no longer respond (RFC 8594)." }),
    ...(links.length > 0 && { Link: links.join(" ") }),
  });
};

const toError = (
  { status, bodies, declared, hasData }: ErrorReply,
  sent: Readonly<Record<string, string>>,
  place: WritePlace,
  context: WriteContext,
): JsonObject => {
  const { components } = context;
  const own = { ...place, name: `${place.name}Error${status}`, path: `errors[${status}]` };
  const written = toContent(bodies, own, context);
  const { descriptions = [toStatusText(status)], headers = {} } = declared ?? {};
  const response = compact({
    description: descriptions.join("\n\n"),
    headers: nonEmpty(toHeaders({ ...headers, ...sent })),
    content: written && (hasData ? written : nameSchemas(written, own, components)),
  });
  return declared ? response : components.shareResponse(status, response);
};

const nameSchemas = (content: JsonObject, place: WritePlace, components: Components): JsonObject =>
  mapValues(content, (media) => {
    const { schema } = media as JsonObject;
    if (!isObject(schema) || schema["type"] !== "object") return media;
    return { schema: components.shareError(schema, place) };
  });

const toContent = (
  bodies: readonly ReplyBody[],
  place: WritePlace,
  { components, version }: WriteContext,
): JsonObject | undefined => {
  const byType = new Map<string, JsonObject[]>();
  for (const { type, schema } of bodies) {
    if (type === null) continue;
    const json = schema ? components.write(schema, "output", place) : toPlainContent(type);
    byType.set(type, [...(byType.get(type) ?? []), json]);
  }
  const hasEvents = bodies.some(({ schema }) => schema);
  const content = mapValues(Object.fromEntries(byType), (schemas, type) =>
    hasEvents && isEventStream(type)
      ? toEventStreamMedia(anyOf(schemas), version, components)
      : { schema: toMediaSchema(type, anyOf(schemas)) },
  );
  return nonEmpty(content);
};

const isText = (type: string): boolean => /^text\/|\bxml\b/i.test(type);

/** Describes content that is sent without a result handler. */
const toPlainContent = (type: string): JsonObject => {
  if (isJson(type)) return {};
  return isText(type) ? { type: "string" } : toBinary(type);
};

/** Describes a body as bytes if it is neither JSON nor text. */
const toMediaSchema = (type: string, json: JsonObject): JsonObject => {
  if (isJson(type)) return json;
  const isBuffer = JSON.stringify(json).includes('"const":"Buffer"');
  const isUnknown = Object.keys(json).length === 0 && !isText(type);
  return isBuffer || isUnknown ? toBinary(type) : json;
};

/** Describes the events of a stream; `itemSchema` is standard as of 3.2, and an extension in earlier versions. */
const toEventStreamMedia = (
  events: JsonObject,
  version: OpenApiVersion,
  components: Components,
): JsonObject => {
  const options = events["oneOf"] ?? events["anyOf"] ?? [events];
  const items = listOf(options)
    .filter(isObject)
    .map((option) => {
      const event = components.resolve(option);
      const { data: contentSchema, ...others } = (event["properties"] ?? {}) as JsonObject;
      // the data is a string that contains JSON
      const data = { type: "string", contentMediaType: "application/json", contentSchema };
      return compact({ ...event, properties: { ...others, data } });
    });
  const itemSchema = items.length === 1 ? items[0] : { oneOf: items };
  if (version === "3.2") return { itemSchema };
  return { schema: { type: "string" }, "x-itemSchema": itemSchema };
};
