import { isObject } from "./json.ts";
import type { JsonObject, OpenApiVersion } from "./options.ts";
import { toSchema30 } from "./nullable-dialect.ts";

/** Converts a document to the schema dialect of its version: 3.0 has its own, and later versions use JSON Schema. */
export const toVersion = (document: JsonObject, version: OpenApiVersion): JsonObject =>
  version === "3.0" ? (changeSchemas(document) as JsonObject) : document;

/** The keywords whose values are not converted, because they contain names or values chosen by the application. */
const maps: ReadonlySet<string> = new Set(["properties", "examples", "example", "default", "enum"]);

/**
 * Converts the schemas in a document: those under `schema`, in the components, and in extensions that mirror the
 * components.
 */
const changeSchemas = (value: unknown, isMapOfSchemas = false): unknown => {
  if (Array.isArray(value)) return value.map((one) => changeSchemas(one));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      if (isMapOfSchemas || key === "schema" || key === "x-itemSchema")
        return [key, toSchema30(inner)];
      if (maps.has(key)) return [key, inner];
      return [key, changeSchemas(inner, key === "schemas")];
    }),
  );
};
