/** A value that JSON can express. */
export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [key: string]: Json };

export type JsonObject = { readonly [key: string]: Json };

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns an object, or an empty one for anything else. */
export const toObject = (value: unknown): JsonObject => (isObject(value) ? value : {});

/** Returns a list, or an empty one for anything else. */
export const toList = (value: unknown): readonly Json[] =>
  Array.isArray(value) ? (value as readonly Json[]) : [];

/** Returns the text of a value that does not depend on the order of keys. */
export const toStableText = (value: Json): string => JSON.stringify(sort(value));

const sort = (value: Json): Json => {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(sort);
  const entries = Object.entries(value).map(([name, one]) => [name, sort(one)] as const);
  return Object.fromEntries(entries.toSorted(([one], [other]) => (one < other ? -1 : 1)));
};

/** Returns an object with the given properties that are not undefined. */
export const compact = <Value extends object>(value: {
  [Key in keyof Value]: Value[Key] | undefined;
}): Value =>
  Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as Value;

/** Returns a string as it is, and anything else as JSON. */
export const toText = (value: unknown): string =>
  typeof value === "string" ? value : (JSON.stringify(value) ?? "");

/** Returns what an object has under a name that others have chosen, such as `constructor`, which all objects inherit. */
export const readOwn = <Value>(
  record: Readonly<Record<string, Value>> | undefined,
  name: string,
): Value | undefined => (record && Object.hasOwn(record, name) ? record[name] : undefined);
