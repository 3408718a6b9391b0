import type { Json, JsonObject } from "@sallyport/document";
import { code, imported, nothing, type Code } from "./code.ts";

/** The code of a schema. */
export interface SchemaCode {
  readonly code: Code;
  /** What documents say in addition. */
  readonly meta: JsonObject;
  /** What the code does not express, or not check. */
  readonly notes: readonly string[];
  /** The notes that no comment has so far. */
  readonly untold: readonly string[];
  /** The components that are used. */
  readonly uses: ReadonlySet<Constant>;
  /** Whether it uses a component that is declared later, so that it must be read later. */
  readonly isLate: boolean;
  /** Whether the code is an object of fields, which can be extended. */
  readonly isShape: boolean;
  /** The type, for annotations of fields that are read later. */
  readonly type?: Code | undefined;
}

/** Where a value comes from: JSON has types; queries, paths and forms have only text, or files. */
export type Wire = "files" | "json" | "text";

/** A schema that has a name, and the constant for it. */
export interface Constant {
  readonly name: string;
  readonly code: Code;
  readonly raw: JsonObject;
  /** Undefined while it is being written. */
  written?: SchemaCode;
}

export const z: Code = imported("z", "zod");
export const ez: Code = imported("ez", "sallyport");

/** What the module `values` exports. */
export const valueNames = [
  ...["dateTime", "fullTime", "uuid", "email", "uri", "ipv6", "textBoolean", "delimited"],
  ...["splitText", "parseRaw", "isOneOf", "isUnique", "hasSize", "hasSome"],
] as const;

/** Writes a function of the module `values`. */
export const value = (name: (typeof valueNames)[number]): Code => imported(name, "./values");

export const toSchemaCode = (
  text: Code,
  parts: readonly SchemaCode[] = [],
  more: Partial<SchemaCode> = {},
): SchemaCode => ({
  code: text,
  meta: {},
  notes: [...parts.flatMap(({ notes }) => notes), ...(more.untold ?? [])],
  untold: parts.flatMap(({ untold }) => untold),
  uses: new Set(parts.flatMap(({ uses }) => [...uses])),
  isLate: parts.some(({ isLate }) => isLate),
  isShape: false,
  ...more,
});

/** Adds what the code does not express. */
export const addNotes = (written: SchemaCode, notes: readonly string[]): SchemaCode =>
  notes.length === 0
    ? written
    : {
        ...written,
        notes: [...written.notes, ...notes],
        untold: [...written.untold, ...notes],
      };

/** Writes what documents say in addition. */
export const finish = (written: SchemaCode): SchemaCode => {
  const entries = Object.entries(written.meta).filter(([, one]) => one !== undefined);
  if (entries.length === 0) return written;
  const [[name, only]] = entries as [[string, Json]];
  const text =
    entries.length === 1 && name === "description"
      ? code`${written.code}.describe(${only})`
      : code`${written.code}.meta(${Object.fromEntries(entries)})`;
  return { ...written, code: text, meta: {} };
};

/** Wraps a schema, such as in `z.optional()`. */
export const wrap = (inner: SchemaCode, method: Code, type: Code): SchemaCode => ({
  ...inner,
  code: code`${inner.code}.${method}()`,
  type: inner.type && code`${z}.Zod${type}<${inner.type}>`,
  isShape: false,
});

/** Adds a format that says nothing about values of a type. */
export const withFormat = ({ format }: JsonObject, written: SchemaCode): SchemaCode =>
  typeof format === "string"
    ? { ...written, meta: { ...written.meta, format }, isShape: false }
    : written;

export const without = (meta: JsonObject, name: string): JsonObject => {
  const { [name]: _left, ...rest } = meta;
  return rest;
};

/** The formats that are checked; any other is only described. */
const textFormats: Readonly<Record<string, Code>> = {
  "date-time": code`${value("dateTime")}()`,
  date: code`${z}.iso.date()`,
  time: code`${value("fullTime")}()`,
  uuid: code`${value("uuid")}()`,
  email: code`${value("email")}()`,
  uri: code`${value("uri")}()`,
  ipv4: code`${z}.ipv4()`,
  ipv6: code`${value("ipv6")}()`,
};

export const bound = (schema: JsonObject, name: string, method: Code): Code => {
  const limit = schema[name];
  return typeof limit === "number" ? code`.${method}(${limit})` : nothing;
};

const isPrimitive = (one: Json): boolean => typeof one !== "object";

