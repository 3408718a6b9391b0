import type { Location, Operation } from "../api/operation.ts";
import type { ZodSchema } from "../../basics/schemas/schema.ts";
import type { Components } from "./components.ts";
import { distinctBy, listOf } from "./map-json.ts";
import { join, mergeObjects, omitFields, viewObject, type Field } from "./object-view.ts";
import type { WritePlace } from "./node-writer.ts";
import type { JsonObject } from "./options.ts";
import { settleFields } from "./shared-fields.ts";

export interface PlacedField extends Field {
  readonly name: string;
  readonly location: Exclude<Location, "body">;
}

/** The parts of an input, grouped by the part of the request that they come from. */
export type Placement = ReturnType<typeof placeInput>;

/** Places each field of an input in the path, the headers, the cookies, the query or the body. */
export const placeInput = (operation: Operation, place: WritePlace, components: Components) => {
  const { parameters, hasBody, sources, inputs, body, queryParser } = operation;
  const read = (stages: readonly ZodSchema[], isText: (name: string) => boolean) =>
    settleFields(
      stages.map((schema) => ({ schema, json: components.write(schema, "input", place) })),
      isText,
      components,
    );
  const isJson = (name: string): boolean =>
    body.kind === "json" && operation.locate(name) === "body";
  const schemas = read(inputs, (name) => !isJson(name));
  const { fields, others, examples } = join(
    "all",
    schemas.map((schema) => viewObject(schema, components)),
  );
  const locate = (name: string, { json }: Field): Location | undefined => {
    const found = operation.locate(name);
    if (found === "path") return found;
    if (body.kind === "raw" && name === "raw") return hasBody ? "body" : undefined;
    if (body.kind === "files" && isBinary(json)) return "body";
    // fields that the query cannot represent go into the body, if there is one
    const isUnfit = queryParser === "simple" && takesObjects("every", json, components);
    return found === "query" && hasBody && isUnfit ? "body" : found;
  };
  const placed: PlacedField[] = [];
  const elsewhere = new Set<string>();
  for (const [name, field] of fields) {
    const location = locate(name, field);
    if (location === "body") continue;
    elsewhere.add(name);
    const json = addExamples(name, field.json, examples);
    if (location) placed.push({ ...field, name, location, json });
  }
  // every path parameter is documented, whether the input declares it or not
  for (const name of parameters)
    if (!placed.some((field) => field.name === name && field.location === "path"))
      placed.push({ name, json: { type: "string" }, isRequired: true, location: "path" });
  const headers = read([operation.conditions?.() ?? [], operation.headers].flat(), () => true);
  const declared = join(
    "all",
    headers.map((schema) => viewObject(schema, components)),
  ).fields;
  const own = schemas.map((schema) => omitFields(schema, elsewhere, components));
  return {
    fields: [
      ...placed.filter(({ location, name }) => location !== "header" || !declared.has(name)),
      ...[...declared].map(([name, field]) => ({ name, ...field, location: "header" }) as const),
    ],
    /** The schema of all other query parameters, if the input uses them. */
    otherParameters: sources.includes("query") ? others : undefined,
    /** The schema of the body; undefined if no body is used. */
    body: hasBody ? mergeObjects(own, components) : undefined,
  };
};

/** Checks whether objects, or arrays of objects, fit `every` option of a schema, apart from null, or `some` of them. */
export const takesObjects = (
  how: "every" | "some",
  json: JsonObject,
  components: Components,
  known = new Map<JsonObject, boolean>(),
): boolean => {
  // a schema that refers to itself adds nothing
  if (!known.has(json)) {
    known.set(json, false);
    const check = (part: unknown): boolean =>
      takesObjects(how, part as JsonObject, components, known);
    known.set(json, checkOptions(how, components.resolve(json), check));
  }
  return known.get(json) === true;
};

const checkOptions = (
  how: "every" | "some",
  { type, items, anyOf, oneOf, allOf }: JsonObject,
  check: (part: unknown) => boolean,
): boolean => {
  const types = [type ?? []].flat().filter((one) => one !== "null");
  if (types.includes("object")) return how === "some" || types.length === 1;
  if (type === "array") return check(items ?? {});
  const options = listOf(anyOf ?? oneOf).filter(
    (option) => (option as JsonObject)["type"] !== "null",
  );
  return options.length > 0 ? options[how](check) : listOf(allOf).some(check);
};

/** Adds the values that a field has in examples of the whole input. */
const addExamples = (name: string, json: JsonObject, wholes: readonly JsonObject[]): JsonObject => {
  const values = wholes.flatMap((whole) => (Object.hasOwn(whole, name) ? [whole[name]] : []));
  return values.length > 0 ? { examples: distinctBy(values), ...json } : json;
};

export const isBinary = (json: JsonObject): boolean =>
  JSON.stringify(json).includes('"format":"binary"');
