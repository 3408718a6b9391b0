import type { SchemaPlace } from "./schema-place.ts";
import { acceptsAny, compareNull } from "./compare-types.ts";
import { readOwn, toStableText, type Schema } from "@sallyport/document";

/** Compares the variants of unions, and what else must match. */
export const compareUnions = (before: Schema, after: Schema, place: SchemaPlace): void => {
  compareVariants(before, after, place);
  compareDiscriminators(before, after, place);
  const { kept, added, removed } = pair(before.allOf ?? [], after.allOf ?? [], place);
  for (const [was, is] of kept) place.compare(was, is, { ...place, isPart: true });
  for (const _ of added) place.report(place, "all-of-added", {});
  for (const _ of removed) place.report(place, "all-of-removed", {});
};

const compareVariants = (before: Schema, after: Schema, place: SchemaPlace): void => {
  const [old, own] = [before.anyOf, after.anyOf];
  if (!old && own) place.report(place, "union-added", {});
  if (old && !own) place.report(place, "union-removed", {});
  if (!old || !own) return;
  if (before.exclusive !== after.exclusive)
    place.report(place, after.exclusive ? "union-became-exclusive" : "union-became-inclusive", {});
  compareLists(old, own, place);
};

/** Compares a union with what was no union: a union of one variant. Returns whether these are such. */
export const compareWithUnion = (before: Schema, after: Schema, place: SchemaPlace): boolean => {
  const [union, single] = before.anyOf ? [before, after] : [after, before];
  if (!union.anyOf || single.anyOf || acceptsAny(single) || !isPureUnion(union)) return false;
  compareNull(before, after, place);
  if (after.exclusive && after.anyOf && countFitting(before, after.anyOf) > 1)
    place.report(place, "variants-overlap", {});
  compareLists(before.anyOf ?? [withoutNull(before)], after.anyOf ?? [withoutNull(after)], place);
  return true;
};

/** Returns how many variants fit what was no union, as far as their types and constants tell. */
const countFitting = (single: Schema, variants: readonly Schema[]): number =>
  variants.filter((one) => {
    const constants = toConstants(one);
    return isAlike(single, one) && (constants === "" || constants === toConstants(single));
  }).length;

const isAlike = (was: Schema, is: Schema): boolean =>
  String(was.types) === String(is.types) && compareNames(was, is) >= 0.5;

const unionKeys: ReadonlySet<string> = new Set([
  ...["anyOf", "exclusive", "nullable", "discriminator", "mapping", "default"],
  ...["deprecated", "sunset", "stability", "readOnly", "writeOnly"],
]);

const isPureUnion = (schema: Schema): boolean =>
  Object.keys(schema).every((key) => unionKeys.has(key));

const compareLists = (
  before: readonly Schema[],
  after: readonly Schema[],
  place: SchemaPlace,
): void => {
  const { kept, added, removed } = pair(before, after, place);
  for (const [was, is] of kept)
    place.compare(was, is, { ...place, at: `${place.at}(${describe(is)})` });
  for (const one of added) place.report(place, "variant-added", { name: describe(one) });
  for (const one of removed) place.report(place, "variant-removed", { name: describe(one) });
};

interface Pairs {
  readonly kept: readonly (readonly [Schema, Schema])[];
  readonly added: readonly Schema[];
  readonly removed: readonly Schema[];
}

/** Finds which schema became which: an equal one, one with the same constant, or else the most similar one. */
const pair = (
  before: readonly Schema[],
  after: readonly Schema[],
  { classOf }: SchemaPlace,
): Pairs => {
  const removed = [...before];
  const added = [...after];
  const kept: [Schema, Schema][] = [];
  const take = (isPair: (was: Schema, is: Schema) => boolean): void => {
    for (const was of [...removed]) {
      const is = added.find((one) => isPair(was, one));
      if (!is) continue;
      kept.push([was, is]);
      removed.splice(removed.indexOf(was), 1);
      added.splice(added.indexOf(is), 1);
    }
  };
  take((was, is) => classOf(was) === classOf(is));
  take((was, is) => toConstants(was) !== "" && toConstants(was) === toConstants(is));
  for (const level of [1, 0.75, 0.5])
    take(
      (was, is) =>
        toConstants(was) === toConstants(is) && isAlike(was, is) && compareNames(was, is) >= level,
    );
  return { kept, added, removed };
};

/** Returns the properties with one value, which tell variants apart. */
const toConstants = ({ properties = {}, required = [] }: Schema): string =>
  Object.entries(properties)
    .filter(([name, { enum: values }]) => values?.length === 1 && required.includes(name))
    .map(([name, { enum: values = [] }]) => `${name}: ${toStableText(values)}`)
    .toSorted()
    .join();

/** Returns how many of the properties two schemas share, from 0 to 1. */
const compareNames = (was: Schema, is: Schema): number => {
  const old = Object.keys(was.properties ?? {});
  const own = Object.keys(is.properties ?? {});
  const all = new Set([...old, ...own]).size;
  return all === 0 ? 1 : old.filter((name) => own.includes(name)).length / all;
};

const withoutNull = (schema: Schema): Schema => {
  if (!schema.nullable) return schema;
  const { nullable: _, ...rest } = schema;
  return rest;
};

/** Describes a variant in words, such as `object with name, type`. */
const describe = ({ types, enum: values, properties, never }: Schema): string => {
  if (never) return "none";
  if (values) return values.map((value) => JSON.stringify(value)).join("|");
  const names = Object.entries(properties ?? {});
  const constants = names.flatMap(([name, { enum: one }]) =>
    one?.length === 1 ? [`${name} ${JSON.stringify(one[0])}`] : [],
  );
  const known = constants.length > 0 ? constants : names.map(([name]) => name).toSorted();
  const type = types?.join("|") ?? (names.length > 0 ? "object" : "any");
  return known.length > 0 ? `${type} with ${known.slice(0, 3).join(", ")}` : type;
};

const compareDiscriminators = (before: Schema, after: Schema, place: SchemaPlace): void => {
  const [old, own] = [before.discriminator, after.discriminator];
  if (old === undefined && own !== undefined)
    place.report(place, "discriminator-added", { after: own });
  else if (old !== undefined && own === undefined)
    place.report(place, "discriminator-removed", { before: old });
  else if (old !== own) place.report(place, "discriminator-changed", { before: old, after: own });
  if (old === undefined || own === undefined || (isTold(before, old) && isTold(after, own))) return;
  const [left, right] = [before.mapping ?? {}, after.mapping ?? {}];
  for (const name of new Set([...Object.keys(left), ...Object.keys(right)])) {
    const [was, is] = [readOwn(left, name), readOwn(right, name)];
    if (!was) place.report(place, "mapping-added", { name });
    else if (!is) place.report(place, "mapping-removed", { name });
    else if (isOther(was, is, before, after, place))
      place.report(place, "mapping-changed", { name });
  }
};

/** Whether each variant says itself which values of the discriminator it takes. */
const isTold = ({ anyOf = [] }: Schema, name: string): boolean =>
  anyOf.every(({ properties }) => readOwn(properties, name)?.enum !== undefined);

/** Whether a value stands for another variant than before: what it stood for is still there. */
const isOther = (
  was: Schema,
  is: Schema,
  before: Schema,
  after: Schema,
  { classOf }: SchemaPlace,
): boolean => {
  const has = (schema: Schema, one: Schema): boolean =>
    schema.anyOf?.some((variant) => classOf(variant) === classOf(one)) === true;
  return classOf(was) !== classOf(is) && (has(after, was) || has(before, is) || !has(after, is));
};
