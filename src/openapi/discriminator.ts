import type { z } from "zod";
import type { ZodSchema } from "../schemas/schema.ts";
import { readOptionality, readPropertyValues } from "../schemas/zod-internals.ts";
import { listOf } from "./json.ts";
import type { JsonObject } from "./options.ts";

/** The property that distinguishes the options of a union, and its values. */
export interface Discriminator {
  readonly propertyName: string;
  readonly options: readonly { readonly schema: ZodSchema; readonly values: readonly string[] }[];
}

/** Reads the discriminator of a union in the form that OpenAPI supports: strings that are always present. */
export const readDiscriminator = (schema: ZodSchema): Discriminator | undefined => {
  const { def } = schema._zod as z.core.$ZodDiscriminatedUnionInternals;
  const { type, discriminator: propertyName } = def as Partial<typeof def>;
  if (type !== "union" || propertyName === undefined) return undefined;
  const options = def.options.map((option) => ({
    schema: option,
    values: [...(readPropertyValues(option, propertyName) ?? [undefined])],
    mayLack: mayLack(option, propertyName),
  }));
  const isSayable = options.every(
    ({ values, mayLack }) => !mayLack && values.every((value) => typeof value === "string"),
  );
  return isSayable ? { propertyName, options: options as Discriminator["options"] } : undefined;
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
  if (!references.every((reference) => typeof reference === "string")) return;
  const { propertyName, options } = discriminator;
  const mapping = options.flatMap(({ values }, at) =>
    values.map((value) => [value, String(references[at])]),
  );
  json["discriminator"] = { propertyName, mapping: Object.fromEntries(mapping) as JsonObject };
};
