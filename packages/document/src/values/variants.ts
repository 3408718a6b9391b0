import { meet } from "../schema/combine.ts";
import type { Schema } from "../schema/schema.ts";

/** Schemas of this many variants are tried; more of them would say little more. */
const maximum = 24;

const known = new WeakMap<Schema, readonly Schema[]>();

/**
 * Lists schemas without unions, conditions and further parts, which together accept what a schema accepts, and more: what
 * they accept is to be checked.
 */
export const listVariants = (schema: Schema, depth = 0): readonly Schema[] => {
  const found = known.get(schema);
  if (found) return found;
  const variants = expand(schema, depth)
    .filter(({ never }) => !never)
    .slice(0, maximum);
  known.set(schema, variants);
  return variants;
};

const expand = (schema: Schema, depth: number): readonly Schema[] => {
  if (depth > 6) return [];
  const { anyOf, exclusive: _exclusive, allOf, if: condition, then, else: other, ...rest } = schema;
  const each = (all: readonly Schema[], part: Schema): readonly Schema[] =>
    all.flatMap((one) => listVariants(meet(one, part), depth + 1)).slice(0, maximum);
  let variants: readonly Schema[] = [rest];
  if (anyOf) variants = anyOf.flatMap((one) => each([rest], one));
  for (const part of allOf ?? []) variants = each(variants, part);
  if (!condition) return variants;
  return [
    ...each(each(variants, condition), then ?? {}),
    ...(other ? each(variants, other) : variants),
  ];
};
