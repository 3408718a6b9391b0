import type { Components } from "./components.ts";
import { allOf, anyOf, isObject, listOf, mapValues } from "./map-json.ts";
import type { JsonObject } from "./options.ts";

export interface Field {
  readonly json: JsonObject;
  readonly isRequired: boolean;
}

/** The fields of an object schema, however the schema is composed. */
export interface ObjectView {
  readonly fields: ReadonlyMap<string, Field>;
  /** The schema of all other fields; undefined if no schema describes them. */
  readonly others: JsonObject | undefined;
  readonly examples: readonly JsonObject[];
  /** Whether an object without fields fits. */
  readonly mayBeEmpty: boolean;
}

const listParts = (json: JsonObject, keyword: string): readonly JsonObject[] =>
  listOf(json[keyword]).filter(isObject);

/** Reads the fields of a schema through references, unions and intersections. */
export const viewObject = (json: JsonObject, components: Components, depth = 0): ObjectView => {
  const own = components.resolve(json);
  // a union that contains itself adds no fields
  if (depth > 20) return { fields: new Map(), others: undefined, examples: [], mayBeEmpty: true };
  const view = (part: JsonObject): ObjectView => viewObject(part, components, depth + 1);
  const required = new Set(listOf(own["required"]));
  const { additionalProperties: others, properties } = own;
  const fields = Object.entries(isObject(properties) ? properties : {}).map(
    ([name, field]) =>
      [name, { json: isObject(field) ? field : {}, isRequired: required.has(name) }] as const,
  );
  return join("all", [
    {
      fields: new Map(fields),
      others: isObject(others) ? others : undefined,
      examples: listParts(own, "examples"),
      mayBeEmpty: required.size === 0,
    },
    ...listParts(own, "allOf").map(view),
    ...["anyOf", "oneOf"].flatMap((keyword) => {
      const options = listParts(own, keyword);
      return options.length > 0 ? [join("any", options.map(view))] : [];
    }),
  ]);
};

/** Joins the views of schemas, either `all` or at least `any` of which an object fits. */
export const join = (how: "all" | "any", views: readonly ObjectView[]): ObjectView => {
  const [only] = views;
  if (only && views.length === 1) return only;
  const isAll = how === "all";
  const fields = new Map<string, Field>();
  for (const name of new Set(views.flatMap((view) => [...view.fields.keys()]))) {
    const found = views.flatMap((view) => view.fields.get(name) ?? []);
    const schemas = found.map(({ json }) => json);
    const required = found.filter(({ isRequired }) => isRequired).length;
    fields.set(name, {
      json: isAll ? allOf(schemas) : anyOf(schemas),
      isRequired: required >= (isAll ? 1 : views.length),
    });
  }
  const empty = views.filter(({ mayBeEmpty }) => mayBeEmpty).length;
  return {
    fields,
    others: views.find(({ others }) => others)?.others,
    examples: views.flatMap(({ examples }) => examples),
    mayBeEmpty: empty >= (isAll ? views.length : 1),
  };
};

/** Returns a schema without some fields; the schema itself if it has none of them. */
export const omitFields = (
  json: JsonObject,
  names: ReadonlySet<string>,
  components: Components,
): JsonObject => changeFields(json, names, components, false);

/** Returns a schema in which some fields may have any value; the schema itself if it has none of them. */
export const openFields = (
  json: JsonObject,
  names: ReadonlySet<string>,
  components: Components,
): JsonObject => (names.size > 0 ? changeFields(json, names, components, true) : json);

const changeFields = (
  json: JsonObject,
  names: ReadonlySet<string>,
  components: Components,
  isKept: boolean,
): JsonObject => {
  const { fields } = viewObject(json, components);
  if (![...fields.keys()].some((name) => names.has(name))) return json;
  const { discriminator, ...own } = { ...components.resolve(json) };
  const omit = (part: unknown): unknown =>
    isObject(part) ? changeFields(part, names, components, isKept) : part;
  const keep = (object: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(object).filter(([name]) => !names.has(name)));
  const { properties } = own;
  if (isObject(properties))
    own["properties"] = isKept
      ? mapValues(properties, (field, name) => (names.has(name) ? {} : field))
      : keep(properties);
  const examples = listParts(own, "examples").map(keep);
  delete own["examples"];
  if (examples.some((example) => Object.keys(example).length > 0)) own["examples"] = examples;
  const required = listOf(own["required"]).filter((name) => isKept || !names.has(String(name)));
  delete own["required"];
  if (required.length > 0) own["required"] = required;
  for (const keyword of ["allOf", "anyOf", "oneOf"])
    if (Array.isArray(own[keyword])) own[keyword] = listOf(own[keyword]).map(omit);
  const isMapped = listOf(own["oneOf"]).every((option) => isObject(option) && "$ref" in option);
  return discriminator !== undefined && isMapped ? { ...own, discriminator } : own;
};

const plainKeywords: ReadonlySet<string> = new Set([
  ...["type", "properties", "required", "additionalProperties", "description", "title"],
]);

/** Combines the schemas of middlewares and of their endpoint; returns undefined if they say nothing. */
export const mergeObjects = (
  schemas: readonly JsonObject[],
  components: Components,
): JsonObject | undefined => {
  const filled = schemas.filter((schema) => !isEmptyObject(schema, components));
  if (filled.length < 2) return filled[0];
  const resolved = filled.map((schema) => components.resolve(schema));
  const isPlain = resolved.every((schema) =>
    Object.keys(schema).every((keyword) => plainKeywords.has(keyword)),
  );
  if (!isPlain) return components.intersect(filled);
  const { fields } = join(
    "all",
    filled.map((schema) => viewObject(schema, components)),
  );
  const required = [...fields].flatMap(([name, { isRequired }]) => (isRequired ? [name] : []));
  return {
    ...resolved.at(-1),
    type: "object",
    properties: Object.fromEntries([...fields].map(([name, { json }]) => [name, json])),
    ...(required.length > 0 && { required }),
  };
};

/** Checks whether the schema of an object has neither fields nor other constraints. */
const isEmptyObject = (json: JsonObject, components: Components): boolean => {
  const { fields, others } = viewObject(json, components);
  if (fields.size > 0 || others) return false;
  const { type = "object", ...more } = components.resolve(json);
  const known = new Set(["properties", "additionalProperties", "title", "description"]);
  return type === "object" && Object.keys(more).every((key) => known.has(key));
};
