import { accepts, readOwn, toText, typesOf, type Schema } from "@sallyport/document";
import { canCarry, SentFile, type Fields } from "./call.ts";

/** Puts files where the schema has bytes. */
export const toFiles = (fields: Fields, { properties }: Schema): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      isFile(readOwn(properties, name)) ? mapItems(value, toFile) : value,
    ]),
  );

const isFile = ({ format, items, anyOf = [] }: Schema = {}): boolean =>
  format === "binary" || (items && isFile(items)) || anyOf.some(isFile);

const mapItems = (value: unknown, convert: (item: unknown) => unknown): unknown =>
  Array.isArray(value) ? value.map(convert) : convert(value);

const toFile = (value: unknown): SentFile =>
  value instanceof SentFile ? value : new SentFile(toText(value));

const isSent = (value: unknown): boolean => [value].flat().every((one) => one instanceof SentFile);

/** Turns fields into those of a form; undefined if text cannot carry them, or carries another meaning. */
export const toSentForm = (
  fields: Fields,
  schema: Schema,
  kind: "valid" | "invalid",
): Fields | undefined => {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  if (!entries.every(([, value]) => isSent(value) || canCarry("form", value))) return undefined;
  // a list of one value is written as the value
  const isList = (name: string): boolean =>
    typesOf(readOwn(schema.properties, name) ?? {})?.includes("array") === true;
  const write = (value: unknown): string =>
    value instanceof SentFile ? value.text : toText(value);
  const asText = Object.fromEntries(
    entries.map(([name, value]) => [name, isList(name) ? [value].flat().map(write) : write(value)]),
  );
  if (kind === "invalid" && accepts(schema, asText)) return undefined;
  return toFiles(Object.fromEntries(entries), schema);
};
