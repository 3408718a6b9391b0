import { readFileSync } from "node:fs";
import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";

type Json = Readonly<Record<string, unknown>>;

const read = (name: string): Json =>
  JSON.parse(
    readFileSync(new URL(`../fixtures/openapi-schemas/${name}.json`, import.meta.url), "utf8"),
  ) as Json;

/** Converts the official schema for OpenAPI 3.0 from JSON Schema draft 4 to draft 7; two keywords differ. */
export const fromDraft4 = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(fromDraft4);
  if (typeof value !== "object" || value === null) return value;
  const { id, $schema: _draft, ...json } = value as Record<string, unknown>;
  for (const bound of ["Minimum", "Maximum"]) {
    if (json[`exclusive${bound}`] !== true) continue;
    json[`exclusive${bound}`] = json[bound.toLowerCase()];
    delete json[bound.toLowerCase()];
  }
  if (typeof id === "string") json["$id"] = id;
  return Object.fromEntries(Object.entries(json).map(([key, inner]) => [key, fromDraft4(inner)]));
};

const create30 = () => {
  const ajv = new Ajv({ strict: false, allErrors: false });
  formats.default(ajv);
  return ajv.compile(fromDraft4(read("3.0-schema")) as Json);
};

/**
 * Ajv does not follow dynamic references between files, so references to schema objects become static references to
 * the dialect. Nested schemas are then checked as plain JSON Schema.
 */
const toStatic = (value: unknown, dialect: string): unknown => {
  if (Array.isArray(value)) return value.map((one) => toStatic(one, dialect));
  if (typeof value !== "object" || value === null) return value;
  const { $dynamicAnchor: _anchor, ...json } = value as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(json).map(([key, inner]) =>
      key === "$dynamicRef" ? ["$ref", dialect] : [key, toStatic(inner, dialect)],
    ),
  );
};

const create = (version: string) => {
  const dialect = read(`${version}-dialect`)["$id"] as string;
  const ajv = new Ajv2020({ strict: false, allErrors: false });
  formats.default(ajv);
  for (const format of ["media-range", "iri"]) ajv.addFormat(format, true);
  for (const name of ["meta", "dialect", "schema"])
    ajv.addSchema(toStatic(read(`${version}-${name}`), dialect) as Json);
  return ajv.compile(toStatic(read(`${version}-schema-base`), dialect) as Json);
};

const validators = new Map<string, ReturnType<typeof create>>();

/**
 * Lists the errors in a document according to the official schemas for its version, including the one for schema objects.
 */
export const findOfficialErrors = (document: Json, version: string): readonly string[] => {
  const validate = validators.get(version) ?? (version === "3.0" ? create30() : create(version));
  validators.set(version, validate);
  return validate(document)
    ? []
    : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
};
