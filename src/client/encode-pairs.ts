import { UnsendableInputError, type CallRoute } from "./client-errors.ts";
import { assertString, isRecord, listFields, toField, toText } from "./wire-value.ts";

/** The longest array that the extended parser reads as an array. */
const maxBracketed = 20;

/** How deep the extended parser reads. */
const maxBrackets = 5;

const encodePair = (name: string, value: string): string =>
  `${encodeURIComponent(name)}=${encodeURIComponent(value)}`;

const noEmpty = "is an empty array, which cannot be told from no value there; leave it out";

/**
 * Encodes fields as names and values, a repeated name for an array.
 *
 * @throws {@link UnsendableInputError} when a value has no single text, or an array is empty.
 */
export const encodePairs = (
  route: CallRoute,
  fields: Iterable<readonly [string, unknown]>,
): string =>
  Array.from(fields, ([name, value]) => {
    assertString(route, name, name);
    if (!Array.isArray(value)) return encodePair(name, toText(route, name, value));
    if (value.length === 0) throw new UnsendableInputError(route, name, noEmpty);
    return Array.from(value, (part, index) =>
      encodePair(name, toText(route, toField(name, index), part)),
    ).join("&");
  }).join("&");

/**
 * Encodes fields for the extended parser: brackets for arrays and objects.
 *
 * @throws {@link UnsendableInputError} when the parser would read something else.
 */
export const encodeBrackets = (
  route: CallRoute,
  fields: Iterable<readonly [string, unknown]>,
): string =>
  Array.from(fields, ([name, value]) => {
    assertName(route, name, name, /[[\]]/);
    return encodeBracketed(route, name, name, value, 0);
  }).join("&");

/** @param name the field as it is written, such as `filter[tags][0]` */
const encodeBracketed = (
  route: CallRoute,
  field: string,
  name: string,
  value: unknown,
  depth: number,
): string => {
  if (!Array.isArray(value) && !isRecord(value))
    return encodePair(name, toText(route, field, value));
  const refuse = (reason: string): never => {
    throw new UnsendableInputError(route, field, reason);
  };
  if (depth >= maxBrackets) refuse(`is nested deeper than ${maxBrackets} levels`);
  const parts: readonly (readonly [number | string, unknown])[] = Array.isArray(value)
    ? Array.from(value, (part: unknown, index) => [index, part] as const)
    : listFields(route, field, value);
  if (parts.length === 0) refuse(Array.isArray(value) ? noEmpty : "is an empty object");
  if (Array.isArray(value) && parts.length > maxBracketed)
    refuse(`has more than ${maxBracketed} elements, which are not read as an array`);
  return parts
    .map(([part, inner]) => {
      const inside = toField(field, part);
      if (typeof part === "string") assertName(route, inside, part, /[[\]]|^\d*$/);
      return encodeBracketed(route, inside, `${name}[${part}]`, inner, depth + 1);
    })
    .join("&");
};

/** @throws {@link UnsendableInputError} when the extended parser would take a name for something else. */
const assertName = (route: CallRoute, field: string, name: string, special: RegExp): void => {
  assertString(route, field, name);
  if (name === "" || special.test(name))
    throw new UnsendableInputError(
      route,
      field,
      "has a name that the extended parser reads as something else",
    );
};
