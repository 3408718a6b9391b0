import fc from "fast-check";
import { readOwn, toStableText, type Json } from "../json.ts";
import type { Schema, TypeName } from "../schema/schema.ts";
import { accepts } from "../schema/validate.ts";
import { toNumbers } from "./numbers.ts";
import { someWord, toStrings } from "./strings.ts";
import { listVariants } from "./variants.ts";

/** Values as an example shows them, or all kinds of values. */
export type Style = "plain" | "wild";

type Values = fc.Arbitrary<Json>;

/** From this depth on, nothing optional is made, so that recursive schemas end. */
const sparse = { plain: 4, wild: 3 };
const deepest = 12;
/** How many values are tried for each one that is wanted. */
const attempts = 30;

const known = {
  plain: new WeakMap<Schema, Map<number, Values | undefined>>(),
  wild: new WeakMap<Schema, Map<number, Values | undefined>>(),
};

/**
 * Returns the values of a schema, which shrink as those of fast-check do; undefined if none can be made. They are made
 * from its keywords without a filter, which might never end: what the schema says beyond them is to be checked.
 */
export const toArbitrary = (
  schema: Schema,
  style: Style = "wild",
  depth = 0,
): Values | undefined => {
  if (depth > deepest) return undefined;
  const level = Math.min(depth, deepest);
  const levels = known[style].get(schema) ?? new Map<number, Values | undefined>();
  known[style].set(schema, levels);
  if (!levels.has(level)) {
    // a schema that needs itself has no value
    levels.set(level, undefined);
    levels.set(level, build(schema, style, depth));
  }
  return levels.get(level);
};

const build = (schema: Schema, style: Style, depth: number): Values | undefined => {
  if (schema.never) return undefined;
  const shown = style === "plain" ? listShown(schema) : [];
  if (shown.length > 0) return fc.constantFrom(...shown);
  const any = ofVariants(schema, style, depth);
  const values =
    any && style === "plain" && isDoubtful(schema) ? toAccepted(any, schema, depth) : any;
  const takesNull = schema.nullable === true || (values === undefined && accepts(schema, null));
  if (!takesNull) return values;
  if (!values) return fc.constant(null);
  return fc.oneof({ weight: 5, arbitrary: values }, { weight: 1, arbitrary: fc.constant(null) });
};

/** Whether a value that is made of the keywords of one variant may be refused by what is said beside them. */
const isDoubtful = ({ exclusive, not, if: condition, allOf }: Schema): boolean =>
  exclusive === true || [not, condition, allOf].some((one) => one !== undefined);

/** Returns a value that a schema accepts, of several with all fields and several with few; if there is none, the last one. */
const toAccepted = (values: Values, schema: Schema, depth: number): Values => {
  const few = ofVariants(schema, "plain", Math.max(depth, sparse.plain)) ?? values;
  const streams = [values, few].map((one) => fc.infiniteStream(one, { noHistory: true }));
  return fc.tuple(...streams).map((found) => {
    let last: Json = null;
    for (const stream of found)
      for (let attempt = 0; attempt < attempts; attempt++) {
        last = stream.next().value as Json;
        if (accepts(schema, last)) return last;
      }
    return last;
  });
};

const ofVariants = (schema: Schema, style: Style, depth: number): Values | undefined => {
  const all = listVariants(schema).flatMap((one) => ofVariant(one, style, depth) ?? []);
  return all.length > 1 ? fc.oneof(...all) : all[0];
};

/** Lists the examples of a schema that it accepts, or else its default. */
export const listShown = ({ examples = [], ...schema }: Schema): readonly Json[] => {
  const found = examples.filter((one) => accepts(schema, one));
  const { default: preset } = schema;
  return found.length === 0 && preset !== undefined && preset !== null && accepts(schema, preset)
    ? [preset]
    : found;
};

const ofVariant = (schema: Schema, style: Style, depth: number): Values | undefined => {
  if (schema.enum) return schema.enum.length > 0 ? fc.constantFrom(...schema.enum) : undefined;
  if (!schema.types)
    return style === "plain" ? someWord : fc.constantFrom<Json>("a", 1, 0.5, true, [], {});
  const all = schema.types.flatMap((type) => ofType(type, schema, style, depth) ?? []);
  return all.length > 1 ? fc.oneof(...all) : all[0];
};

const ofType = (
  type: TypeName,
  schema: Schema,
  style: Style,
  depth: number,
): Values | undefined => {
  switch (type) {
    case "boolean":
      return fc.boolean();
    case "integer":
    case "number":
      return toNumbers({ ...schema, types: [type] }, style === "plain");
    case "string":
      return toStrings(schema, style === "plain");
    case "array":
      return toArrays(schema, style, depth);
    default:
      return toObjects(schema, style, depth);
  }
};

