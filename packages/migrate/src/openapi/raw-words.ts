import { isObject, toList, type Json, type JsonObject } from "@sallyport/document";
import type { ApiDocument } from "./document.ts";

/** Keywords that say nothing about values; documents have them as meta data of a schema. */
const annotations: ReadonlySet<string> = new Set([
  ...["title", "description", "deprecated", "readOnly", "writeOnly", "externalDocs", "xml"],
  "$comment",
]);

/** Keywords that Zod has no counterpart for; documents have them as meta data. */
const unchecked = [
  ...["not", "if", "then", "else", "patternProperties", "propertyNames", "dependentRequired"],
  ...["dependentSchemas", "contains", "minContains", "maxContains", "unevaluatedProperties"],
  ...["unevaluatedItems", "contentSchema"],
];

const idle = new Set([
  "default",
  "discriminator",
  "example",
  "examples",
  "nullable",
  "$defs",
  "$id",
]);

const isAnnotation = (name: string): boolean =>
  annotations.has(name) || idle.has(name) || name.startsWith("x-") || name.startsWith("$");

/** Whether a reference has keywords beside it that restrict values. */
export const hasOwnWords = (raw: JsonObject): boolean =>
  Object.keys(raw).some((name) => !isAnnotation(name) && !unchecked.includes(name)) ||
  raw["nullable"] === true;

export const listTypes = (raw: JsonObject): readonly string[] =>
  [raw["type"] ?? []].flat().map(String);

export const isNullType = (raw: Json): boolean =>
  isObject(raw) && listTypes(raw).length > 0 && listTypes(raw).every((type) => type === "null");

/** Whether a field of a form is a file. */
export const isFile = (raw: JsonObject): boolean =>
  raw["format"] === "binary" ||
  (raw["contentMediaType"] !== undefined && raw["contentEncoding"] === undefined);

/** Returns the keywords about values that stand beside references and parts. */
export const withoutComposition = (raw: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(raw).filter(
      ([name]) =>
        !isAnnotation(name) &&
        !unchecked.includes(name) &&
        !["allOf", "anyOf", "oneOf"].includes(name),
    ),
  );

/** Returns what documents say in addition about a schema. */
export const readMeta = (raw: JsonObject): JsonObject => {
  const examples = [
    ...(raw["example"] === undefined ? [] : [raw["example"]]),
    ...toList(raw["examples"]),
  ];
  const own = Object.entries(raw).filter(
    ([name, value]) =>
      name === "default" || name.startsWith("x-") || (annotations.has(name) && value !== false),
  );
  return { ...Object.fromEntries(own), ...(examples.length > 0 && { examples }) };
};

/** Returns the keywords that are described, but not checked, and what to say about them. */
export const readUnchecked = (
  raw: JsonObject,
  document: ApiDocument,
): { readonly meta: JsonObject; readonly notes: readonly string[] } => {
  const found = unchecked.flatMap((name) =>
    raw[name] === undefined ? [] : [[name, document.inline(raw[name])] as const],
  );
  return {
    meta: Object.fromEntries(
      found.filter((entry): entry is [string, Json] => entry[1] !== undefined),
    ),
    notes: found.map(([name]) => `\`${name}\` is not checked.`),
  };
};
