import { isDeepStrictEqual } from "node:util";
import { compareBounds, compareLimits } from "./compare-limits.ts";
import { compareLifecycle } from "./compare-lifecycle.ts";
import { compareTypes } from "./compare-types.ts";
import { compareUnions, compareWithUnion } from "./compare-unions.ts";
import { readOwn, takesAll, toStableText, listChildren, type Schema } from "@sallyport/document";
import { judgeRemoval } from "./lifecycle.ts";
import type { Details, SchemaPlace } from "./schema-place.ts";
import type { SchemaChangeName } from "../rules/schema-changes.ts";

/**
 * How often a pair of schemas is compared in one message: as many places tell of a change. Without a limit, schemas
 * that refer to each other would be compared along each of the ways between them; many such schemas are compared once.
 */
const toMaximum = (pairs: number): number => (pairs > 200 ? 1 : 20);

/** Compares two schemas of a place, and reports each change once, where it is. */
export const compareSchemas = (before: Schema, after: Schema, place: SchemaPlace): void => {
  const [was, is] = [place.classOf(before), place.classOf(after)];
  const pair = `${was} ${is}`;
  if (was === is || place.seen.has(pair)) return;
  const key = `${pair} ${place.isMuted} ${place.isProved}`;
  const count = place.visits.get(key) ?? 0;
  place.visits.set(key, count + 1);
  if (
    count >= toMaximum(place.visits.size) &&
    listChildren(before).length + listChildren(after).length > 0
  )
    return;
  place.seen.add(pair);
  const isProved = place.isProved || place.prove(before, after);
  const whole = place.isPart ? place.pair : ([before, after] as const);
  compareKeywords(before, after, { ...place, isProved, isPart: false, pair: whole });
  place.seen.delete(pair);
};

const compareKeywords = (before: Schema, after: Schema, place: SchemaPlace): void => {
  if (compareWithUnion(before, after, place) || compareTypes(before, after, place)) return;
  compareValues(before, after, place);
  compareBounds(before, after, place);
  compareLimits(before, after, place);
  compareTexts(before, after, place);
  compareProperties(before, after, place);
  compareDependencies(before, after, place);
  compareItems(before, after, place);
  compareParts(before, after, place);
  compareUnions(before, after, place);
};

const compareValues = (before: Schema, after: Schema, place: SchemaPlace): void => {
  const tell = (change: SchemaChangeName, details: Details) => place.report(place, change, details);
  const [old, own] = [before.enum, after.enum];
  if (!old && own) tell("enum-added", { after: own });
  else if (old && !own) tell("enum-removed", { before: old });
  else if (old && own) {
    const known = new Map(old.map((value) => [toStableText(value), value]));
    const values = new Map(own.map((value) => [toStableText(value), value]));
    const added = [...values.keys()].filter((key) => !known.has(key));
    const removed = [...known.keys()].filter((key) => !values.has(key));
    if (
      added.length === values.size &&
      removed.length === known.size &&
      values.size + known.size > 0
    )
      tell("enum-replaced", { before: old, after: own });
    else {
      for (const name of removed) tell("enum-value-removed", { name, before: known.get(name) });
      for (const name of added) tell("enum-value-added", { name, after: values.get(name) });
    }
  }
  if (before.extensible && after.extensible) {
    const [known, values] = [before.extensible, after.extensible];
    for (const name of known) if (!values.includes(name)) tell("known-value-removed", { name });
    for (const name of values) if (!known.includes(name)) tell("known-value-added", { name });
  }
  if (isDeepStrictEqual(before.default, after.default)) return;
  if (before.default === undefined) tell("default-added", { after: after.default });
  else if (after.default === undefined) tell("default-removed", { before: before.default });
  else tell("default-changed", { before: before.default, after: after.default });
};

const compareTexts = (before: Schema, after: Schema, place: SchemaPlace): void => {
  const tell = (change: SchemaChangeName, details: Details) => place.report(place, change, details);
  const [old = [], own = []] = [before.patterns, after.patterns];
  const removed = old.filter((pattern) => !own.includes(pattern));
  const added = own.filter((pattern) => !old.includes(pattern));
  if (removed.length > 0 && added.length > 0 && !added.every(takesAll))
    tell("pattern-changed", { before: removed.join(" and "), after: added.join(" and ") });
  else {
    for (const pattern of removed) tell("pattern-removed", { before: pattern });
    for (const pattern of added) if (!takesAll(pattern)) tell("pattern-added", { after: pattern });
  }
  const [encoding, media] = [after.contentEncoding, after.contentMediaType];
  if (before.contentEncoding !== encoding)
    tell("content-encoding-changed", {
      before: before.contentEncoding ?? "none",
      after: encoding ?? "none",
    });
  const details = { before: before.contentMediaType, after: media };
  if (before.contentMediaType === media) return;
  if (before.contentMediaType === undefined) tell("content-media-type-added", details);
  else
    tell(
      media === undefined ? "content-media-type-removed" : "content-media-type-changed",
      details,
    );
};

