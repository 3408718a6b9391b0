import type { SchemaPlace } from "./schema-place.ts";
import { accepts, type Schema, type TypeName } from "@sallyport/document";

/** Formats that contain other ones. */
const wider: Readonly<Record<string, readonly string[]>> = {
  double: ["float"],
  int64: ["int32"],
  bigint: ["int32", "int64"],
  "date-time": ["date", "time"],
};

/** Compares types, formats and null; returns whether nothing else can be compared. */
export const compareTypes = (before: Schema, after: Schema, place: SchemaPlace): boolean => {
  const [old, own] = [toTypes(before, after), toTypes(after, before)];
  const takesText = [takesTexts(before, after), takesTexts(after, before)] as const;
  const wereTold = tellTypes(old, own, place, takesText);
  compareNull(before, after, place);
  if (!wereTold) compareFormats(before, after, place);
  // the keywords of other types say nothing
  return (
    wereTold &&
    (old ?? []).every((type) => !own?.some((one) => isWithin(type, one) || isWithin(one, type)))
  );
};

export const compareNull = (before: Schema, after: Schema, place: SchemaPlace): void => {
  if (acceptsAny(before) || acceptsAny(after) || before.nullable === after.nullable) return;
  place.report(place, before.nullable ? "null-removed" : "null-added", {});
};

/** Whether values of any type are accepted, null included. */
export const acceptsAny = ({ never, types, enum: values, anyOf }: Schema): boolean =>
  !never && types === undefined && values === undefined && anyOf === undefined;

/** Returns the types; those of the variants of a union count where the other schema has types. */
const toTypes = (
  { never, types, anyOf }: Schema,
  other: Schema,
): readonly TypeName[] | undefined => {
  if (never) return [];
  if (types || !other.types || !anyOf?.every((one) => one.types)) return types;
  return [...new Set(anyOf.flatMap((one) => one.types ?? []))].toSorted();
};

const isWithin = (type: TypeName, other: TypeName): boolean =>
  type === other || (type === "integer" && other === "number");

/** Whether a schema takes the values of another one as texts: as far as it has no limits, or as few can be listed. */
const takesTexts = (schema: Schema, other: Schema): boolean => {
  const values = other.enum ?? (String(other.types) === "boolean" ? [true, false] : undefined);
  if (values?.every((value) => typeof value !== "object" && accepts(schema, String(value))))
    return true;
  const isFree = Object.keys(schema).every((key) => !limitsOfText.has(key));
  return isFree && (schema.minLength ?? 0) <= 1;
};

const limitsOfText: ReadonlySet<string> = new Set([
  ...["allOf", "anyOf", "contentEncoding", "enum", "format", "if", "maxLength", "not", "patterns"],
]);

/** Reports a change of types, and returns whether there is one. */
const tellTypes = (
  before: readonly TypeName[] | undefined,
  after: readonly TypeName[] | undefined,
  place: SchemaPlace,
  [wasText, isText]: readonly [before: boolean, after: boolean],
): boolean => {
  // a list of several values is no text
  const covers = (
    one: readonly TypeName[] | undefined,
    other: readonly TypeName[] | undefined,
    takesText: boolean,
  ): boolean =>
    one === undefined ||
    (other !== undefined &&
      (other.every((type) => one.some((candidate) => isWithin(type, candidate))) ||
        (place.isText && takesText && one.includes("string") && !other.includes("array"))));
  const isWider = covers(after, before, isText);
  const isNarrower = covers(before, after, wasText);
  if (isWider && isNarrower) return false;
  place.report(place, isWider ? "type-widened" : isNarrower ? "type-narrowed" : "type-changed", {
    before: toWords(before),
    after: toWords(after),
  });
  return true;
};

const toWords = (types: readonly TypeName[] | undefined): string =>
  types === undefined ? "any" : types.length === 0 ? "none" : types.join(" or ");

const compareFormats = (before: Schema, after: Schema, place: SchemaPlace): void => {
  const [old, own] = [before.format, after.format];
  if (old === own) return;
  const details = { before: old, after: own };
  if (old === undefined) place.report(place, "format-added", details);
  else if (own === undefined) place.report(place, "format-removed", details);
  else if (wider[own]?.includes(old)) place.report(place, "format-widened", details);
  else if (wider[old]?.includes(own)) place.report(place, "format-narrowed", details);
  else place.report(place, "format-changed", details);
};
