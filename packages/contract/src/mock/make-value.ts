import { createHash } from "node:crypto";
import {
  accepts,
  isObject,
  makeValues,
  readOwn,
  type Json,
  type Schema,
} from "@sallyport/document";
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

/** Replaces the fields of an object by known ones that have their names, as far as the schema accepts them. */
export const addKnown = (
  schema: Schema,
  value: Json,
  known: Readonly<Record<string, Json>>,
): Json => {
  if (!isObject(value)) return value;
  let whole = value;
  for (const [name, own] of Object.entries(known)) {
    if (readOwn(value, name) === undefined) continue;
    const next = { ...whole, [name]: own };
    if (acceptsSent(schema, next, own)) whole = next;
  }
  return whole;
};

/** Checks whether a schema accepts a value with what a client has sent, which may be made to keep a pattern busy. */
const acceptsSent = (schema: Schema, value: Json, sent: Json): boolean => {
  const isLong = typeof sent === "object" || (typeof sent === "string" && sent.length > 20);
  try {
    return isLong ? withinTime(() => accepts(schema, value)) : accepts(schema, value);
  } catch {
    return false;
  }
};

/** Merges objects at all depths; other values of the second replace those of the first. */
export const merge = (first: Json, second: Json | undefined): Json => {
  if (second === undefined) return first;
  if (!isObject(first) || !isObject(second)) return second;
  const merged: Record<string, Json> = { ...first };
  for (const [name, value] of Object.entries(second))
    merged[name] = merge(readOwn(first, name) ?? null, value);
  return merged;
};