/** Writes a list of values. */
export const writeEnum = (schema: JsonObject, values: readonly Json[], wire: Wire): SchemaCode => {
  const format = typeof schema["format"] === "string" ? { format: schema["format"] } : {};
  if (!values.every(isPrimitive))
    return toSchemaCode(code`${z}.unknown().refine(${value("isOneOf")}(${values}))`, [], {
      meta: { enum: values },
    });
  const isText = values.every((one) => typeof one === "string");
  const [only] = values;
  const list =
    values.length === 1
      ? code`${z}.literal(${only})`
      : isText
        ? code`${z}.enum(${values})`
        : code`${z}.literal(${values})`;
  if (isText || wire === "json") return toSchemaCode(list, [], { meta: format });
  const types = new Set(values.map((one) => typeof one));
  // documents show what is accepted before the pipe
  const described = { ...format, enum: values };
  if (types.size === 1 && types.has("boolean"))
    return toSchemaCode(code`${value("textBoolean")}().pipe(${list})`, [], {
      meta: { type: "boolean", ...described },
    });
  return toSchemaCode(code`${z}.coerce.number<string>().pipe(${list})`, [], {
    meta: described,
    ...(types.size > 1 && { untold: ["Values that are no numbers are not accepted."] }),
  });
};

const otherPattern = "The `pattern` is invalid with the flag `u`, so documents write it otherwise.";

/** Returns a pattern as code, and as documents have it. */
const writePattern = (pattern: string): Partial<SchemaCode> & { readonly code: Code } => {
  for (const flag of ["u", ""])
    try {
      const { source } = new RegExp(pattern, flag);
      const regex = code`.regex(new RegExp(${pattern}${flag ? code`, ${flag}` : nothing}))`;
      if (flag === "") return { code: regex, meta: { pattern }, untold: [otherPattern] };
      return source === pattern ? { code: regex } : { code: regex, meta: { pattern } };
    } catch {
      // JavaScript has no such pattern with this flag
    }
  const untold = ["JavaScript has no such `pattern`, so it is not checked."];
  return { code: nothing, meta: { pattern }, untold };
};

export const writeString = (schema: JsonObject): SchemaCode => {
  const { format, pattern } = schema;
  const known =
    typeof format === "string" && Object.hasOwn(textFormats, format)
      ? textFormats[format]
      : undefined;
  const {
    code: regex,
    meta,
    untold = [],
  } = typeof pattern === "string" && pattern !== "" ? writePattern(pattern) : { code: nothing };
  const limits = code`${bound(schema, "minLength", code`min`)}${bound(schema, "maxLength", code`max`)}`;
  const rest = ["format", "contentEncoding", "contentMediaType"].flatMap((name) =>
    typeof schema[name] === "string" && !(known && name === "format") ? [[name, schema[name]]] : [],
  );
  // a format that is added by a function is not in the meta data of what is made of it
  const own =
    known && limits.text + regex.text
      ? { format: format as string, ...(typeof pattern === "string" && { pattern }) }
      : {};
  return addNotes(
    toSchemaCode(code`${known ?? code`${z}.string()`}${limits}${regex}`, [], {
      meta: { ...(Object.fromEntries(rest) as JsonObject), ...own, ...meta },
    }),
    untold,
  );
};

const isBig = (limit: Json | undefined): boolean =>
  typeof limit === "number" && Math.abs(limit) > Number.MAX_SAFE_INTEGER;

export const writeNumber = (schema: JsonObject, isInteger: boolean, wire: Wire): SchemaCode => {
  const { exclusiveMinimum: low, exclusiveMaximum: high, minimum, maximum, format } = schema;
  const isLarge = isInteger && (format === "int64" || [low, high, minimum, maximum].some(isBig));
  const base =
    wire === "text"
      ? code`${z}.coerce.number<string>()${isInteger && !isLarge ? code`.int()` : nothing}`
      : code`${z}.${isInteger && !isLarge ? code`int` : code`number`}()`;
  // in OpenAPI 3.0, these are flags beside the limits
  const limits = code`${bound(schema, "minimum", low === true ? code`gt` : code`min`)}${bound(schema, "maximum", high === true ? code`lt` : code`max`)}${bound(schema, "exclusiveMinimum", code`gt`)}${bound(schema, "exclusiveMaximum", code`lt`)}${bound(schema, "multipleOf", code`multipleOf`)}`;
  const whole = isLarge ? code`.refine(Number.isInteger, ${"Invalid integer"})` : nothing;
  return toSchemaCode(code`${base}${limits}${whole}`, [], {
    meta: {
      ...(isLarge && { type: "integer" }),
      ...(typeof format === "string" && { format }),
    },
  });
};
