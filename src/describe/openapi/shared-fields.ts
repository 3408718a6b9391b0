import type { ZodSchema } from "../../basics/schemas/schema.ts";
import { listSameValue, walkSchemas } from "../../basics/schemas/some-schema.ts";
import { readTopLevel } from "../../basics/schemas/top-level-keys.ts";
import type { Components } from "./components.ts";
import { listOf } from "./map-json.ts";
import { openFields, viewObject } from "./object-view.ts";
import type { JsonObject } from "./options.ts";

/** The schema of a stage, such as a middleware, and how it is written. */
interface Stage {
  readonly schema: ZodSchema;
  readonly json: JsonObject;
}

/**
 * Returns what several stages read, so that a field which they read as different types has the type that the wire takes:
 * in JSON, that of the stages that convert nothing, and in texts, any type but that of a plain string.
 */
export const settleFields = (
  stages: readonly Stage[],
  isText: (name: string) => boolean,
  components: Components,
): readonly JsonObject[] => {
  if (stages.length < 2) return stages.map(({ json }) => json);
  const views = stages.map(({ json }) => viewObject(json, components).fields);
  const open = stages.map(() => new Set<string>());
  for (const name of new Set(views.flatMap((fields) => [...fields.keys()]))) {
    const read = views.flatMap((fields, at) => {
      const { json } = fields.get(name) ?? {};
      return json ? { at, json, types: listTypes(json, components) } : [];
    });
    if (!differ(read.map(({ types }) => types))) continue;
    const vague = read.filter(({ at, json }) =>
      isText(name) ? isPlainText(json) : converts((stages[at] as Stage).schema, name),
    );
    if (vague.length < read.length) for (const { at } of vague) open[at]?.add(name);
  }
  return stages.map(({ json }, at) => openFields(json, open[at] ?? new Set(), components));
};

/** Lists the types of the values that fit a schema; undefined if they may have any. */
const listTypes = (
  json: JsonObject,
  components: Components,
  depth = 0,
): ReadonlySet<unknown> | undefined => {
  const { type, anyOf, oneOf } = components.resolve(json);
  if (type !== undefined)
    return new Set([type].flat().map((one) => (one === "integer" ? "number" : one)));
  const options = listOf(anyOf ?? oneOf).map((option) =>
    depth > 20 ? undefined : listTypes(option as JsonObject, components, depth + 1),
  );
  if (options.length === 0 || options.includes(undefined)) return undefined;
  return new Set(options.flatMap((types) => [...(types ?? [])]));
};

/** Checks whether no value has a type of each set. */
const differ = (sets: readonly (ReadonlySet<unknown> | undefined)[]): boolean => {
  const [first, ...others] = sets.flatMap((set) => set ?? []);
  return first !== undefined && ![...first].some((type) => others.every((set) => set.has(type)));
};

const annotations: ReadonlySet<string> = new Set([
  ...["type", "title", "description", "default", "deprecated", "examples"],
]);

const isPlainText = (json: JsonObject): boolean =>
  json["type"] === "string" && Object.keys(json).every((key) => annotations.has(key));

/** Checks whether a field accepts more than its result, on which its description is based. */
const converts = (schema: ZodSchema, name: string): boolean => {
  const field = readTopLevel(schema).fields.get(name);
  const parts = field ? [...walkSchemas(field, listSameValue)] : [];
  return parts.some(
    ({ _zod: { def } }) => def.type === "catch" || ("coerce" in def && def.coerce === true),
  );
};
