import { fullFormats } from "ajv-formats/dist/formats.js";

/** Formats whose names differ between versions of JSON Schema and generators. */
const aliases: Readonly<Record<string, string>> = {
  "idn-email": "email",
  "idn-hostname": "hostname",
  iri: "uri",
  "iri-reference": "uri-reference",
  guid: "uuid",
};

/** Formats that a check of their characters would not decide. */
const unchecked: ReadonlySet<string> = new Set([
  "binary",
  "byte",
  "password",
  "float",
  "double",
  "int64",
  "regex",
]);

type Checks = Readonly<Record<string, unknown>>;

const find = (format: string): unknown => {
  const name = Object.hasOwn(aliases, format) ? aliases[format] : format;
  return name === undefined || unchecked.has(name) || !Object.hasOwn(fullFormats, name)
    ? undefined
    : (fullFormats as Checks)[name];
};

/** Whether it is known which values have a format. */
export const isKnownFormat = (format: string): boolean => find(format) !== undefined;

/** Checks whether a value has a format; values of other types have each one, and an unknown one says nothing. */
export const hasFormat = (format: string, value: unknown): boolean => {
  const found = find(format);
  if (found === undefined) return true;
  const { type = "string", validate = found } = found as { type?: string; validate?: unknown };
  if (typeof value !== type) return true;
  return validate instanceof RegExp
    ? validate.test(value as string)
    : (validate as (value: unknown) => boolean)(value);
};
