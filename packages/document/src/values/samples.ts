import { readOwn, toStableText, type Json } from "../json.ts";
import type { Schema, TypeName } from "../schema/schema.ts";
import { accepts } from "../schema/validate.ts";
import { listShown, makeValues } from "./arbitraries.ts";
import { toRange, toUsual } from "./numbers.ts";
import { listOfFormat, toLongest } from "./strings.ts";
import { listVariants } from "./variants.ts";

/** A value, with what it tries. */
export interface Sample {
  readonly label: string;
  readonly value: Json;
}

/** The samples of a schema within others; those of the whole are as many as there are. */
export const most = 40;
export const deepest = 5;

const valid = new WeakMap<Schema, Map<number, readonly Sample[]>>();

/** Lists values of a schema, from the simplest: examples, limits, members, variants, each property with and without. */
export const listValid = (schema: Schema, depth = 0): readonly Sample[] => {
  const levels = valid.get(schema) ?? new Map<number, readonly Sample[]>();
  valid.set(schema, levels);
  const known = levels.get(depth);
  if (known) return known;
  // a schema within itself has the values that are found until then
  levels.set(depth, []);
  const own = distinct([...listExamples(schema), ...listOwn(schema, depth)]).filter(({ value }) =>
    accepts(schema, value),
  );
  const found =
    own.length > 0
      ? own
      : makeValues(schema, { seed: 1 }).map((value) => ({ label: "a value", value }));
  levels.set(depth, depth === 0 ? found : found.slice(0, most));
  return levels.get(depth) ?? [];
};

/** Returns the simplest value of a schema; undefined if none is known. */
export const toSimplest = (schema: Schema): Json | undefined => listValid(schema, 1)[0]?.value;

export const distinct = (samples: readonly Sample[]): readonly Sample[] => {
  const seen = new Set<string>();
  return samples.filter(({ value }) => {
    const key = toStableText(value);
    return !seen.has(key) && seen.add(key);
  });
};

const listExamples = (schema: Schema): readonly Sample[] =>
  listShown(schema).map((value) => ({ label: "an example", value }));

const listOwn = (schema: Schema, depth: number): readonly Sample[] => {
  const nothing = schema.nullable ? [{ label: "null", value: null }] : [];
  if (depth > deepest) return nothing;
  const variants = listVariants(schema);
  const lists = variants.map((one) => ofVariant(one, depth));
  if (variants.length <= 1) return [...lists.flat(), ...nothing];
  const first = lists.flatMap(([one], at) =>
    one ? [{ label: `variant ${at + 1}`, value: one.value }] : [],
  );
  return [...first, ...lists.flatMap((list) => list.slice(1)), ...nothing];
};

const ofVariant = (schema: Schema, depth: number): readonly Sample[] => {
  if (schema.enum)
    return schema.enum.map((value) => ({ label: `the member ${JSON.stringify(value)}`, value }));
  if (!schema.types) return [{ label: "any value", value: "a" }];
  return schema.types.flatMap((type) => ofType(type, schema, depth));
};

const ofType = (type: TypeName, schema: Schema, depth: number): readonly Sample[] => {
  if (type === "boolean") return [true, false].map((value) => ({ label: String(value), value }));
  if (type === "array") return listArrays(schema, depth);
  if (type === "object") return listObjects(schema, depth);
  return type === "string" ? listStrings(schema) : listNumbers({ ...schema, types: [type] });
};

const listNumbers = (schema: Schema): readonly Sample[] => {
  const range = toRange(schema);
  if (!range) return [];
  const { min, max } = range;
  return [
    { label: "a number", value: toUsual(range) },
    ...(Number.isFinite(min) ? [{ label: "the minimum", value: min }] : []),
    ...(Number.isFinite(max) ? [{ label: "the maximum", value: max }] : []),
  ];
};

