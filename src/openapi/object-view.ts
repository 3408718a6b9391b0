import type { Components } from "./components.ts";
import { allOf, anyOf, isObject, listOf } from "./json.ts";
import type { JsonObject } from "./options.ts";

/** A field that a schema has at its top level. */
export interface Field {
  readonly json: JsonObject;
  readonly isRequired: boolean;
}

/** The fields of an object schema, however the schema is composed. */
export interface ObjectView {
  readonly fields: ReadonlyMap<string, Field>;
  /** The schema of all other fields; undefined if no schema describes them. */
  readonly others: JsonObject | undefined;
}

const listParts = (json: JsonObject, keyword: string): readonly JsonObject[] =>
  listOf(json[keyword]).filter(isObject);

/** Reads the fields of a schema through references, unions and intersections. */
export const viewObject = (json: JsonObject, components: Components, depth = 0): ObjectView => {
  const own = components.resolve(json);
  // a union that contains itself adds no fields
  if (depth > 20) return { fields: new Map(), others: undefined };
  const view = (part: JsonObject): ObjectView => viewObject(part, components, depth + 1);
  const required = new Set(listOf(own["required"]));
  const properties = isObject(own["properties"]) ? own["properties"] : {};
  const { additionalProperties } = own;
  return joinAll([
    {
      fields: new Map(
        Object.entries(properties).map(([name, field]) => [
          name,
          { json: isObject(field) ? field : {}, isRequired: required.has(name) },
        ]),
      ),
      others: isObject(additionalProperties) ? additionalProperties : undefined,
    },
    ...listParts(own, "allOf").map(view),
    ...(["anyOf", "oneOf"] as const).flatMap((keyword) => {
      const options = listParts(own, keyword);
      return options.length > 0 ? [joinAny(options.map(view))] : [];
    }),
  ]);
};

/** Combines what several schemas say about the same object. */
export const joinAll = (views: readonly ObjectView[]): ObjectView =>
  join(views, (fields) => ({
    json: allOf(fields.map(({ json }) => json)),
    isRequired: fields.some(({ isRequired }) => isRequired),
  }));

const joinAny = (views: readonly ObjectView[]): ObjectView =>
  join(views, (fields) => ({
    json: anyOf(fields.map(({ json }) => json)),
    isRequired: fields.length === views.length && fields.every(({ isRequired }) => isRequired),
  }));

const join = (
  views: readonly ObjectView[],
  joinFields: (fields: readonly Field[]) => Field,
): ObjectView => {
  const names = new Set(views.flatMap(({ fields }) => [...fields.keys()]));
  return {
    fields: new Map(
      [...names].map((name) => [
        name,
        joinFields(views.flatMap(({ fields }) => fields.get(name) ?? [])),
      ]),
    ),
    others: views.find(({ others }) => others)?.others,
  };
};

/** Returns a schema without some fields; the schema itself if it has none of them. */
export const omitFields = (
  json: JsonObject,
  names: ReadonlySet<string>,
  components: Components,
): JsonObject => {
  const { fields } = viewObject(json, components);
  if (![...fields.keys()].some((name) => names.has(name))) return json;
  const { discriminator, ...own } = { ...components.resolve(json) };
  const omit = (part: unknown): unknown =>
    isObject(part) ? omitFields(part, names, components) : part;
  if (isObject(own["properties"]))
    own["properties"] = Object.fromEntries(
      Object.entries(own["properties"]).filter(([name]) => !names.has(name)),
    );
  const required = listOf(own["required"]).filter((name) => !names.has(String(name)));
  delete own["required"];
  if (required.length > 0) own["required"] = required;
  for (const keyword of ["allOf", "anyOf", "oneOf"])
    if (Array.isArray(own[keyword])) own[keyword] = listOf(own[keyword]).map(omit);
  const isMapped = listOf(own["oneOf"]).every((option) => isObject(option) && "$ref" in option);
  return discriminator !== undefined && isMapped ? { ...own, discriminator } : own;
};

/** Checks whether an object without any fields fits a schema. */
export const acceptsNothing = (json: JsonObject, components: Components, depth = 0): boolean => {
  const own = components.resolve(json);
  if (depth > 20) return true;
  const accepts = (part: JsonObject): boolean => acceptsNothing(part, components, depth + 1);
  const alternatives = (["anyOf", "oneOf"] as const).map((keyword) => listParts(own, keyword));
  return (
    listOf(own["required"]).length === 0 &&
    listParts(own, "allOf").every(accepts) &&
    alternatives.every((options) => options.length === 0 || options.some(accepts))
  );
};

const plainKeywords: ReadonlySet<string> = new Set([
  ...["type", "properties", "required", "additionalProperties", "description", "title"],
]);

/** Combines the schemas of middlewares and of their endpoint, each of which checks only its own fields. */
export const mergeObjects = (
  schemas: readonly JsonObject[],
  components: Components,
): JsonObject => {
  const filled = schemas.filter((schema) => !isEmptyObject(schema, components));
  const [first = {}] = filled;
  if (filled.length < 2) return first;
  const resolved = filled.map((schema) => components.resolve(schema));
  const isPlain = resolved.every((schema) =>
    Object.keys(schema).every((keyword) => plainKeywords.has(keyword)),
  );
  // at run time, even a strict schema accepts the fields of the other schemas
  if (!isPlain) return { allOf: filled.map((schema) => loosen(schema, components)) };
  const { fields } = joinAll(filled.map((schema) => viewObject(schema, components)));
  const required = [...fields].flatMap(([name, { isRequired }]) => (isRequired ? [name] : []));
  const last = resolved.at(-1);
  return {
    ...last,
    type: "object",
    properties: Object.fromEntries([...fields].map(([name, { json }]) => [name, json])),
    ...(required.length > 0 && { required }),
  };
};

const loosen = (schema: JsonObject, components: Components): JsonObject => {
  const resolved = components.resolve(schema);
  if (resolved["additionalProperties"] !== false) return schema;
  const { additionalProperties: _refused, ...rest } = resolved;
  return rest;
};

/** Checks whether the schema of an object has neither fields nor other constraints. */
export const isEmptyObject = (json: JsonObject, components: Components): boolean => {
  const { fields, others } = viewObject(json, components);
  if (fields.size > 0 || others) return false;
  const {
    type,
    properties: _none,
    additionalProperties: _others,
    ...more
  } = components.resolve(json);
  return (
    (type === "object" || type === undefined) &&
    Object.keys(more).every((key) => key === "title" || key === "description")
  );
};
