import { z } from "zod";
import { joinErrors, type DeclaredError } from "../endpoint/declared-errors.ts";
import { toStatusText } from "../http/status.ts";
import type { ApiResponse } from "../results/api-response.ts";
import { defaultResultHandler } from "../results/default-result-handler.ts";
import type { AnyResultHandler } from "../results/result-handler.ts";
import { readPagination } from "../schemas/paginated.ts";
import { readContent, type ContentDeclaration } from "../schemas/content.ts";
import type { ZodSchema } from "../schemas/schema.ts";
import type { Components } from "./components.ts";
import { eventStreamType, toEventStreamMedia } from "./event-stream-media.ts";
import { anyOf, compact } from "./json.ts";
import { listInputSchemas, toWritePlace, type OperationPlace } from "./operation-place.ts";
import type { JsonObject, OpenApiVersion } from "./options.ts";
import type { SharedResponses } from "./shared-responses.ts";

/** What the responses of all operations share. */
export interface ResponseContext {
  readonly components: Components;
  readonly shared: SharedResponses;
  readonly version: OpenApiVersion;
}

const withoutBody: ReadonlySet<number> = new Set([204, 205, 304]);

/** Writes every response that an operation can have, by status. */
export const toResponses = (place: OperationPlace, context: ResponseContext): JsonObject =>
  Object.fromEntries(
    [...listSuccesses(place, context), ...listErrors(place, context)]
      .toSorted(([one], [other]) => one - other)
      .map(([status, response]) => [String(status), response]),
  );

type StatusResponse = readonly [status: number, response: JsonObject];

const anyOutput = (): z.ZodType => z.record(z.string(), z.unknown());

const listSuccesses = (
  place: OperationPlace,
  { components, version }: ResponseContext,
): readonly StatusResponse[] => {
  const { endpoint, method } = place;
  const { outputSchema, resultHandler, statusCode } = endpoint;
  const content = outputSchema && readContent(outputSchema);
  if (content) return listContentStatuses(content, statusCode);
  const declared = resultHandler.listPositive((outputSchema ?? anyOutput()) as z.ZodType);
  const hasLinks =
    method === "get" && outputSchema !== undefined && readPagination(outputSchema)?.hasLinks;
  return groupByStatus(declared, statusCode ?? 200).map(([status, responses]) => [
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

/** What is sent as it is, past the result handler; of a file, also parts of it, or that it has not changed. */
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
  description: "The neighbours of the page, as relative URLs (RFC 8288).",
  schema: { type: "string" },
};

/** What the output, or the only response, says of itself. */
const toDescription = (
  responses: readonly ApiResponse[],
  { endpoint }: OperationPlace,
): string | undefined => {
  const [response, other] = responses;
  if (!response || other) return undefined;
  return z.globalRegistry.get((endpoint.outputSchema ?? response.schema) as z.ZodType)?.description;
};

const groupByStatus = (
  responses: readonly ApiResponse[],
  preset: number,
): readonly (readonly [number, readonly ApiResponse[]])[] => {
  const groups = new Map<number, ApiResponse[]>();
  for (const response of responses)
    for (const status of [response.statusCode ?? preset].flat())
      groups.set(status, [...(groups.get(status) ?? []), response]);
  return [...groups];
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
        ? toEventStreamMedia(anyOf(schemas), version)
        : { schema: toMediaSchema(type, anyOf(schemas)) },
    ]),
  );
};

/** Bytes, wherever a body is neither JSON nor a text. */
const toMediaSchema = (type: string, json: JsonObject): JsonObject => {
  if (/\bjson\b/i.test(type)) return json;
  const isBuffer = JSON.stringify(json).includes('"const":"Buffer"');
  const isUnknown = Object.keys(json).length === 0 && !/^text\/|\bxml\b/i.test(type);
  return isBuffer || isUnknown
    ? { type: "string", format: "binary", contentMediaType: type }
    : json;
};

/** Who answers an error of a status: the handler of the endpoint, or what answers before it is reached. */
interface ErrorSource {
  readonly status: number;
  readonly handlers: readonly AnyResultHandler[];
  readonly declared?: DeclaredError | undefined;
  /** Whether the framework itself answers with it, without data. */
  readonly isOwn: boolean;
}