const compareProperties = (before: Schema, after: Schema, place: SchemaPlace): void => {
  const [old, own] = [before.properties ?? {}, after.properties ?? {}];
  const names = new Set([...Object.keys(old), ...Object.keys(own)]);
  for (const name of names) {
    const [was, is] = [readOwn(old, name), readOwn(own, name)];
    const wasRequired = before.required?.includes(name) === true;
    const isRequired = after.required?.includes(name) === true;
    // most properties are equal
    if (was && is && wasRequired === isRequired && place.classOf(was) === place.classOf(is))
      continue;
    const inner = enterProperty(place, name, was, is);
    const tell = (change: SchemaChangeName, details: Details = {}) =>
      inner.report(inner, change, { name, ...details });
    if (!was) tell(isRequired ? "required-property-added" : "property-added");
    else if (!is) {
      const removal = judgeRemoval(was, place.today);
      if (removal !== "removed") tell(`property-${removal}`, { before: was.sunset });
      else if (after.additionalProperties?.never && isRequest(place)) tell("property-refused");
      else tell(wasRequired ? "required-property-removed" : "property-removed");
    } else {
      if (wasRequired !== isRequired)
        tell(isRequired ? "property-became-required" : "property-became-optional");
      compareAccess(was, is, { wasRequired, isRequired }, (change) =>
        inner.report({ ...inner, isMuted: place.isMuted }, change, { name }),
      );
      compareLifecycle(was, is, tell);
      compareSchemas(was, is, inner);
    }
  }
  // names that are required without being described
  for (const name of after.required ?? [])
    if (!names.has(name) && !before.required?.includes(name))
      place.report(enterProperty(place, name), "property-became-required", { name });
  for (const name of before.required ?? [])
    if (!names.has(name) && !after.required?.includes(name))
      place.report(enterProperty(place, name), "property-became-optional", { name });
};

const isRequest = ({ area }: SchemaPlace): boolean => area === "request" || area === "parameter";

/** Enters a property, which does not count if it is not part of this message before or after. */
const enterProperty = (
  place: SchemaPlace,
  name: string,
  ...versions: readonly (Schema | undefined)[]
): SchemaPlace => ({
  ...place,
  at: `${place.at}.${/^[\w$-]+$/.test(name) ? name : JSON.stringify(name)}`,
  isMuted:
    place.isMuted ||
    versions.some((schema) => schema?.[isRequest(place) ? "readOnly" : "writeOnly"] === true),
});

/** Compares whether a property is part of requests, and of responses. */
const compareAccess = (
  was: Schema,
  is: Schema,
  { wasRequired, isRequired }: { readonly wasRequired: boolean; readonly isRequired: boolean },
  tell: (change: SchemaChangeName) => void,
): void => {
  if (was.readOnly !== is.readOnly) {
    if (is.readOnly) tell("read-only-added");
    else tell(isRequired ? "required-read-only-removed" : "read-only-removed");
  }
  if (was.writeOnly === is.writeOnly) return;
  if (is.writeOnly) tell(wasRequired ? "required-write-only-added" : "write-only-added");
  else tell(isRequired ? "required-write-only-removed" : "write-only-removed");
};

const compareDependencies = (before: Schema, after: Schema, place: SchemaPlace): void => {
  const [old, own] = [before.dependentRequired ?? {}, after.dependentRequired ?? {}];
  for (const name of new Set([...Object.keys(old), ...Object.keys(own)])) {
    const [was, is] = [readOwn(old, name), readOwn(own, name)];
    const details = { name, before: was?.join(", "), after: is?.join(", ") };
    if (!was) place.report(place, "dependent-required-added", details);
    else if (!is) place.report(place, "dependent-required-removed", details);
    else if (!isDeepStrictEqual(was, is))
      place.report(place, "dependent-required-changed", details);
  }
  for (const [key, change] of [
    ["patternProperties", "pattern-property"],
    ["dependentSchemas", "dependent-schema"],
  ] as const) {
    const [left, right] = [before[key] ?? {}, after[key] ?? {}];
    for (const name of new Set([...Object.keys(left), ...Object.keys(right)]))
      comparePart(readOwn(left, name), readOwn(right, name), place, `.{${name}}`, [
        `${change}-added`,
        `${change}-removed`,
        name,
      ]);
  }
};

const compareItems = (before: Schema, after: Schema, place: SchemaPlace): void => {
  comparePart(before.items, after.items, place, "[]", ["items-restricted", "items-unrestricted"]);
  const [old = [], own = []] = [before.prefixItems, after.prefixItems];
  for (let at = 0; at < Math.max(old.length, own.length); at++)
    comparePart(old[at], own[at], place, `[${at}]`, [
      "tuple-item-added",
      "tuple-item-removed",
      String(at),
    ]);
};

const compareParts = (before: Schema, after: Schema, place: SchemaPlace): void => {
  const [old, own] = [before.additionalProperties, after.additionalProperties];
  if (own?.never && !old?.never) place.report(place, "additional-properties-refused", {});
  else if (old?.never && !own?.never) place.report(place, "additional-properties-allowed", {});
  else
    comparePart(old, own, place, ".*", [
      "additional-properties-restricted",
      "additional-properties-unrestricted",
    ]);
  for (const [key, change] of [
    ["propertyNames", "property-names"],
    ["unevaluatedProperties", "unevaluated-properties"],
    ["unevaluatedItems", "unevaluated-items"],
    ["contains", "contains"],
    ["contentSchema", "content-schema"],
    ["then", "then"],
    ["else", "else"],
  ] as const)
    comparePart(before[key], after[key], place, ` ${key}`, [
      `${change}-added`,
      `${change}-removed`,
    ]);
  for (const key of ["not", "if"] as const) {
    const [was, is] = [before[key], after[key]];
    if (!was || !is) comparePart(was, is, place, "", [`${key}-added`, `${key}-removed`]);
    // what such a schema accepts says nothing about the direction of the whole
    else if (place.classOf(was) !== place.classOf(is)) place.report(place, `${key}-changed`, {});
  }
};

/** Compares a part that may be absent on either side. */
const comparePart = (
  before: Schema | undefined,
  after: Schema | undefined,
  place: SchemaPlace,
  step: string,
  [added, removed, name]: readonly [SchemaChangeName, SchemaChangeName, name?: string],
): void => {
  if (!before && after) place.report(place, added, { name });
  else if (before && !after) place.report(place, removed, { name });
  else if (before && after) compareSchemas(before, after, { ...place, at: `${place.at}${step}` });
};