const listStrings = (schema: Schema): readonly Sample[] => {
  const { minLength = 0, maxLength, format, patterns, contentEncoding } = schema;
  if (format !== undefined || patterns || contentEncoding !== undefined) {
    const own = { ...schema, types: ["string"] as const };
    const [usual] = sampleText(own);
    const others = listOfFormat(contentEncoding ?? format).map((value) => ({
      label: `such as ${value}`,
      value,
    }));
    return [...(usual === undefined ? [] : [{ label: "a string", value: usual }]), ...others];
  }
  return [
    { label: "a string", value: "a".repeat(Math.max(1, minLength)) },
    ...(minLength === 0 ? [{ label: "an empty string", value: "" }] : []),
    ...(minLength > 1 ? [{ label: "the minimal length", value: "b".repeat(minLength) }] : []),
    ...(maxLength === undefined ? [] : [{ label: "the maximal length", value: toLongest(schema) }]),
  ];
};

export const sampleText = (schema: Schema): readonly string[] => {
  const found = makeValues(schema, { seed: 1, style: "plain" });
  return found as readonly string[];
};

const listArrays = (schema: Schema, depth: number): readonly Sample[] => {
  const { prefixItems = [], items, minItems = 0, maxItems, contains, uniqueItems } = schema;
  if (prefixItems.length > 0) {
    const tuple = prefixItems.map(toSimplest);
    return tuple.includes(undefined) ? [] : [{ label: "a tuple", value: tuple as Json[] }];
  }
  const options = items?.never ? [] : listValid(contains ?? items ?? {}, depth + 1);
  const fill = (count: number): readonly Json[] =>
    // different ones as far as possible, because functions may ask for it
    Array.from({ length: count }, (_, at) => options[at % options.length]?.value ?? null);
  const isEnough = (count: number): boolean =>
    options.length > 0 && (!uniqueItems || count <= options.length);
  const many = Math.max(minItems, 1);
  return [
    ...(isEnough(many) ? [{ label: "as few items as possible", value: fill(many) }] : []),
    ...(minItems === 0 ? [{ label: "no items", value: [] }] : []),
    ...(maxItems !== undefined && maxItems <= 1000 && isEnough(maxItems)
      ? [{ label: "as many items as possible", value: fill(maxItems) }]
      : []),
    ...options.slice(1).map(({ label, value }) => ({
      label: `an item with ${label}`,
      value: [...fill(many).slice(1), value],
    })),
  ];
};

/** Returns the smallest object; undefined if a required property has no known value. */
export const toLeast = (
  schema: Schema,
  depth: number,
): Readonly<Record<string, Json>> | undefined => {
  const { properties = {}, required = [] } = schema;
  // in the order in which the document names them
  const names = Object.keys(properties).filter((name) => required.includes(name));
  const entries = [...new Set([...names, ...required])].map((name) => {
    const own = readOwn(schema.properties, name) ?? schema.additionalProperties ?? {};
    return [name, listValid(own, depth + 1)[0]?.value] as const;
  });
  return entries.some(([, value]) => value === undefined)
    ? undefined
    : (Object.fromEntries(entries) as Record<string, Json>);
};

const listObjects = (schema: Schema, depth: number): readonly Sample[] => {
  const { properties = {}, required = [], additionalProperties, minProperties = 0 } = schema;
  const least = toLeast(schema, depth);
  if (!least) return [];
  const lists = Object.entries(properties).map(
    ([name, one]) => [name, listValid(one, depth + 1)] as const,
  );
  const full = Object.fromEntries(
    lists.flatMap(([name, [first]]) => (first ? [[name, first.value]] : [])),
  );
  const isOpen = Object.keys(properties).length === 0 || minProperties > 0;
  const entries =
    isOpen && !additionalProperties?.never
      ? makeValues({ ...schema, types: ["object"] }, { seed: 1 })
      : [];
  return [
    { label: "an object with the required fields", value: least },
    ...entries.slice(0, 1).map((value) => ({ label: "entries", value })),
    { label: "an object with all fields", value: { ...full, ...least } },
    ...lists.flatMap(([name, list]) =>
      list.slice(required.includes(name) ? 1 : 0).map(({ label, value }) => ({
        label: `${name}: ${label}`,
        value: { ...least, [name]: value },
      })),
    ),
  ];
};
