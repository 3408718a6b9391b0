import { readOwn } from "../json.ts";
import type { Schema } from "./schema.ts";
import { covers } from "./settle.ts";
import { accepts, typesOf } from "./validate.ts";

/** Whether it is certain that no value is accepted by both schemas. */
export const areDisjoint = (one: Schema, other: Schema, depth = 0): boolean => {
  if (one.never || other.never) return true;
  if (depth > 6 || (acceptsNull(one) && acceptsNull(other))) return false;
  const [left, right] = [typesOf(one), typesOf(other)];
  const isApart = (type: Parameters<typeof covers>[1], types: typeof left): boolean =>
    types !== undefined &&
    !covers(types, type) &&
    !(type === "number" && types.includes("integer"));
  if (left && right && left.every((type) => isApart(type, right))) return true;
  for (const [a, b] of [
    [one, other],
    [other, one],
  ] as const) {
    if (a.enum?.every((value) => !accepts(b, value))) return true;
    if (a.anyOf?.every((variant) => areDisjoint(variant, b, depth + 1))) return true;
    if (a.allOf?.some((part) => areDisjoint(part, b, depth + 1))) return true;
    // a property that one requires, and the other one does not allow in that way
    if (isObjectOnly(left) && isObjectOnly(right))
      for (const name of a.required ?? []) {
        const own = readOwn(a.properties, name) ?? {};
        const theirs = readOwn(b.properties, name);
        if (!theirs && b.additionalProperties?.never && !b.patternProperties) return true;
        if (theirs && areDisjoint(own, theirs, depth + 1)) return true;
      }
  }
  if (!left || !right || left.length !== 1 || right.length !== 1) return false;
  return (
    isBeyond(one.minimum, other.maximum) ||
    isBeyond(other.minimum, one.maximum) ||
    isBeyond(one.minLength, other.maxLength) ||
    isBeyond(other.minLength, one.maxLength) ||
    isBeyond(one.minItems, other.maxItems) ||
    isBeyond(other.minItems, one.maxItems)
  );
};

const isBeyond = (minimum: number | undefined, maximum: number | undefined): boolean =>
  minimum !== undefined && maximum !== undefined && minimum > maximum;

const isObjectOnly = (types: ReturnType<typeof typesOf>): boolean => String(types) === "object";

/** Whether null is accepted. */
export const acceptsNull = (schema: Schema): boolean => accepts(schema, null);
