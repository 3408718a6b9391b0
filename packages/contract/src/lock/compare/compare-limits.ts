import type { Schema } from "@sallyport/document";
import type { SchemaPlace } from "./schema-place.ts";

const limits = [
  ["minLength", "min-length"],
  ["maxLength", "max-length"],
  ["minItems", "min-items"],
  ["maxItems", "max-items"],
  ["minProperties", "min-properties"],
  ["maxProperties", "max-properties"],
  ["minContains", "min-contains"],
  ["maxContains", "max-contains"],
] as const;

/** Compares the limits of lengths and counts. */
export const compareLimits = (before: Schema, after: Schema, place: SchemaPlace): void => {
  for (const [key, name] of limits) compareLimit(before[key], after[key], name, place);
  const [old, own] = [before.multipleOf, after.multipleOf];
  const details = { before: old, after: own };
  if (old === undefined && own !== undefined) place.report(place, "multiple-of-added", details);
  else if (old !== undefined && own === undefined)
    place.report(place, "multiple-of-removed", details);
  else if (old !== own) place.report(place, "multiple-of-changed", details);
  if (before.uniqueItems !== after.uniqueItems)
    place.report(place, after.uniqueItems ? "unique-items-added" : "unique-items-removed", {});
};

/** Compares the limits of numbers, which may themselves be excluded. */
export const compareBounds = (before: Schema, after: Schema, place: SchemaPlace): void => {
  for (const [key, open] of [
    ["minimum", "openMinimum"],
    ["maximum", "openMaximum"],
  ] as const) {
    compareLimit(before[key], after[key], key, place);
    if (before[key] === after[key] && before[open] !== after[open])
      place.report(place, after[open] ? "limit-excluded" : "limit-included", {
        after: after[key],
      });
  }
};

const compareLimit = (
  before: number | undefined,
  after: number | undefined,
  name: (typeof limits)[number][1] | "minimum" | "maximum",
  place: SchemaPlace,
): void => {
  const details = { before, after };
  if (before === after) return;
  if (before === undefined) place.report(place, `${name}-set`, details);
  else if (after === undefined) place.report(place, `${name}-removed`, details);
  else place.report(place, after > before ? `${name}-raised` : `${name}-lowered`, details);
};