const listErrors = (place: OperationPlace, context: ResponseContext): readonly StatusResponse[] => {
  const { resultHandler } = place.endpoint;
  const declared = joinErrors(place.endpoint);
  const own = listOwnStatuses(place);
  const named = resultHandler.listNegative().flatMap(({ statusCode = [] }) => statusCode);
  const statuses = new Set([...declared.keys(), ...own.keys(), ...named]);
  return [...statuses].map((status) => [
    status,
    toErrorResponse(
      {
        status,
        handlers: own.get(status) ?? [resultHandler],
        declared: declared.get(status),
        isOwn: own.has(status),
      },
      place,
      context,
    ),
  ]);
};

/** What the framework answers by itself, and by which result handlers. */
const listOwnStatuses = (
  place: OperationPlace,
): ReadonlyMap<number, readonly AnyResultHandler[]> => {
  const { endpoint, config, sources } = place;
  const { resultHandler } = endpoint;
  const { errorHandler = defaultResultHandler, requestTimeout = 0, handlerTimeout = 0 } = config;
  const early = resultHandler === defaultResultHandler ? errorHandler : resultHandler;
  const hasBody = sources.includes("body");
  const hasInput = listInputSchemas(endpoint).length > 0;
  const hasTimeout = (endpoint.timeout ?? (requestTimeout || handlerTimeout)) > 0;
  const hasSecurity = endpoint.middlewares.some(({ security }) => security);
  const isLocated = place.path.includes(":") || place.path.includes("*");
  const wrong = [...(hasInput ? [resultHandler] : []), ...(hasBody || isLocated ? [early] : [])];
  return new Map<number, readonly AnyResultHandler[]>([
    ...(wrong.length > 0 ? [[400, [...new Set(wrong)]] as const] : []),
    ...(hasSecurity ? [[401, [resultHandler]] as const] : []),
    ...(hasBody
      ? ([
          [413, [early]],
          [415, [early]],
        ] as const)
      : []),
    [500, [resultHandler]],
    ...(hasTimeout ? [[503, [resultHandler]] as const] : []),
  ]);
};

const toErrorResponse = (
  { status, handlers, declared, isOwn }: ErrorSource,
  place: OperationPlace,
  { components, shared, version }: ResponseContext,
): JsonObject => {
  const data = declared && toDataSchema(declared, isOwn);
  const responses = handlers.flatMap((handler) => {
    const all = shared.listNegative(handler, data);
    const exact = all.filter(({ statusCode }) => [statusCode ?? []].flat().includes(status));
    const open = all.filter(({ statusCode }) => statusCode === undefined);
    return exact.length > 0 ? exact : open.length > 0 ? open : all;
  });
  const written = toContent(
    responses,
    toWritePlace(place, `errors[${status}]`, `Error${status}`),
    components,
    version,
  );
  const content = written && (data ? written : shared.nameSchemas(written, place));
  const { descriptions = [toStatusText(status)], headers = {} } = declared ?? {};
  const response = compact({
    description: descriptions.join("\n\n"),
    headers: Object.keys(headers).length > 0 ? toHeaders(headers) : undefined,
    content,
  });
  return declared ? response : shared.share(status, response);
};

const toHeaders = (headers: Readonly<Record<string, string>>): JsonObject =>
  Object.fromEntries(
    Object.entries(headers).map(([name, description]) => [
      name,
      { description, schema: { type: "string" } },
    ]),
  );

const dataSchemas = new WeakMap<ZodSchema, { required?: z.ZodType; optional?: z.ZodType }>();

/** The schema of the data of an error; made once, so that it is written once. */
const toDataSchema = (
  { schemas, mayLackData }: DeclaredError,
  isOwn: boolean,
): z.ZodType | undefined => {
  const [first] = schemas;
  if (!first) return undefined;
  const mayLack = mayLackData || isOwn;
  const kind = mayLack ? "optional" : "required";
  const known = dataSchemas.get(first);
  if (schemas.length === 1 && known?.[kind]) return known[kind];
  const schema = (schemas.length === 1 ? first : z.union(schemas)) as z.ZodType;
  const made = mayLack ? schema.optional() : schema;
  if (schemas.length === 1) dataSchemas.set(first, { ...known, [kind]: made });
  return made;
};
