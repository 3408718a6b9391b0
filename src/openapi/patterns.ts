import { z } from "zod";
import type { ZodSchema } from "../schemas/schema.ts";
import { distinctBy, nonEmpty } from "./map-json.ts";
import type { JsonObject } from "./options.ts";

interface Check {
  readonly pattern?: RegExp;
}

/** Lists what a schema checks, including its own format, such as that of `z.uuid()`. */
export const listChecks = ({ _zod: { def } }: ZodSchema): readonly Check[] => [
  ...("check" in def ? [def as Check] : []),
  ...(def.checks ?? []).map((check) => check._zod.def as Check),
];

/** Leaves out the patterns that JSON Schema cannot express, because it has no flags but `u`. */
export const correctPatterns = (schema: ZodSchema, json: JsonObject): void => {
  const correct = (part: JsonObject): JsonObject => {
    const { pattern } = part;
    const portable = typeof pattern === "string" ? toPortable(pattern, schema) : pattern;
    if (portable === undefined) delete part["pattern"];
    else part["pattern"] = portable;
    return part;
  };
  const { allOf: parts } = correct(json) as { readonly allOf?: readonly JsonObject[] };
  if (!parts) return;
  delete json["allOf"];
  const patterns = distinctBy(parts.map((part) => correct({ ...part }))).filter(nonEmpty);
  // many readers take a schema for anything if one of its parts has no type
  const more = patterns.splice(1).map((part) => ({ type: "string", ...part }));
  Object.assign(json, ...patterns, more.length > 0 && { allOf: more });
};

/** The patterns whose format says the same; examples that tools make of them are thousands of characters long. */
const implied: ReadonlySet<string> = new Set(
  [z.regexes.email, z.regexes.uuid(), z.regexes.ipv4, z.regexes.ipv6, z.regexes.date].map(
    ({ source }) => source,
  ),
);

/** Converts a pattern of a schema to the dialect of JSON Schema; undefined if that is impossible, or if a format says it. */
export const toPortable = (source: string, schema: ZodSchema): string | undefined => {
  if (implied.has(source)) return undefined;
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
