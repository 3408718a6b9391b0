import type { Operation } from "../api/operation.ts";
import {
  isEventStream,
  isJson,
  type DeclaredBody,
  type DeclaredErrorReply,
} from "../api/replies.ts";
import { toStatusText } from "../../basics/http/status.ts";
import type { Components } from "./components.ts";
import { addExamples, hasOwnExamples } from "./error-examples.ts";
import { anyOf, compact, isObject, listOf, mapValues, nonEmpty } from "./map-json.ts";
import { toBinary, type WritePlace } from "./node-writer.ts";
import { viewObject } from "./object-view.ts";
import type { JsonObject, OpenApiVersion } from "./options.ts";
import type { SecuritySchemes } from "./security-schemes.ts";

/** What the operations of a document share. */
export interface WriteContext {
  readonly components: Components;
  readonly security: SecuritySchemes;
  readonly version: OpenApiVersion;
  /** Writes a link in Markdown to a URL, or to what replaces an operation at a path; other paths are left as they are. */
  readonly link: (target: string, from: Operation) => string;
}

export const toResponses = (
  operation: Operation,
  place: WritePlace,
  context: WriteContext,
): JsonObject => {
  const successes = operation.successes.map(
    ({ status, bodies, description = toStatusText(status) }) => {
      const own = toOwnHeaders(operation, status);
      const declared = toDeclaredHeaders(operation, place, context);
      const headers = nonEmpty({ ...toIdHeader(operation), ...own, ...declared });
      const content = toContent(bodies, { ...place, path: "response" }, context);
      return [status, compact({ description, headers, content })] as const;
    },
  );
  const errors = operation.errors.map(
    (reply) => [reply.status, toError(reply, operation, place, context)] as const,
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

/** Describes the id of a request, which all responses have. */
export const idHeader: JsonObject = {
  description: "The id of the request, for questions about it.",
  schema: { type: "string" },
};

const toIdHeader = ({ idField }: Operation): JsonObject =>
  idField === undefined ? {} : { [idField]: { $ref: "#/components/headers/RequestId" } };

/** Describes the header fields that are set on a successful response without being declared. */
const toOwnHeaders = (operation: Operation, status: number): JsonObject => {
  const { Link: link, ...sent } = operation.listSentFields(status);
  const pages =
    operation.hasLinks && "Links to the neighbouring pages, as relative URLs (RFC 8288).";
  const links = [pages, link].filter(Boolean).join(" ");
  return toHeaders({ ...sent, ...(links && { Link: links }) });
};

const toError = (
  reply: DeclaredErrorReply,
  operation: Operation,
  place: WritePlace,
  context: WriteContext,
): JsonObject => {
  const { components } = context;
  const { status, bodies, declared } = reply;
  const own = { ...place, name: `${place.name}Error${status}`, path: `errors[${status}]` };
  const { descriptions = [toStatusText(status)], headers = {} } = declared ?? {};
  const told = new Set(Object.keys(headers).map((field) => field.toLowerCase()));
  const sent = Object.entries(operation.listSentFields(status)).filter(
    ([field]) => !told.has(field.toLowerCase()),
  );
  const content = toContent(bodies, own, context);
  const response = compact({
    description: descriptions.join("\n\n"),
    headers: nonEmpty(toHeaders({ ...headers, ...Object.fromEntries(sent) })),
    content,
  });
  const complete = (): JsonObject =>
    compact({
      ...response,
      // names of responses do not tell what all of them have
      headers: nonEmpty({ ...toIdHeader(operation), ...(response["headers"] as JsonObject) }),
      content: content && addExamples(content, reply, operation),
    });
  // the names of shared responses must not depend on an endpoint that is about to end
  return (declared ?? (operation.hasOwnFields || hasOwnExamples(status, operation)))
    ? complete()
    : components.shareResponse(status, response, complete);
};

const toContent = (
  bodies: readonly DeclaredBody[],
  place: WritePlace,
  { components, version }: WriteContext,
): JsonObject | undefined => {
  const byType = new Map<string, JsonObject[]>();
  for (const { type, schema, name } of bodies) {
    if (type === null) continue;
    const json = schema ? components.write(schema, "output", place) : toPlainContent(type);
    const isNamed = name !== undefined && json["type"] === "object";
    const one = isNamed ? components.shareError(json, name, place) : json;
    byType.set(type, [...(byType.get(type) ?? []), one]);
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

/** Describes content that is sent without a result handler, or received without being parsed. */
export const toPlainContent = (type: string): JsonObject => {
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
