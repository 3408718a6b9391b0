import { UnsendableInputError, type CallRoute } from "./client-errors.ts";

/** Half of a pair that stands alone, which UTF-8 cannot carry. */
const loneSurrogate = /\p{Cs}/u;

/** Far deeper than any API takes; what goes on is a circle. */
const maxDepth = 200;

/** @throws {@link UnsendableInputError} when a string has half of a surrogate pair. */
export const assertString = (route: CallRoute, field: string, text: string): string => {
  if (loneSurrogate.test(text))
    throw new UnsendableInputError(route, field, "has a lone surrogate, which UTF-8 cannot carry");
  return text;
};

/** @throws {@link UnsendableInputError} when a key has half of a surrogate pair or would change a prototype. */
const assertKey = (route: CallRoute, field: string, key: string): void => {
  if (key === "__proto__")
    throw new UnsendableInputError(route, field, "is named __proto__, which APIs refuse");
  assertString(route, field, key);
};

const show = (value: unknown): string =>
  value === null
    ? "null"
    : typeof value === "object"
      ? `an object of type ${Object.prototype.toString.call(value).slice(8, -1)}`
      : `of type ${typeof value}`;

/** The own fields of an object that have a value. */
export const listFields = (
  route: CallRoute,
  field: string,
  value: object,
): readonly (readonly [string, unknown])[] =>
  Object.entries(value).filter(([key, part]: [string, unknown]) => {
    if (part !== undefined) assertKey(route, toField(field, key), key);
    return part !== undefined;
  });

/** The name of a part of a field. */
export const toField = (field: string, key: number | string): string =>
  typeof key === "number" ? `${field}[${key}]` : field === "" ? key : `${field}.${key}`;

/** Whether a value is a plain object, or one of a class that is no builtin. */
export const isRecord = (value: unknown): value is object =>
  Object.prototype.toString.call(value) === "[object Object]";

/**
 * Writes a single value as it stands in a path, a query, a header or a form.
 *
 * @throws {@link UnsendableInputError} when it is no string, number, boolean, bigint or date, or has no text.
 */
export const toText = (route: CallRoute, field: string, value: unknown): string => {
  if (typeof value === "string") return assertString(route, field, value);
  if (typeof value === "boolean" || typeof value === "bigint") return String(value);
  if (typeof value === "number") return String(assertFinite(route, field, value));
  if (value instanceof Date) return toIso(route, field, value);
  throw new UnsendableInputError(
    route,
    field,
    `is ${show(value)}; only strings, numbers, booleans, bigints and dates can be sent there`,
  );
};

const assertFinite = (route: CallRoute, field: string, value: number): number => {
  if (Number.isFinite(value)) return value;
  throw new UnsendableInputError(route, field, `is ${value}, which JSON does not have`);
};

const toIso = (route: CallRoute, field: string, date: Date): string => {
  if (Number.isNaN(date.getTime()))
    throw new UnsendableInputError(route, field, "is an invalid date");
  return date.toISOString();
};

/**
 * Copies a value to what JSON has: dates and bigints as strings, without what is undefined.
 *
 * @throws {@link UnsendableInputError} where something would be lost or changed.
 */
export const toJsonValue = (
  route: CallRoute,
  field: string,
  value: unknown,
  depth = 0,
): unknown => {
  if (depth > maxDepth) throw new UnsendableInputError(route, field, "contains itself");
  if (value === null || typeof value === "boolean") return value;
  if (typeof value === "number") return assertFinite(route, field, value);
  if (typeof value !== "object") return toText(route, field, value);
  if (value instanceof Date) return toIso(route, field, value);
  if (Array.isArray(value))
    // `map` would skip holes
    return Array.from(value, (part, index) =>
      toJsonValue(route, toField(field, index), part, depth + 1),
    );
  const { toJSON } = value as { readonly toJSON?: unknown };
  if (typeof toJSON === "function")
    return toJsonValue(route, field, toJSON.call(value), depth + 1);
  if (!isRecord(value)) throw new UnsendableInputError(route, field, `is ${show(value)}`);
  return Object.fromEntries(
    listFields(route, field, value).map(([key, part]) => [
      key,
      toJsonValue(route, toField(field, key), part, depth + 1),
    ]),
  );
};
