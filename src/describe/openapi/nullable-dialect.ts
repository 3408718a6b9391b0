import { toFreeName } from "../api/operation-ids.ts";
import {
  compact,
  dataKeywords,
  distinctBy,
  isObject,
  listOf,
  listReferences,
  mapReferences,
  maps,
  mapValues,
} from "./map-json.ts";
import type { JsonObject, OpenApiVersion } from "./options.ts";

/** Converts a document to the schema dialect of its version: 3.0 has its own, and later versions use JSON Schema. */
export const toVersion = (document: JsonObject, version: OpenApiVersion): JsonObject =>
  version === "3.0" ? addNull(changeSchemas(document) as JsonObject) : document;

const onlyNull: JsonObject = { type: "string", nullable: true, enum: [null] };

const prefix = "#/components/schemas/";

/** Refers to null until the other components are known. */
const toNull: JsonObject = { $ref: `${prefix}:null` };

/** Adds null as a component if a schema refers to it; some readers cannot express an alternative that is only null. */
const addNull = (document: JsonObject): JsonObject => {
  if (!listReferences(document).includes(String(toNull["$ref"]))) return document;
  const { components = {} } = document as { readonly components?: JsonObject };
  const schemas = { ...(components["schemas"] as JsonObject | undefined) };
  const name = toFreeName("Null", (one) => one in schemas);
  schemas[name] = onlyNull;
  const whole = { ...document, components: { ...components, schemas } };
  const refer = (reference: string) => (reference === toNull["$ref"] ? prefix + name : undefined);
  return mapReferences(whole, refer) as JsonObject;
};

/** Converts the schemas in a document: those under `schema`, and in the components or extensions that mirror them. */
const changeSchemas = (value: unknown, around = ""): unknown => {
  if (Array.isArray(value)) return value.map((one) => changeSchemas(one));
  if (!isObject(value)) return value;
  return mapValues(value, (inner, key) => {
    if (around === "schemas") return toSchema30(inner);
    if (maps.has(around)) return changeSchemas(inner);
    if (key === "schema" || key === "x-itemSchema") return toSchema30(inner);
    return key === "properties" || dataKeywords.has(key) ? inner : changeSchemas(inner, key);
  });
};

/** The keywords of a 3.0 schema; others would make the document invalid. */
const keywords: ReadonlySet<string> = new Set([
  ...["$ref", "title", "multipleOf", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum"],
  ...["maxLength", "minLength", "pattern", "maxItems", "minItems", "uniqueItems", "maxProperties"],
  ...["minProperties", "required", "enum", "type", "allOf", "oneOf", "anyOf", "not", "items"],
  ...["properties", "additionalProperties", "description", "format", "default", "nullable"],
  ...["discriminator", "readOnly", "writeOnly", "xml", "externalDocs", "example", "deprecated"],
]);

const toSchema30 = (value: unknown): JsonObject => {
  if (value === false) return { not: {} };
  if (!isObject(value)) return {};
  return finish(toNullable(toTypes(value)));
};

/** Turns a list of types into a list of alternatives; null is not a type in 3.0. */
const toTypes = (schema: JsonObject): JsonObject => {
  const { type, ...rest } = schema;
  if (!Array.isArray(type)) return schema;
  const others = type.filter((one) => one !== "null");
  const hasNull = others.length < type.length;
  if (others.length === 1) return { ...rest, type: others[0], ...(hasNull && { nullable: true }) };
  const { title, description, deprecated, examples, default: preset, ...own } = rest;
  const options = others.map((one) => ({ ...own, type: one }));
  return {
    ...compact({ title, description, deprecated, examples, default: preset }),
    anyOf: hasNull ? [...options, { type: "null" }] : options,
  };
};

/** Converts null to `nullable`, which only works next to `type`; elsewhere, null becomes an alternative. */
const toNullable = (schema: JsonObject): JsonObject => {
  const isNull = (one: unknown): boolean => isObject(one) && one["type"] === "null";
  if (schema["type"] === "null") {
    const { type: _type, const: _null, enum: _nulls, ...rest } = schema;
    return { ...rest, ...onlyNull };
  }
  for (const keyword of ["anyOf", "oneOf"] as const) {
    const options = listOf(schema[keyword]);
    const others = options.filter((option) => !isNull(option));
    if (others.length === options.length) continue;
    const { [keyword]: _options, ...rest } = schema;
    const at = others.findIndex(mayBeNullable);
    if (at < 0) return { ...rest, [keyword]: [...others, toNull] };
    const nullable = { ...(others[at] as JsonObject), nullable: true };
    return others.length === 1
      ? { ...nullable, ...rest }
      : { ...rest, [keyword]: others.with(at, nullable) };
  }
  return schema;
};

/** Checks whether `nullable` makes a schema accept null: its parts would still reject it. */
const mayBeNullable = (schema: unknown): boolean =>
  isObject(schema) &&
  typeof schema["type"] === "string" &&
  !["allOf", "anyOf", "oneOf", "not"].some((keyword) => keyword in schema);

const finish = (schema: JsonObject): JsonObject => {
  const { $ref: reference, const: constant, examples, ...json } = schema;
  if ("const" in schema) json["enum"] = [constant];
  if (json["nullable"] === true && Array.isArray(json["enum"]) && !json["enum"].includes(null))
    json["enum"] = [...(json["enum"] as unknown[]), null];
  if (Array.isArray(examples) && examples.length > 0) json["example"] ??= examples[0];
  for (const bound of ["Minimum", "Maximum"]) {
    const exclusive = json[`exclusive${bound}`];
    if (typeof exclusive !== "number") continue;
    json[bound.toLowerCase()] = exclusive;
    json[`exclusive${bound}`] = true;
  }
  if (Array.isArray(json["prefixItems"])) json["items"] = joinItems(json);
  // keys that match no pattern may have any value
  if (isObject(json["patternProperties"])) json["additionalProperties"] ??= true;
  if (json["contentEncoding"] === "base64" && !json["format"]) json["format"] = "byte";
  for (const keyword of ["allOf", "anyOf", "oneOf"])
    if (keyword in json) json[keyword] = listOf(json[keyword]).map(toSchema30);
  for (const keyword of ["not", "items"])
    if (keyword in json) json[keyword] = toSchema30(json[keyword]);
  if (json["type"] === "array") json["items"] ??= {};
  if (isObject(json["properties"])) json["properties"] = mapValues(json["properties"], toSchema30);
  if (isObject(json["additionalProperties"]))
    json["additionalProperties"] = toSchema30(json["additionalProperties"]);
  if (Array.isArray(json["required"]) && json["required"].length === 0) delete json["required"];
  for (const keyword of Object.keys(json))
    if (!keywords.has(keyword) && !keyword.startsWith("x-")) delete json[keyword];
  if (typeof reference !== "string") return json;
  // readers of 3.0 ignore keywords next to a `$ref`
  return Object.keys(json).length === 0
    ? { $ref: reference }
    : { ...json, allOf: [{ $ref: reference }, ...listOf(json["allOf"])] };
};

/** Describes all elements of a tuple alike, because 3.0 has no schemas for single elements. */
const joinItems = ({ prefixItems, items }: JsonObject): JsonObject => {
  const distinct = distinctBy([...listOf(prefixItems), items].filter(isObject));
  return distinct.length > 1 ? { anyOf: distinct } : (distinct[0] ?? {});
};
