import { toText, type JsonObject } from "./document.ts";

/** The code of a schema. */
export interface SchemaCode {
  readonly code: string;
  /** The components that must be declared before. */
  readonly uses: ReadonlySet<string>;
  /** What the code does not express. */
  readonly notes: readonly string[];
  /** The type, for annotations of fields that refer to a schema that is declared later. */
  readonly type?: string | undefined;
}

/** Where a value comes from: JSON has types; queries, paths and forms have only text. */
export type Wire = "json" | "text";

export const code = (
  text: string,
  parts: readonly SchemaCode[] = [],
  notes: readonly string[] = [],
  type?: string,
): SchemaCode => ({
  code: text,
  uses: new Set(parts.flatMap((part) => [...part.uses])),
  notes: [...parts.flatMap((part) => part.notes), ...notes],
  type,
});

export const literal = (value: unknown): string => JSON.stringify(value);

const textFormats: Readonly<Record<string, string>> = {
  ...{
    "date-time": "z.iso.datetime({ offset: true })",
    date: "z.iso.date()",
    time: "z.iso.time()",
  },
  ...{
    duration: "z.iso.duration()",
    uuid: "z.uuid()",
    email: "z.email()",
    uri: "z.url()",
    url: "z.url()",
  },
  ...{ ipv4: "z.ipv4()", ipv6: "z.ipv6()", byte: "z.base64()" },
};

export const bound = (schema: JsonObject, key: string, method: string): string =>
  typeof schema[key] === "number" ? `.${method}(${schema[key]})` : "";

export const writeEnum = (
  schema: JsonObject,
  values: readonly unknown[],
  wire: Wire,
): SchemaCode => {
  const known = values.filter((value) => value !== null);
  const isText = known.every((value) => typeof value === "string");
  const list = known.map(literal).join(", ");
  const [only] = known;
  if (known.length === 1 && isText) return code(`z.literal(${literal(only)})`);
  if (isText) return code(`z.enum([${list}])`);
  const format = toText(schema["format"]);
  const members = format === undefined ? [] : [`format: ${literal(format)}`];
  // documents show what is accepted before the pipe
  if (wire === "text") members.push(`enum: [${list}]`);
  const meta = members.length > 0 ? `.meta({ ${members.join(", ")} })` : "";
  const numbers = `z.literal([${list}])`;
  return code(`${wire === "text" ? `z.coerce.number<string>().pipe(${numbers})` : numbers}${meta}`);
};

export const writeString = (schema: JsonObject): SchemaCode => {
  const format = toText(schema["format"]);
  const known = format === undefined ? undefined : textFormats[format];
  const pattern = toText(schema["pattern"]);
  const regex = pattern === undefined ? "" : `.regex(new RegExp(${literal(pattern)}))`;
  const limits = bound(schema, "minLength", "min") + bound(schema, "maxLength", "max");
  const meta =
    format !== undefined && known === undefined ? `.meta({ format: ${literal(format)} })` : "";
  return code(`${known ?? "z.string()"}${limits}${regex}${meta}`);
};

export const writeNumber = (schema: JsonObject, wire: Wire): SchemaCode => {
  const isInteger = schema["type"] === "integer" || [schema["type"]].flat().includes("integer");
  const base = wire === "text" ? "z.coerce.number<string>()" : isInteger ? "z.int()" : "z.number()";
  const integer = wire === "text" && isInteger ? ".int()" : "";
  const { exclusiveMinimum: low, exclusiveMaximum: high } = schema;
  // in OpenAPI 3.0, these are flags beside the limits
  const limits = [
    low === true ? bound(schema, "minimum", "gt") : bound(schema, "minimum", "min"),
    high === true ? bound(schema, "maximum", "lt") : bound(schema, "maximum", "max"),
    typeof low === "number" ? `.gt(${low})` : "",
    typeof high === "number" ? `.lt(${high})` : "",
    bound(schema, "multipleOf", "multipleOf"),
  ].join("");
  const format = toText(schema["format"]);
  const meta = format === undefined ? "" : `.meta({ format: ${literal(format)} })`;
  return code(`${base}${integer}${limits}${meta}`);
};
