/** A function that replaces date strings with dates; other values stay unchanged. */
export type Revive = (value: unknown) => unknown;

const reviveDate: Revive = (value) => {
  const date = typeof value === "string" ? new Date(value) : undefined;
  return date && !Number.isNaN(date.getTime()) ? date : value;
};

/** Revives an array: the first elements, as of a tuple, with functions of their own, all others with a shared one. */
const reviveItems =
  (each: Revive | undefined, first: readonly (Revive | undefined)[] = []): Revive =>
  (value) =>
    Array.isArray(value)
      ? value.map((item: unknown, at) => {
          const revive = at < first.length ? first[at] : each;
          return revive ? revive(item) : item;
        })
      : value;

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);

/** Revives an object: each field of `fields` with its own function, and those that are not in `known` with `others`. */
const reviveFields =
  (fields: ReadonlyMap<string, Revive>, others?: Revive, known: readonly string[] = []): Revive =>
  (value) => {
    if (!isObject(value)) return value;
    const revived = Object.entries(value).map(([name, part]: [string, unknown]) => {
      const revive = fields.get(name) ?? (known.includes(name) ? undefined : others);
      return [name, revive ? revive(part) : part] as const;
    });
    return Object.fromEntries(revived);
  };

/** Revives an object depending on the value of one of its fields. */
const reviveBy =
  (name: string, options: ReadonlyMap<unknown, Revive>): Revive =>
  (value) => {
    const revive = isObject(value)
      ? options.get((value as Readonly<Record<string, unknown>>)[name])
      : undefined;
    return revive ? revive(value) : value;
  };

const reviveBoth =
  (one: Revive, other: Revive): Revive =>
  (value) =>
    other(one(value));

/** The functions with which generated clients revive dates. */
export const dates = {
  one: reviveDate,
  items: reviveItems,
  fields: reviveFields,
  by: reviveBy,
  both: reviveBoth,
} as const;
