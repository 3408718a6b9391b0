import type { Operation } from "../api/operation.ts";
import { OpenApiError } from "../../basics/errors.ts";
import { toStatusText } from "../../basics/http/status.ts";
import { listUploadTypes } from "../../basics/schemas/bodies.ts";
import type { Components } from "./components.ts";
import { isFormatExample } from "./format-examples.ts";
import { compact, listOf, mapValues, nonEmpty } from "./map-json.ts";
import type { WritePlace } from "./node-writer.ts";
import { omitFields, viewObject } from "./object-view.ts";
import type { JsonObject, OpenApiOperation } from "./options.ts";
import {
  isBinary,
  placeInput,
  takesObjects,
  type PlacedField,
  type Placement,
} from "./placement.ts";
import { toPlainContent, toResponses, type WriteContext } from "./responses.ts";

export const toOperation = (
  operation: Operation,
  place: WritePlace,
  operationId: string,
  context: WriteContext,
): OpenApiOperation => {
  const { endpoint, additions } = operation;
  const { components } = context;
  const placement = placeInput(operation, place, components);
  const parameters = toParameters(placement, operation, context);
  const notes = additions.map((one) => one.notes?.((target) => context.link(target, operation)));
  return compact({
    operationId,
    summary: endpoint.shortDescription ?? toSummary(endpoint.description),
    description: [endpoint.description, ...notes].filter(Boolean).join("\n\n") || undefined,
    tags: nonEmpty(endpoint.tags),
    deprecated: endpoint.isDeprecated ? true : undefined,
    ...(Object.assign({}, ...additions.map(({ extensions }) => extensions)) as object),
    security: context.security.write(operation),
    parameters: nonEmpty(parameters),
    requestBody: toRequestBody(placement, operation, components),
    responses: toResponses(operation, place, context),
  });
};

/** Writes the HEAD operation for a GET operation: the same, but without response bodies. */
export const toHeadOperation = (json: OpenApiOperation, operationId: string): OpenApiOperation => {
  const responses = mapValues(json.responses ?? {}, (response, status) => {
    if ("$ref" in response) return { description: toStatusText(Number(status)) };
    const { content: _content, ...rest } = response;
    return rest;
  });
  return { ...json, operationId, responses: responses as OpenApiOperation["responses"] };
};

/** The headers that OpenAPI describes in other ways and ignores as parameters. */
const ignoredHeaders: ReadonlySet<string> = new Set(["accept", "content-type", "authorization"]);

/** @throws {@link OpenApiError} when the query or the path cannot represent a parameter. */
const toParameters = (
  { fields, otherParameters }: Placement,
  operation: Operation,
  context: WriteContext,
): readonly JsonObject[] => {
  const parameters = fields
    .filter(({ location, name }) => location !== "header" || !ignoredHeaders.has(name))
    .map((field) => toParameter(field, operation, context));
  const { idField = "", takesId } = operation;
  const isFree = fields.every(
    ({ location, name }) => location !== "header" || name !== idField.toLowerCase(),
  );
  if (takesId && isFree) parameters.push(toIdParameter(idField));
  if (!otherParameters) return parameters;
  let name = "otherParameters";
  while (fields.some((field) => field.name === name)) name += "_";
  const others = {
    name,
    in: "query",
    description: "Any other parameters, by their own names.",
    schema: { type: "object", additionalProperties: otherParameters },
    style: "form",
    explode: true,
  };
  return [...parameters, others];
};

const restNotes =
  "The rest of the path: its segments, with slashes between them that are not encoded; `%2F` is a slash within a segment.";

/** Describes the id of a request; an id that is not accepted is replaced, so nothing is required of it. */
const toIdParameter = (name: string): JsonObject => ({
  ...{ name, in: "header", schema: { type: "string" } },
  description:
    "The id of the request: up to 128 letters, digits and `.`, `_`, `:` or `-`. Without one, or with another, the request gets a new id.",
});

