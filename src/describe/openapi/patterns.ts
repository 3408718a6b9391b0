import { z } from "zod";
import type { ZodSchema } from "../../basics/schemas/schema.ts";
import { addFormatExample } from "./format-examples.ts";
import { listOf } from "./map-json.ts";
import type { JsonObject } from "./options.ts";

interface Check {
  readonly check?: string;
  readonly format?: string;
  readonly pattern?: RegExp;
  /** What `z.url()` checks in addition. */
  readonly protocol?: RegExp;
}

/** The definition of `z.iso.datetime()`. */
interface DateTimeCheck {
  readonly precision: number | null;
  readonly offset: boolean;
  readonly local: boolean;
}

interface Format {
  /** The value of the keyword; undefined if the schema accepts values that the keyword forbids. */
  readonly name: string | undefined;
  /** What Zod checks, which Zod's JSON Schema has as a pattern. */
  readonly source: string | undefined;
  /** What is left to say beside the keyword, if it says at least a part; undefined if it says all. */
  readonly pattern?: string | undefined;
  readonly protocol: RegExp | undefined;
}

/** Lists what a schema checks, including its own format, such as that of `z.uuid()`. */
export const listChecks = ({ _zod: { def } }: ZodSchema): readonly Check[] => [
  ...("check" in def ? [def as Check] : []),
  ...(def.checks ?? []).map((check) => check._zod.def as Check),
];

/** The checks that Zod writes as formats, although their pattern is sufficient. */
const patternsOnly: ReadonlySet<unknown> = new Set([
  ...["regex", "starts_with", "ends_with", "includes", "lowercase", "uppercase"],
]);

const keywords: Readonly<Record<string, string>> = {
  ...{ guid: "uuid", url: "uri", datetime: "date-time", json_string: "json-string" },
};

/** The patterns whose format says the same; tools that make examples of them write thousands of characters. */
const implied: ReadonlySet<string | undefined> = new Set(
  [
    ...[z.regexes.email, z.regexes.uuid(), z.regexes.ipv4, z.regexes.ipv6, z.regexes.date],
    z.regexes.hostname,
  ].map(({ source }) => source),
);

const isFormat = ({ check, format }: Check): boolean =>
  check === "string_format" && !patternsOnly.has(format);

const toFormat = (check: Check): Format => {
  const { format = "", protocol } = check;
  const source = check.pattern?.source;
  const name = keywords[format] ?? format;
  const own = { name, source, protocol };
  if (format === "time") return { ...own, name: undefined };
  if (format === "datetime") {
    const def = check as unknown as DateTimeCheck;
    if (def.local || def.precision === -1) return { ...own, name: undefined };
    const isZods = source === z.regexes.datetime(def).source;
    return isZods ? { ...own, pattern: toTimePattern(def) } : own;
  }
  return implied.has(source) ? { ...own, pattern: undefined } : own;
};

/** Returns what a date-time must have in addition to its format. */
const toTimePattern = ({ precision, offset }: DateTimeCheck): string | undefined => {
  const zone = offset ? String.raw`(Z|[+-]\d{2}:\d{2})` : "Z";
  if (typeof precision !== "number") return offset ? undefined : "Z$";
  return String.raw`:\d{2}${precision > 0 ? String.raw`\.\d{${precision}}` : ""}${zone}$`;
};

/** Describes all checks of a string: Zod's JSON Schema has only the last of several formats. */
export const correctString = (schema: ZodSchema, json: JsonObject): void => {
  if (!("pattern" in json || "allOf" in json || "format" in json)) return;
  const checks = listChecks(schema);
  const formats = checks.filter(isFormat).map(toFormat);
  const patterns = new Set<unknown>();
  const names = new Set<unknown>([z.globalRegistry.get(schema as z.ZodType)?.["format"]]);
  for (const { name, protocol } of formats) {
    names.add(name);
    if (protocol) patterns.add(toScheme(protocol));
  }
  const parts = listOf(json["allOf"]) as readonly JsonObject[];
  for (const { pattern } of [json, ...parts]) {
    const format = formats.find(({ source }) => source === pattern);
    if (format && "pattern" in format) patterns.add(format.pattern);
    else if (typeof pattern === "string") patterns.add(toPortable(pattern, schema));
  }
  const others = parts.filter((part) => !("pattern" in part || "format" in part));
  const allOf = [...write("pattern", patterns, json), ...write("format", names, json), ...others];
  delete json["allOf"];
  if (allOf.length > 0) json["allOf"] = allOf;
  if (formats.length > 0) addFormatExample(schema, json, checks);
};

/** Writes the first value of a keyword into a schema, and returns schemas for the others. */
const write = (keyword: string, values: Set<unknown>, json: JsonObject): readonly JsonObject[] => {
  values.delete(undefined);
  const [first, ...others] = values;
  if (first === undefined) delete json[keyword];
  else json[keyword] = first;
  // many readers take a schema for anything if one of its parts has no type
  return others.map((value) => ({ type: "string", [keyword]: value }));
};

/** Returns a pattern for the URLs whose protocol fits, unless the pattern of the protocol is not anchored. */
const toScheme = ({ source, flags }: RegExp): string | undefined => {
  const inner = /^\^(.*)\$$/.exec(source)?.[1];
  return inner === undefined || flags !== "" ? undefined : `^(?:${inner}):`;
};

/** Converts a pattern of a schema to the dialect of JSON Schema, which has no flags but `u`; undefined if that is impossible. */
export const toPortable = (source: string, schema: ZodSchema): string | undefined => {
  const isFlagged = listChecks(schema).some(
    ({ pattern }) => pattern?.source === source && /[imsv]/.test(pattern.flags),
  );
  const portable = isUnicode(source) ? source : escapeAgain(source);
  return isFlagged || !isUnicode(portable) ? undefined : portable;
};

/** Replaces escapes such as `\@`, which are invalid with the flag `u`, by the codes of their characters. */
const escapeAgain = (source: string): string =>
  source.replaceAll(/\\([^])/g, (escape, character: string) =>
    /[-_ !"#%&',:;<=>@`~]/.test(character) ? `\\x${character.charCodeAt(0).toString(16)}` : escape,
  );

const isUnicode = (source: string): boolean => {
  try {
    return new RegExp(source, "u").unicode;
  } catch {
    return false;
  }
};
