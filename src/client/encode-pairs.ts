import { isRecord, listFields, refuse, toField, toText } from "./wire-value.ts";

/** The maximum length of an array that the extended parser reads as an array. */
const maxBracketed = 20;

const maxBrackets = 5;

type Pairs = Iterable<readonly [string, unknown]>;

const encodePair = (name: string, value: string): string =>
  `${encodeURIComponent(name)}=${encodeURIComponent(value)}`;

/**
 * @throws {@link Refusal} when there are no parts, because an empty field cannot be distinguished from a missing one.
 */
const assertFull = (field: string, parts: readonly unknown[]): void => {
  if (parts.length === 0) refuse(field, "is empty; omit it");
};

/**
 * Lists the elements of an array, or the value itself, each with the field name.
 *
 * @throws {@link Refusal} when an array is empty.
 */
export const listParts = (
  name: string,
  value: unknown,
): readonly (readonly [string, unknown])[] => {
  if (!Array.isArray(value)) return [[name, value]];
  assertFull(name, value);
  return Array.from(value, (part: unknown, index) => [toField(name, index), part]);
};

/**
 * Encodes fields as names and values; arrays become repeated names.
 *
 * @throws {@link Refusal} when a value is not representable as a string, or an array is empty.
 */
export const encodePairs = (fields: Pairs): string =>
  Array.from(fields, ([name, value]) =>
    listParts(name, value)
      .map(([field, part]) => encodePair(name, toText(field, part)))
      .join("&"),
  ).join("&");

/**
 * Encodes fields for the extended parser: brackets for arrays and objects.
 *
 * @throws {@link Refusal} when the parser would read a different value.
 */
export const encodeBrackets = (fields: Pairs): string =>
  Array.from(fields, ([name, value]) => {
    assertName(name, name, /^$/);
    return encodeBracketed(name, name, value, 0);
  }).join("&");

/** @param name the field name, such as `filter[tags][0]` */
const encodeBracketed = (field: string, name: string, value: unknown, depth: number): string => {
  const isArray = Array.isArray(value);
  if (!isArray && !isRecord(value)) return encodePair(name, toText(field, value));
  const parts: readonly (readonly [number | string, unknown])[] = isArray
    ? [...(value as readonly unknown[]).entries()]
    : listFields(field, value);
  assertFull(field, parts);
  if (depth >= maxBrackets || (isArray && parts.length > maxBracketed))
    refuse(field, "exceeds the limits of the extended parser");
  return parts
    .map(([part, inner]) => {
      const inside = toField(field, part);
      if (!isArray) assertName(inside, String(part), /^\d*$/);
      return encodeBracketed(inside, `${name}[${part}]`, inner, depth + 1);
    })
    .join("&");
};

/** @throws {@link Refusal} when the extended parser would interpret a name differently. */
const assertName = (field: string, name: string, special: RegExp): void => {
  if (special.test(name) || /[[\]]/.test(name))
    refuse(field, "has a name that the extended parser does not preserve");
};
