import type { InputSource } from "../endpoint/input-sources.ts";
import { listNames, parsePathPattern } from "../routing/path-pattern.ts";
import { takesRawBody } from "../schemas/raw.ts";
import { takesFiles } from "../schemas/upload.ts";
import type { Components } from "./components.ts";
import {
  isEmptyObject,
  joinAll,
  mergeObjects,
  omitFields,
  viewObject,
  type Field,
} from "./object-view.ts";
import { listInputSchemas, toWritePlace, type OperationPlace } from "./operation-place.ts";
import type { JsonObject } from "./options.ts";
import { requestFields } from "./request-fields.ts";

/** The part of a request that a field of the input comes from. */
type Location = "path" | "header" | "cookie" | "query" | "body";

/** A field that is not part of the body. */
export interface PlacedField extends Field {
  readonly name: string;
  readonly location: Exclude<Location, "body">;
}

/** The parts of an input, grouped by the part of the request that they come from. */
export interface Placement {
  readonly fields: readonly PlacedField[];
  /** The schema of all other query parameters, if the input uses them. */
  readonly otherParameters: JsonObject | undefined;
  /** The schema of the body; undefined if no body is used. */
  readonly body: JsonObject | undefined;
  readonly bodyKind: "parsed" | "raw" | "files";
}

/** Places each field of an input in the path, the headers, the cookies, the query or the body. */
export const placeInput = (place: OperationPlace, components: Components): Placement => {
  const { endpoint, sources, path } = place;
  const declared = listInputSchemas(endpoint);
  const schemas = declared.map((schema) =>
    components.write(schema, "input", toWritePlace(place, "input")),
  );
  const { fields, others } = joinAll(schemas.map((schema) => viewObject(schema, components)));
  const names = parsePathPattern(path).flatMap(listNames);
  const parameters = new Set(sources.includes("params") ? names : []);
  const bodyKind = declared.some(takesRawBody)
    ? "raw"
    : sources.includes("files") && declared.some(takesFiles)
      ? "files"
      : "parsed";
  const hasBody = sources.includes("body");
  const locate = (name: string, { json }: Field): Location | undefined => {
    if (parameters.has(name)) return "path";
    if (bodyKind === "raw" && name === "raw") return hasBody ? "body" : undefined;
    if (bodyKind === "files" && isBinary(json)) return "body";
    const found = toLocation(name, sources);
    // fields that the query cannot represent go into the body, if there is one
    return found === "query" && hasBody && !fitsQuery(json, place, components) ? "body" : found;
  };
  const located = [...fields].map(([name, field]) => ({
    name,
    ...field,
    location: locate(name, field),
  }));
  const placed = located.flatMap(({ location, ...field }): PlacedField[] =>
    location === undefined || location === "body" ? [] : [{ ...field, location }],
  );
  // every path parameter is documented, whether the input declares it or not
  const unnamed = names.filter(
    (name) => !placed.some((field) => field.name === name && field.location === "path"),
  );
  return {
    fields: [
      ...placed,
      ...unnamed.map((name) => ({
        name,
        json: { type: "string" },
        isRequired: true,
        location: "path" as const,
      })),
    ],
    otherParameters: sources.includes("query") ? others : undefined,
    body: hasBody
      ? toBody(
          schemas,
          new Set(located.filter(({ location }) => location !== "body").map(({ name }) => name)),
          components,
        )
      : undefined,
    bodyKind,
  };
};

const toLocation = (name: string, sources: readonly InputSource[]): Location | undefined => {
  const others = sources.filter((source) => source !== "params");
  const has = (source: InputSource): boolean => sources.includes(source);
  const only = (...ones: readonly InputSource[]): boolean =>
    others.length > 0 && others.every((source) => ones.includes(source));
  if (has("headers") && (only("headers") || name.startsWith("x-") || requestFields.has(name)))
    return "header";
  if (only("cookies", "signedCookies")) return "cookie";
  if (has("query")) return "query";
  if (has("body")) return "body";
  if (has("cookies") || has("signedCookies")) return "cookie";
  return has("headers") ? "header" : undefined;
};

/** Checks whether a query can represent the values of a schema. */
export const fitsQuery = (
  json: JsonObject,
  { config: { queryParser = "simple" } }: OperationPlace,
  components: Components,
): boolean => queryParser !== "simple" || !isOnlyObject(json, components);

/** Checks whether only objects, or arrays of objects, fit a schema. */
export const isOnlyObject = (json: JsonObject, components: Components): boolean => {
  const { type, items, anyOf, oneOf, allOf } = components.resolve(json);
  if (type === "object") return true;
  if (type === "array") return isOnlyObject((items ?? {}) as JsonObject, components);
  const options = (anyOf ?? oneOf) as readonly JsonObject[] | undefined;
  if (options)
    return options.length > 0 && options.every((option) => isOnlyObject(option, components));
  return ((allOf ?? []) as readonly JsonObject[]).some((part) => isOnlyObject(part, components));
};

const isBinary = (json: JsonObject): boolean => JSON.stringify(json).includes('"format":"binary"');

const toBody = (
  schemas: readonly JsonObject[],
  elsewhere: ReadonlySet<string>,
  components: Components,
): JsonObject | undefined => {
  const own = schemas.map((schema) => omitFields(schema, elsewhere, components));
  const body = mergeObjects(own, components);
  return isEmptyObject(body, components) ? undefined : body;
};
