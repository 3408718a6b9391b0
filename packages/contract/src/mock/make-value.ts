import { createHash } from "node:crypto";
import { makeValues, type Json, type Schema } from "@sallyport/document";
import { UngeneratableError } from "./ungeneratable.ts";
import { withinTime } from "./within-time.ts";

/** Returns a number that follows from a text. */
export const toSeed = (text: string): number =>
  createHash("sha256").update(text).digest().readInt32LE();

/**
 * Returns a value that a schema accepts: one of its examples, or one that follows from the seed.
 *
 * @throws {@link UngeneratableError} when no such value was found.
 */
export const makeValue = (schema: Schema, seed: string): Json => {
  const [value] = makeValues(schema, { seed: toSeed(seed), style: "plain" });
  if (value === undefined)
    throw new UngeneratableError("", "no value that its schema accepts was found");
  return value;
};

/**
 * Replaces the fields of an object by known ones that have their names, as far as the whole is then accepted.
 *
 * @param known what a client has sent, which may be made to keep a pattern busy
 */
export const addKnown = <Value>(
  value: Value,
  known: Readonly<Record<string, unknown>>,
  accepts: (value: Value) => boolean,
): Value => {
  if (!isPlain(value)) return value;
  let whole: Value = value;
  for (const [name, sent] of Object.entries(known)) {
    if (sent === undefined || !Object.hasOwn(value, name)) continue;
    const next: Value = { ...whole, [name]: sent };
    const isLong = typeof sent === "object" || (typeof sent === "string" && sent.length > 20);
    try {
      if (isLong ? withinTime(() => accepts(next)) : accepts(next)) whole = next;
    } catch {
      // it takes too long to tell
    }
  }
  return whole;
};

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" &&
  value !== null &&
  [Object.prototype, null].includes(Object.getPrototypeOf(value) as object | null);

/** Merges plain objects at all depths; other values of the second replace those of the first. */
export const merge = (first: unknown, second: unknown): unknown => {
  if (second === undefined) return first;
  if (!isPlain(first) || !isPlain(second)) return second;
  const merged = { ...first };
  for (const [name, value] of Object.entries(second)) merged[name] = merge(first[name], value);
  return merged;
};
