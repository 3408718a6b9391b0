/** The reason why a value cannot be sent, which becomes an {@link UnsendableInputError} where the route is known. */
export interface Refusal {
  /** The place in the input, such as `filter.tags[0]`. */
  readonly refused: string;
  readonly reason: string;
}

/** @throws {@link Refusal} always. */
export const refuse = (refused: string, reason: string): never => {
  // oxlint-disable-next-line typescript/only-throw-error -- it becomes an error before anything reads its stack
  throw { refused, reason } satisfies Refusal;
};

/** A lone surrogate, which UTF-8 cannot represent. */
const loneSurrogate = /\p{Cs}/u;

/** The maximum depth of a value, far deeper than any API accepts; a deeper value is circular. */
const maxDepth = 200;

/** @throws {@link Refusal} when a string has a lone surrogate. */
export const assertString = (field: string, text: string): string =>
  loneSurrogate.test(text) ? refuse(field, "has a lone surrogate") : text;

/** Returns the kind of a value in lower case, such as `map`. */
export const toKind = (value: unknown): string =>
  Object.prototype.toString.call(value).slice(8, -1).toLowerCase();

export const listFields = (field: string, value: object): readonly (readonly [string, unknown])[] =>
  Object.entries(value).filter(([key, part]: [string, unknown]) => {
    if (key === "__proto__") refuse(toField(field, key), "has a name that APIs reject");
    assertString(toField(field, key), key);
    return part !== undefined;
  });

export const toField = (field: string, key: number | string): string =>
  typeof key === "number" ? `${field}[${key}]` : field === "" ? key : `${field}.${key}`;

/** Checks whether a value is a plain object, or an instance of a class that is not built in. */
export const isRecord = (value: unknown): value is object => toKind(value) === "object";

/** Converts a single value to a string, for a path, a query, a header or a form. */
export const toText = (field: string, value: unknown): string => {
  if (typeof value === "string") return assertString(field, value);
  if (typeof value === "boolean" || typeof value === "bigint") return String(value);
  if (typeof value === "number")
    return Number.isFinite(value) ? String(value) : refuse(field, `is ${value}`);
  if (!(value instanceof Date)) return refuse(field, `is of type ${toKind(value)}`);
  return Number.isNaN(value.getTime()) ? refuse(field, "is an invalid date") : value.toISOString();
};

/** Converts a value to a JSON value: dates and bigints become strings, and undefined values are left out. */
export const toJsonValue = (field: string, value: unknown, depth = 0): unknown => {
  if (depth > maxDepth) refuse(field, "contains itself");
  if (value === null || typeof value === "boolean") return value;
  if (typeof value === "number") return Number(toText(field, value));
  if (typeof value !== "object" || value instanceof Date) return toText(field, value);
  if (Array.isArray(value))
    // `map` would skip holes
    return Array.from(value, (part, index) => toJsonValue(toField(field, index), part, depth + 1));
  const { toJSON } = value as { readonly toJSON?: unknown };
  if (typeof toJSON === "function") return toJsonValue(field, toJSON.call(value), depth + 1);
  if (!isRecord(value)) return toText(field, value);
  return Object.fromEntries(
    listFields(field, value).map(([key, part]) => [
      key,
      toJsonValue(toField(field, key), part, depth + 1),
    ]),
  );
};
