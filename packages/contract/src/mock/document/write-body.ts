import {
  accepts,
  isObject,
  listVariants,
  readOwn,
  toText,
  toView,
  type Json,
  type Media,
  type Schema,
} from "@sallyport/document";
import { toBytes } from "../generate-content.ts";
import { makeValue } from "../make-value.ts";
import { isJson, toEssence } from "./media-types.ts";

const isXml = (type: string): boolean => /\bxml$/.test(toEssence(type));

/** Whether a media type is one of a stream of items, each of which has a schema. */
export const isStream = (type: string): boolean =>
  /event-stream|ndjson|jsonl|json-seq|json-lines/.test(type);

/** Writes a value of a schema as its media type has it. */
export const writeBody = (type: string, value: Json, schema: Schema): Buffer | string => {
  if (isJson(type)) return JSON.stringify(value);
  if (typeof value === "string") return isUnspecific(schema, type) ? toBytes(type) : value;
  if (isXml(type)) return `<?xml version="1.0" encoding="UTF-8"?>\n${toXml("response", value)}\n`;
  if (toEssence(type) === "application/x-www-form-urlencoded" && isObject(value))
    return new URLSearchParams(
      Object.entries(value).map(([name, one]): [string, string] => [name, toText(one)]),
    ).toString();
  return JSON.stringify(value);
};

/** Whether any text will do: then, a file of the media type says more than words. */
const isUnspecific = (schema: Schema, type: string): boolean => {
  const { format, patterns, examples, enum: values, default: preset } = schema;
  return (
    toEssence(type) !== "text/plain" &&
    (format === undefined || format === "binary") &&
    [patterns, examples, values, preset].every((one) => one === undefined) &&
    accepts(schema, toBytes(type).toString())
  );
};

const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

const toXml = (name: string, value: Json): string => {
  if (Array.isArray(value))
    return (value as readonly Json[]).map((one) => toXml(name, one)).join("");
  const tag = name.replaceAll(/[^\w.-]/g, "_").replace(/^(?![a-z_])/i, "_");
  const inner = isObject(value)
    ? Object.entries(value)
        .map(([key, one]) => toXml(key, one))
        .join("")
    : value === null
      ? ""
      : toText(value).replaceAll(/[&<>]/g, (one) => escapes[one] ?? one);
  return `<${tag}>${inner}</${tag}>`;
};

/** Makes a few items of a stream, each declared variant once, and writes them. */
export const writeStream = (
  type: string,
  { schema = {}, itemSchema }: Media,
  seed: string,
): string => {
  const whole = toView(schema, "response");
  const item = toView(itemSchema ?? whole.items ?? whole, "response");
  const variants = item.anyOf ?? [item, item, item];
  const items = variants.map((one, at) => [one, `${seed}\nitem ${at}`] as const);
  return /event-stream/.test(type)
    ? items.map(([one, own], at) => writeEvent(one, own, at)).join("")
    : items.map(([one, own]) => `${JSON.stringify(makeValue(one, own))}\n`).join("");
};

const writeEvent = (schema: Schema, seed: string, at: number): string => {
  const made = makeValue(schema, seed);
  const isEvent = isObject(made) && readOwn(made, "data") !== undefined;
  const fields = isEvent ? made : { data: made };
  const content = isEvent
    ? readOwn(listVariants(schema)[0]?.properties, "data")?.contentSchema
    : undefined;
  const data = content ? JSON.stringify(makeValue(content, seed)) : toText(fields["data"]);
  const event = readOwn(fields, "event");
  return [
    `id: ${at + 1}`,
    ...(typeof event === "string" ? [`event: ${event}`] : []),
    ...data.split(/\r\n?|\n/).map((line) => `data: ${line}`),
    "\n",
  ].join("\n");
};