const toParameter = (
  field: PlacedField,
  operation: Operation,
  { components, version }: WriteContext,
): JsonObject => {
  const { name, location, isRequired, json } = field;
  const last = operation.segments.at(-1);
  const isRest = location === "path" && last?.kind === "rest" && last.names.includes(name);
  const { description, deprecated, ...schema } = json;
  // a documentation page would fill in the example, and thus send a parameter that nobody needs
  if (!isRequired && isFormatExample(schema["examples"])) delete schema["examples"];
  const notes = isRest ? restNotes : undefined;
  const [example] = listOf(components.resolve(schema)["examples"]);
  const texts = [description, notes].filter((text) => typeof text === "string");
  return compact({
    name,
    in: location,
    description: texts.join(" ") || undefined,
    required: location === "path" || isRequired ? true : undefined,
    deprecated: deprecated === true ? true : undefined,
    // documentation pages show this one, and fill it in
    example: isRest && Array.isArray(example) ? example.join("/") : example,
    schema: isRest ? { type: "string" } : schema,
    // before 3.2, no path parameter can say so
    allowReserved: isRest && version === "3.2" ? true : undefined,
    ...toStyle(field, operation, components),
  });
};

const deepObject: JsonObject = { style: "deepObject", explode: true };

const toStyle = (
  { name, location, json }: PlacedField,
  { method, path, route, queryParser }: Operation,
  components: Components,
): JsonObject => {
  const { type } = components.resolve(json);
  const isQuery = location === "query";
  if (isQuery && queryParser !== "simple" && takesObjects("some", json, components))
    return deepObject;
  if (!takesObjects("every", json, components))
    return isQuery && type === "array" ? { style: "form", explode: true } : {};
  if (location === "path" && type === "array") return {};
  throw new OpenApiError(
    "SLP_OPENAPI_QUERY_OBJECT",
    isQuery
      ? `input.${name} of ${route} is an object, which the query parser "simple" never returns. Set \`queryParser: "extended"\` in the configuration, declare its fields individually, or serve the endpoint with POST.`
      : `input.${name} of ${route} is an object, which cannot come from ${location === "path" ? "the path" : `a ${location}`}. Declare it as a string, or take it from the body.`,
    { method, route: path },
  );
};

const toRequestBody = (
  { body }: Placement,
  { body: { kind, mediaType }, inputs, isRetrieval, isSafe, queryParser }: Operation,
  components: Components,
): JsonObject | undefined => {
  if (!body) return undefined;
  const { fields, mayBeEmpty } = viewObject(body, components);
  const raw = kind === "raw" ? toRawSchema(fields.get("raw")?.json ?? {}, mediaType) : undefined;
  const json = kind === "files" ? withoutFiles(body, components) : undefined;
  const { description } = components.resolve(body);
  const hasBrackets = kind === "form" && queryParser === "extended";
  const nested = [...(hasBrackets ? fields : [])].filter(([, field]) =>
    takesObjects("some", field.json, components),
  );
  const files = kind === "files" ? inputs.flatMap((schema) => [...listUploadTypes(schema)]) : [];
  const encoding = nonEmpty(
    Object.fromEntries([
      ...nested.map(([name]) => [name, deepObject] as const),
      ...files.map(([name, types]) => [name, { contentType: types.join(", ") }] as const),
    ]),
  );
  return compact({
    description: typeof description === "string" ? description : undefined,
    // `required` is always written, because express-openapi-validator treats a missing value as true
    required: !mayBeEmpty || (isSafe && !isRetrieval),
    content: {
      [mediaType]: compact({ schema: raw ?? body, encoding }),
      ...(json && { "application/json": { schema: json } }),
    },
  });
};

/** Describes a body that is not parsed, unless `override.schema` has described it. */
const toRawSchema = (json: JsonObject, mediaType: string): JsonObject => {
  if (!isBinary(json)) return json;
  const { type: _type, format: _format, contentMediaType: _any, ...own } = json;
  return { ...toPlainContent(mediaType), ...own };
};

/** Returns the schema of a body with files as JSON, without the files; undefined if a file may be required. */
const withoutFiles = (body: JsonObject, components: Components): JsonObject | undefined => {
  const files = [...viewObject(body, components).fields].filter(([, { json }]) => isBinary(json));
  const { anyOf, oneOf } = components.resolve(body);
  if (anyOf ?? oneOf ?? files.some(([, { isRequired }]) => isRequired)) return undefined;
  return omitFields(body, new Set(files.map(([name]) => name)), components);
};

/** Returns the first sentence of a description. */
export const toSummary = (description = ""): string | undefined => {
  const [paragraph = ""] = description.trim().split(/\n\r?\n/, 1);
  const text = paragraph.replace(/^#+ /, "").replaceAll(/\s+/g, " ");
  const [sentence = ""] = /^.*?(?<!\b(?:e\.g|i\.e))[.!?](?= [^a-z])|^.*/.exec(text) ?? [];
  return sentence.replace(/\.$/, "") || undefined;
};
