import { z } from "zod";
import { toStatusText } from "../http/status.ts";
import type { ApiResponse } from "../results/api-response.ts";
import { readPagination } from "../schemas/paginated.ts";
import { readContent, type ContentDeclaration } from "../schemas/content.ts";
import type { ZodSchema } from "../schemas/schema.ts";
import type { Components } from "./components.ts";
import {
  listErrorResponses,
  listSuccessResponses,
  type ErrorResponses,
  withoutBody,
} from "./declared-responses.ts";
import { eventStreamType, toEventStreamMedia } from "./event-stream-media.ts";
import { anyOf, compact } from "./json.ts";
import { toWritePlace, type OperationPlace } from "./operation-place.ts";
import type { JsonObject, OpenApiVersion } from "./options.ts";
import type { SharedResponses } from "./shared-responses.ts";

/** The context that the responses of all operations share. */
export interface ResponseContext {
  readonly components: Components;
  readonly shared: SharedResponses;
  readonly version: OpenApiVersion;
}

/** Writes every response that an operation can have, by status. */
export const toResponses = (place: OperationPlace, context: ResponseContext): JsonObject =>
  Object.fromEntries(
    [
      ...listSuccesses(place, context),
      ...listErrorResponses(place, (...args) => context.shared.listNegative(...args)).map((error) =>
        toErrorResponse(error, place, context),
      ),
    ]
      .toSorted(([one], [other]) => one - other)
      .map(([status, response]) => [String(status), response]),
  );

type StatusResponse = readonly [status: number, response: JsonObject];

const listSuccesses = (
  place: OperationPlace,
  { components, version }: ResponseContext,
): readonly StatusResponse[] => {
  const { endpoint, method } = place;
  const { outputSchema, statusCode } = endpoint;
  const content = outputSchema && readContent(outputSchema);
  if (content) return listContentStatuses(content, statusCode);
  const hasLinks =
    method === "get" && outputSchema !== undefined && readPagination(outputSchema)?.hasLinks;
  return listSuccessResponses(place).map(([status, responses]) => [
    status,
    compact({
      description: toDescription(responses, place) ?? toStatusText(status),
      headers: hasLinks ? { Link: linkHeader } : undefined,
      content: withoutBody.has(status)
        ? undefined
        : toContent(responses, toWritePlace(place, "response"), components, version),
    }),
  ]);
};

/** Lists the responses of an output sent without an envelope; a request for a file can also get a range or a 304. */
const listContentStatuses = (
  { kind, type = "*/*" }: ContentDeclaration,
  statusCode = 200,
): readonly StatusResponse[] => {
  const mediaType = (type.split(";", 1)[0] ?? type).trim();
  const isText = /^text\/|\b(?:json|xml)\b/i.test(mediaType);
  const schema = isText
    ? { type: "string" }
    : { type: "string", format: "binary", contentMediaType: mediaType };
  const content = { [mediaType]: { schema } };
  const toResponse = (status: number, more: JsonObject = {}): StatusResponse => [
    status,
    { description: toStatusText(status), ...more },
  ];
  const whole = toResponse(statusCode, { content });
  if (kind !== "file") return [whole];
  return [whole, toResponse(206, { content }), toResponse(304)];
};

const linkHeader = {
  description: "Links to the neighbouring pages, as relative URLs (RFC 8288).",
  schema: { type: "string" },
};

/** Returns the description of the output, or of the response; undefined if there are several responses. */
const toDescription = (
  responses: readonly ApiResponse[],
  { endpoint }: OperationPlace,
): string | undefined => {
  const [response, other] = responses;
  if (!response || other) return undefined;
  return z.globalRegistry.get((endpoint.outputSchema ?? response.schema) as z.ZodType)?.description;
};

const toContent = (
  responses: readonly ApiResponse[],
  place: ReturnType<typeof toWritePlace>,
  components: Components,
  version: OpenApiVersion,
): JsonObject | undefined => {
  const byType = new Map<string, JsonObject[]>();
  for (const { schema, mimeType = "application/json" } of responses)
    for (const type of mimeType === null ? [] : [mimeType].flat()) {
      const json = components.write(schema as ZodSchema, "output", place);
      byType.set(type, [...(byType.get(type) ?? []), json]);
    }
  if (byType.size === 0) return undefined;
  return Object.fromEntries(
    [...byType].map(([type, schemas]) => [
      type,
      type === eventStreamType
        ? toEventStreamMedia(anyOf(schemas), version, components)
        : { schema: toMediaSchema(type, anyOf(schemas)) },
    ]),
  );
};

/** Describes a body as bytes if it is neither JSON nor text. */
const toMediaSchema = (type: string, json: JsonObject): JsonObject => {
  if (/\bjson\b/i.test(type)) return json;
  const isBuffer = JSON.stringify(json).includes('"const":"Buffer"');
  const isUnknown = Object.keys(json).length === 0 && !/^text\/|\bxml\b/i.test(type);
  return isBuffer || isUnknown
    ? { type: "string", format: "binary", contentMediaType: type }
    : json;
};

const toErrorResponse = (
  { status, responses, declared, hasData }: ErrorResponses,
  place: OperationPlace,
  { components, shared, version }: ResponseContext,
): StatusResponse => {
  const written = toContent(
    responses,
    toWritePlace(place, `errors[${status}]`, `Error${status}`),
    components,
    version,
  );
  const content = written && (hasData ? written : shared.nameSchemas(written, place));
  const { descriptions = [toStatusText(status)], headers = {} } = declared ?? {};
  const response = compact({
    description: descriptions.join("\n\n"),
    headers: Object.keys(headers).length > 0 ? toHeaders(headers) : undefined,
    content,
  });
  return [status, declared ? response : shared.share(status, response)];
};

const toHeaders = (headers: Readonly<Record<string, string>>): JsonObject =>
  Object.fromEntries(
    Object.entries(headers).map(([name, description]) => [
      name,
      { description, schema: { type: "string" } },
    ]),
  );
