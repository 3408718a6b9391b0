import { toList, type Json, type JsonObject } from "../json.ts";

/** Keywords that say nothing about values, so a schema of these alone accepts anything. */
const annotations: ReadonlySet<string> = new Set([
  ...["$anchor", "$comment", "$defs", "$dynamicAnchor", "$id", "$ref", "$schema", "description"],
  ...["example", "examples", "externalDocs", "summary", "title", "xml"],
]);

/** What leads elsewhere in JSON Schema leads there in documents, which are not extended by others. */
export const toReference = (raw: JsonObject): JsonObject =>
  typeof raw["$dynamicRef"] === "string" ? { ...raw, $ref: raw["$dynamicRef"] } : raw;

/** Whether a reference has keywords beside it, which count as of OpenAPI 3.1. */
export const hasOwnWords = (raw: JsonObject): boolean =>
  Object.keys(raw).some(
    (key) => !annotations.has(key) && key !== "$dynamicRef" && !key.startsWith("x-"),
  );

/** Writes the bytes of OpenAPI 3.0 and those of 3.1 in one way. */
export const toCurrent = (raw: JsonObject): JsonObject => {
  const { format, contentEncoding, contentMediaType, ...rest } = raw;
  if (format === "byte") return { ...rest, contentEncoding: "base64" };
  const isBinary =
    format === "binary" ||
    (contentEncoding === undefined && contentMediaType === "application/octet-stream");
  // bytes as such have the media type of what contains them
  return isBinary ? { ...rest, format: "binary" } : raw;
};

/** Returns what a schema combines with its own keywords. */
export const listParts = (raw: JsonObject): readonly Json[] => {
  const { $ref } = toReference(raw);
  return [...(typeof $ref === "string" ? [{ $ref }] : []), ...toList(raw["allOf"])];
};

export const listVariants = (raw: JsonObject): readonly Json[] => [
  ...toList(raw["anyOf"]),
  ...toList(raw["oneOf"]),
];

export const isEmpty = (schema: JsonObject): boolean =>
  Object.keys(schema).every(
    (key) => key !== "$ref" && (annotations.has(key) || key.startsWith("x-")),
  );
