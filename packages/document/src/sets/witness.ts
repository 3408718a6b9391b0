import { toObject, toStableText, toText, type Json } from "../json.ts";
import { meet } from "../schema/combine.ts";
import type { Schema } from "../schema/schema.ts";
import { accepts, listPropertySchemas } from "../schema/validate.ts";
import { makeValues } from "../values/arbitraries.ts";
import { listInvalid } from "../values/broken-samples.ts";
import { listValid, toSimplest } from "../values/samples.ts";
import { listTroubling } from "../values/troubling-samples.ts";
import { listVariants } from "../values/variants.ts";
import type { IsSame } from "./within.ts";

/** Pairs of schemas that are looked at for one witness. */
const patience = 300;

/**
 * Looks for a value that one schema accepts and another one does not; undefined if none was found.
 *
 * @param takes whether the other schema takes a value, where this does not follow from the schema alone
 */
export const findWitness = (
  inner: Schema,
  outer: Schema,
  isSame: IsSame = (one, other) => one === other,
  takes: (value: Json) => boolean = (value) => accepts(outer, value),
): Json | undefined => {
  const search = new Search(isSame);
  return search.find(inner, outer, takes, 0);
};

class Search {
  readonly #isSame: IsSame;
  readonly #seen = new Map<Schema, Set<Schema>>();
  #steps = 0;

  constructor(isSame: IsSame) {
    this.#isSame = isSame;
  }

  find(
    inner: Schema,
    outer: Schema,
    takes: (value: Json) => boolean,
    depth: number,
  ): Json | undefined {
    if (this.#isSame(inner, outer) || depth > 8 || ++this.#steps > patience) return undefined;
    const seen = this.#seen.get(inner) ?? new Set();
    this.#seen.set(inner, seen);
    if (seen.has(outer)) return undefined;
    seen.add(outer);
    const isWitness = (value: Json): boolean =>
      !takes(value) && accepts(inner, value) && isKnown(value, inner, outer);
    // what is within is searched first: such a witness says where the difference is
    for (const values of [this.#listDeep(inner, outer, depth), listNear(inner, outer)])
      for (const value of values) if (isWitness(value)) return value;
    return undefined;
  }

  /** Yields values of the inner schema in which one part is a witness. */
  *#listDeep(inner: Schema, outer: Schema, depth: number): Generator<Json> {
    const variants = listVariants(outer);
    const find = (one: Schema, other: Schema): Json | undefined =>
      this.find(one, other, (value) => accepts(other, value), depth + 1);
    for (const variant of listVariants(inner)) {
      for (const other of variants) {
        yield* this.#listObjects(variant, other, find);
        const [item, theirs] = [variant.items, other.items];
        const found = item && theirs && !item.never ? find(item, theirs) : undefined;
        if (found !== undefined) {
          const rest = toSimplest(item ?? {}) ?? null;
          yield [...Array.from({ length: (variant.minItems ?? 1) - 1 }, () => rest), found];
        }
        for (const [at, own] of (variant.prefixItems ?? []).entries()) {
          const place = other.prefixItems?.[at] ?? other.items;
          const part = place ? find(own, place) : undefined;
          const tuple = toSimplest(variant);
          if (part !== undefined && Array.isArray(tuple)) yield (tuple as Json[]).with(at, part);
        }
      }
    }
  }

  *#listObjects(
    inner: Schema,
    outer: Schema,
    find: (one: Schema, other: Schema) => Json | undefined,
  ): Generator<Json> {
    if (!inner.properties && !inner.additionalProperties && !inner.patternProperties) return;
    // both take long, and most properties have no witness
    const complete = (name: string, found: Json): readonly Json[] =>
      [inner, meet(inner, outer)].map((one) => withProperty(toSimplest(one), name, found));
    const patterns = Object.keys({ ...inner.patternProperties, ...outer.patternProperties });
    const names = new Set([
      ...Object.keys({ ...inner.properties, ...outer.properties }),
      ...patterns.map((pattern) => toText(toSimplest({ types: ["string"], patterns: [pattern] }))),
    ]);
    for (const name of names) {
      const [own] = listPropertySchemas(inner, name);
      if (!own || own.never) continue;
      for (const theirs of listPropertySchemas(outer, name)) {
        const found = theirs.never ? toSimplest(own) : find(own, theirs);
        if (found !== undefined) yield* complete(name, found);
      }
    }
    const [own, theirs] = [inner.additionalProperties, outer.additionalProperties];
    const found =
      own && theirs && !own.never
        ? theirs.never
          ? toSimplest(own)
          : find(own, theirs)
        : undefined;
    if (found !== undefined) yield* complete("extra", found);
  }
}

/** Whether a value has no property that only the outer schema names: nobody sends what no document names. */
const isKnown = (value: Json, inner: Schema, outer: Schema, depth = 0): boolean => {
  if (typeof value !== "object" || value === null || depth > 8) return true;
  const [own, theirs] = [listVariants(inner), listVariants(outer)];
  const text = toStableText(value);
  if (own.some((one) => one.enum?.some((listed) => toStableText(listed) === text))) return true;
  if (Array.isArray(value)) {
    const [item, place] = [own, theirs].map((all) => all.find((one) => one.items)?.items);
    return !item || !place || value.every((one: Json) => isKnown(one, item, place, depth + 1));
  }
  return Object.entries(value).every(([name, one]) => {
    const find = (all: readonly Schema[]): Schema | undefined =>
      all.flatMap((variant) => listPropertySchemas(variant, name))[0];
    const [ours, place] = [find(own), find(theirs)];
    const isNamed = theirs.some(({ properties }) => Object.hasOwn(properties ?? {}, name));
    const isNeeded = own.some(({ required }) => required?.includes(name));
    if (!ours) return !isNamed || isNeeded;
    return !place || isKnown(one, ours, place, depth + 1);
  });
};

const withProperty = (base: Json | undefined, name: string, value: Json): Json => ({
  ...toObject(base),
  [name]: value,
});

/** Yields values at the limits of both schemas, and others. */
function* listNear(inner: Schema, outer: Schema): Generator<Json> {
  yield* (inner.enum ?? []).slice(0, 1000);
  if (inner.nullable) yield null;
  for (const { value } of listValid(inner)) yield value;
  for (const { value } of listInvalid(outer)) yield value;
  // what several variants accept
  for (const one of (outer.exclusive && outer.anyOf) || [])
    for (const { value } of listValid(meet(withoutUnion(inner), one)).slice(0, 10)) yield value;
  const required = (outer.required ?? []).filter((name) => !inner.required?.includes(name));
  if (required.length > 0) yield* makeWithout(inner, required);
  yield* makeValues(inner, { seed: 1, count: 30 });
  for (const { value } of listTroubling(inner)) yield value;
}

const withoutUnion = ({ anyOf: _any, exclusive: _one, ...rest }: Schema): Schema => rest;

/** Yields objects with and without properties that only the other schema requires. */
function* makeWithout(inner: Schema, names: readonly string[]): Generator<Json> {
  for (const value of makeValues(inner, { seed: 2, count: 3, style: "plain" })) {
    if (typeof value !== "object" || value === null || Array.isArray(value)) continue;
    for (const name of names) {
      const { [name]: _left, ...rest } = value as Record<string, Json>;
      yield rest;
    }
  }
}
