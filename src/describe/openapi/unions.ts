import type { z } from "zod";
import type { ZodSchema } from "../../basics/schemas/schema.ts";
import {
  readLazy,
  readOptionality,
  readPropertyValues,
} from "../../basics/schemas/zod-internals.ts";
import { isSame, listOf } from "./map-json.ts";
import type { JsonObject } from "./options.ts";

/** Checks whether a schema was created by `z.json()`, which accepts any JSON. */
export const isAnyJson = (schema: ZodSchema): boolean => {
  const { def: outer } = (schema as z.core.$ZodTypes)._zod;
  if (outer.type !== "lazy") return false;
  const { def } = (readLazy(schema as z.core.$ZodLazy) as z.core.$ZodTypes)._zod;
  if (def.type !== "union") return false;
  const isItself = ({ _zod: { def: own } }: z.core.$ZodTypes): boolean =>
    own.type === "lazy" && own.getter === outer.getter;
  const kinds = (def.options as readonly z.core.$ZodTypes[]).map(({ _zod: { def: own } }) => {
    if (own.type === "array") return isItself(own.element as z.core.$ZodTypes) && "list";
    if (own.type === "record") return isItself(own.valueType as z.core.$ZodTypes) && "object";
    return (own.checks ?? []).length === 0 && own.type;
  });
  return isSame(kinds, ["string", "number", "boolean", "null", "list", "object"]);
};

/** Reads the discriminator of a union in the form that OpenAPI supports: strings that are always present. */
export const readDiscriminator = (schema: ZodSchema) => {
  const { def } = schema._zod as z.core.$ZodDiscriminatedUnionInternals;
  const { type, discriminator: propertyName } = def as Partial<typeof def>;
  if (type !== "union" || propertyName === undefined) return undefined;
  const options = def.options.map((option) => ({
    schema: option,
    values: [...(readPropertyValues(option, propertyName) ?? [undefined])] as readonly string[],
  }));
  const isSayable = options.every(
    ({ schema: option, values }) =>
      !mayLack(option, propertyName) && values.every((value) => typeof value === "string"),
  );
  return isSayable ? { propertyName, options } : undefined;
};

const mayLack = (option: ZodSchema, name: string): boolean => {
  const { def } = (option as z.core.$ZodTypes)._zod;
  const property = def.type === "object" ? def.shape[name] : undefined;
  if (!property) return false;
  return (["input", "output"] as const).some(
    (direction) => readOptionality(property, direction) === "optional",
  );
};

/** Maps the values of a discriminator to the options, each of which is a reference. */
export const addDiscriminator = (schema: ZodSchema, json: JsonObject): void => {
  const discriminator = readDiscriminator(schema);
  if (!discriminator) return;
  const references = listOf(json["oneOf"]).map((option) => (option as JsonObject)["$ref"]);
  const { propertyName, options } = discriminator;
  const isWhole = references.length === options.length;
  if (!isWhole || !references.every((reference) => typeof reference === "string")) return;
  const mapping = options.flatMap(({ values }, at) =>
    values.map((value) => [value, String(references[at])]),
  );
  json["discriminator"] = { propertyName, mapping: Object.fromEntries(mapping) as JsonObject };
};

/** Leaves out the options that no value in JSON fits, such as undefined, which tools would take for anything. */
export const omitNothing = (json: JsonObject): void => {
  const options = listOf(json["anyOf"]) as readonly JsonObject[];
  const some = options.filter(({ not }) => !isSame(not, {}));
  if (some.length === options.length) return;
  delete json["anyOf"];
  const [only = { not: {} }, ...others] = some;
  Object.assign(json, others.length > 0 ? { anyOf: some } : { ...only, ...json });
};