const toArrays = (schema: Schema, style: Style, depth: number): Values | undefined => {
  const {
    prefixItems = [],
    items,
    minItems = 0,
    maxItems = Infinity,
    uniqueItems,
    contains,
  } = schema;
  const first = prefixItems.map((one) => toArbitrary(one, style, depth + 1));
  const least = prefixItems.slice(0, minItems).length;
  if (first.slice(0, least).includes(undefined)) return undefined;
  const count = first.includes(undefined) ? first.indexOf(undefined) : first.length;
  const head = fc.tuple(
    ...first.slice(0, Math.min(count, maxItems)).map((one) => one ?? fc.constant(null)),
  );
  const wanted = contains ? Math.max(schema.minContains ?? 1, minItems) : minItems;
  const minLength = Math.max(0, wanted - count);
  const item = items?.never ? undefined : toArbitrary(contains ?? items ?? {}, style, depth + 1);
  if (!item || count >= maxItems || (prefixItems.length > 0 && !items))
    return minLength === 0 || (prefixItems.length === 0 && minLength === 0) ? head : undefined;
  const usual = depth >= sparse[style] ? 0 : style === "plain" ? 3 : 5;
  const maxLength = Math.max(minLength, Math.min(maxItems - count, minLength + usual));
  // a list with something in it shows more
  const limits = {
    minLength: Math.max(minLength, Math.min(style === "plain" ? 2 : 0, maxLength)),
    maxLength,
    size: "max" as const,
  };
  const rest = uniqueItems ? toDistinct(item, limits, toStableText) : fc.array(item, limits);
  return fc.tuple(head, rest).map(([one, other]) => [...one, ...other]);
};

const toObjects = (schema: Schema, style: Style, depth: number): Values | undefined => {
  const { required = [], minProperties = 0, maxProperties = Infinity } = schema;
  const { properties = {}, additionalProperties, patternProperties = {} } = schema;
  const names = [...new Set([...required, ...Object.keys(properties)])];
  const fields: Record<string, Values> = {};
  for (const name of names) {
    const isRequired = required.includes(name);
    if (!isRequired && depth >= sparse[style]) continue;
    const own = readOwn(properties, name) ?? additionalProperties ?? {};
    const values = toArbitrary(own, style, depth + 1);
    if (values) define(fields, name, values);
    else if (isRequired) return undefined;
  }
  const isAll = style === "plain" && Object.keys(fields).length <= maxProperties;
  const record = fc.record(fields, {
    requiredKeys: isAll
      ? Object.keys(fields)
      : required.filter((name) => Object.hasOwn(fields, name)),
    noNullPrototype: true,
  }) as fc.Arbitrary<Record<string, Json>>;
  const missing = minProperties - (isAll ? Object.keys(fields).length : required.length);
  const others = toEntries(schema, style, depth);
  const isMap =
    Object.keys(properties).length === 0 &&
    (additionalProperties !== undefined || Object.keys(patternProperties).length > 0);
  if (!others || (!isMap && missing <= 0)) return missing > 0 && !isAll ? withAll(fields) : record;
  const minLength = Math.max(0, Math.min(missing, 1000));
  const usual = depth >= sparse[style] ? 0 : 2;
  const limits = {
    minLength,
    maxLength: Math.max(minLength, Math.min(usual, maxProperties)),
    size: "max" as const,
  };
  const list = toDistinct(others, limits, ([name]) => name);
  return fc.tuple(record, list).map(([own, more]) => {
    const all = { ...own };
    for (const [name, value] of more) if (!Object.hasOwn(all, name)) define(all, name, value);
    return all;
  });
};

/** Returns lists without equal items; shorter ones than wanted where there are not that many, for which fast-check would look forever. */
const toDistinct = <Item>(
  items: fc.Arbitrary<Item>,
  { minLength, maxLength }: { readonly minLength: number; readonly maxLength: number },
  toKey: (item: Item) => string,
): fc.Arbitrary<Item[]> =>
  fc
    .array(items, { minLength: minLength * 3, maxLength: maxLength * 3, size: "max" })
    .map((all) => [...new Map(all.map((one) => [toKey(one), one])).values()].slice(0, maxLength));

/** A name may be `__proto__`. */
const define = (object: object, name: string, value: unknown): void => {
  Object.defineProperty(object, name, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  });
};

const withAll = (fields: Record<string, Values>): Values =>
  fc.record(fields, { noNullPrototype: true }) as Values;

/** Returns properties that the schema does not name; undefined if it allows none. */
const toEntries = (
  { additionalProperties, patternProperties = {}, propertyNames }: Schema,
  style: Style,
  depth: number,
): fc.Arbitrary<readonly [string, Json]> | undefined => {
  const [[pattern, own] = []] = Object.entries(patternProperties);
  const schema = own ?? additionalProperties ?? {};
  if (additionalProperties?.never && !own) return undefined;
  const values = toArbitrary(schema, style, depth + 1);
  const keys =
    pattern === undefined
      ? propertyNames
        ? toArbitrary({ ...propertyNames, types: ["string"] }, style, depth + 1)
        : fc.tuple(someWord, fc.constantFrom("", "2", "3", "4")).map((parts) => parts.join(""))
      : toStrings({ patterns: [pattern] }, false);
  return values && keys && (fc.tuple(keys, values) as fc.Arbitrary<readonly [string, Json]>);
};

/** Makes values that a schema accepts, always the same for a seed; fewer than wanted if that many are not found. */
export const makeValues = (
  schema: Schema,
  {
    seed,
    count = 1,
    style = "wild",
  }: { readonly seed: number; readonly count?: number; readonly style?: Style },
): readonly Json[] => {
  const values = toArbitrary(schema, style);
  if (!values) return [];
  const found: Json[] = [];
  for (let attempt = 0; attempt < attempts && found.length < count; attempt++)
    for (const value of fc.sample(values, { seed: seed + attempt, numRuns: count }))
      if (found.length < count && accepts(schema, value)) found.push(value);
  return found;
};
