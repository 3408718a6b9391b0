import { toText, typesOf, type JsonObject } from "@sallyport/document";
import { canCarry, SentFile, type Fields } from "./call.ts";
import type { Schemas } from "./schemas.ts";

/** Puts files where the schema has bytes. */
export const toFiles = (fields: Fields, schema: JsonObject, schemas: Schemas): Fields => {
  const properties = schemas.resolve(schemas.flatten(schema)["properties"]);
  const isFile = (name: string): boolean =>
    JSON.stringify(schemas.flatten(properties[name])).includes('"format":"binary"');
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      isFile(name) ? (Array.isArray(value) ? value.map(toFile) : toFile(value)) : value,
    ]),
  );
};

const toFile = (value: unknown): SentFile =>
  value instanceof SentFile ? value : new SentFile(toText(value));

const isSent = (value: unknown): boolean => [value].flat().every((one) => one instanceof SentFile);

/** Turns fields into those of a form; undefined if text cannot carry them, or carries another meaning. */
export const toSentForm = (
  fields: Fields,
  schema: JsonObject,
  schemas: Schemas,
  kind: "valid" | "invalid",
): Fields | undefined => {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  if (!entries.every(([, value]) => isSent(value) || canCarry("form", value))) return undefined;
  const properties = schemas.resolve(schemas.flatten(schema)["properties"]);
  // a list of one value is written as the value
  const isList = (name: string): boolean =>
    typesOf(schemas.normalise(schemas.resolve(properties[name])))?.includes("array") === true;
  const write = (value: unknown): string =>
    value instanceof SentFile ? value.text : toText(value);
  const asText = Object.fromEntries(
    entries.map(([name, value]) => [name, isList(name) ? [value].flat().map(write) : write(value)]),
  );
  if (kind === "invalid" && schemas.isValid(schema, asText)) return undefined;
  return toFiles(Object.fromEntries(entries), schema, schemas);
};
