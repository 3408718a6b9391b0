import { isObject, readOwn, toStableText, type Json } from "../json.ts";
import type { Schema, TypeName } from "../schema/schema.ts";
import { toCharacters } from "../schema/patterns.ts";
import { accepts } from "../schema/validate.ts";
import { listShown, makeValues } from "./arbitraries.ts";
import { listEdges, toRange, toUsual } from "./numbers.ts";
import { fit, listOfFormat, toLongest, troubling } from "./strings.ts";
import { listVariants } from "./variants.ts";

/** A value, with what it tries. */
export interface Sample {
  readonly label: string;
  readonly value: Json;
}

/** The samples of a schema within others; those of the whole are as many as there are. */
const most = 40;
const deepest = 5;

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

const sampleText = (schema: Schema): readonly string[] => {
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
const toLeast = (schema: Schema, depth: number): Readonly<Record<string, Json>> | undefined => {
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

const wrong: Readonly<Record<TypeName, Json>> = {
  string: { not: "a string" },
  number: "not a number",
  integer: "not a number",
  boolean: "not a boolean",
  array: "not an array",
  object: "not an object",
};

/** Lists values that one keyword of a schema refuses: of another type, beyond a limit, with a property too few. */
export const listInvalid = (schema: Schema, depth = 0): readonly Sample[] => {
  if (depth > deepest) return [];
  const variants = listVariants(schema);
  const none = [{ no: "variant" }, "?"].map((value) => ({ label: "none of the variants", value }));
  const samples = [
    ...variants.flatMap((one) => listBroken(one, depth)),
    ...(variants.length > 1 ? none : []),
  ];
  const found = distinct(samples).filter(({ value }) => !accepts(schema, value));
  return depth === 0 ? found : found.slice(0, most);
};

const listBroken = (schema: Schema, depth: number): readonly Sample[] => {
  const { types = [], enum: values } = schema;
  const typed = types.map((type) => ({ label: `not of the type ${type}`, value: wrong[type] }));
  if (values) return [{ label: "not a member", value: "no such member" }, ...typed];
  const inner = types.flatMap((type) => {
    if (type === "string") return breakString(schema);
    if (type === "array") return breakArray(schema, depth);
    if (type === "object") return breakObject(schema, depth);
    return type === "boolean" ? [] : breakNumber({ ...schema, types: [type] });
  });
  return [...typed, ...inner];
};

const breakNumber = (schema: Schema): readonly Sample[] => {
  const { minimum, maximum, multipleOf, types } = schema;
  const usual = Math.max(minimum ?? 0, Math.min(0, maximum ?? 0));
  const step = multipleOf ?? (types?.includes("integer") ? 1 : 0.5);
  return [
    ...(types?.includes("integer")
      ? [{ label: "a fraction", value: Math.round(usual) + 0.5 }]
      : []),
    ...(minimum === undefined
      ? []
      : [
          { label: "the excluded minimum", value: minimum },
          { label: "below the minimum", value: minimum - step },
        ]),
    ...(maximum === undefined
      ? []
      : [
          { label: "the excluded maximum", value: maximum },
          { label: "above the maximum", value: maximum + step },
        ]),
    ...(multipleOf === undefined
      ? []
      : [{ label: "not a multiple", value: usual + multipleOf / 2 }]),
  ].filter(({ value }) => Number.isFinite(value));
};

const breakString = (schema: Schema): readonly Sample[] => {
  const { minLength = 0, maxLength = Infinity, format, patterns, contentEncoding } = schema;
  const [usual = "a"] = format === undefined && !patterns ? [] : sampleText(schema);
  return [
    ...(minLength > 0
      ? [
          {
            label: "too short",
            value: toCharacters(usual + "a".repeat(minLength))
              .slice(0, minLength - 1)
              .join(""),
          },
        ]
      : []),
    ...(maxLength <= 100_000
      ? [
          {
            label: "too long",
            value: usual + (usual.at(-1) ?? "a").repeat(Math.max(1, maxLength + 1 - usual.length)),
          },
        ]
      : []),
    ...(format !== undefined ? [{ label: `not of the format ${format}`, value: "?" }] : []),
    ...(contentEncoding === undefined ? [] : [{ label: `not ${contentEncoding}`, value: "§?" }]),
    ...(patterns
      ? ["§ ?", "", `${usual}§`].map((value) => ({ label: "against the pattern", value }))
      : []),
  ];
};

const breakArray = (schema: Schema, depth: number): readonly Sample[] => {
  const { prefixItems = [], items, minItems = 0, maxItems = Infinity, uniqueItems } = schema;
  if (prefixItems.length > 0) return breakTuple(prefixItems, depth);
  const item = items?.never ? undefined : listValid(items ?? {}, depth + 1)[0]?.value;
  if (item === undefined) return [];
  const fill = (count: number): Json[] => Array.from({ length: count }, () => item);
  return [
    ...(minItems > 0 ? [{ label: "too few items", value: fill(minItems - 1) }] : []),
    ...(maxItems <= 1000 ? [{ label: "too many items", value: fill(maxItems + 1) }] : []),
    ...(uniqueItems ? [{ label: "an item twice", value: fill(Math.max(2, minItems)) }] : []),
    ...listInvalid(items ?? {}, depth + 1)
      .slice(0, 5)
      .map(({ label, value }) => ({
        label: `an item ${label}`,
        value: [...fill(Math.max(0, minItems - 1)), value],
      })),
  ];
};

const breakTuple = (parts: readonly Schema[], depth: number): readonly Sample[] => {
  const tuple = parts.map(toSimplest) as Json[];
  return [
    { label: "too few items", value: tuple.slice(0, -1) },
    { label: "too many items", value: [...tuple, "?"] },
    ...parts.flatMap((part, at) =>
      listInvalid(part, depth + 1)
        .slice(0, 1)
        .map(({ label, value }) => ({
          label: `item ${at} ${label}`,
          value: tuple.with(at, value),
        })),
    ),
  ];
};

const breakObject = (schema: Schema, depth: number): readonly Sample[] => {
  const least = toLeast(schema, depth);
  if (!least) return [];
  const { required = [], properties = {}, additionalProperties } = schema;
  return [
    ...required.map((name) => {
      const { [name]: _left, ...rest } = least;
      return { label: `without ${name}`, value: rest };
    }),
    ...Object.entries(properties).flatMap(([name, one]) =>
      listInvalid(one, depth + 1).map(({ label, value }) => ({
        label: `${name}: ${label}`,
        value: { ...least, [name]: value },
      })),
    ),
    ...(additionalProperties?.never
      ? [{ label: "an unknown field", value: { ...least, unknownField: "?" } }]
      : []),
    ...(additionalProperties && Object.keys(properties).length === 0
      ? listInvalid(additionalProperties, depth + 1)
          .slice(0, 1)
          .map(({ label, value }) => ({ label: `an entry ${label}`, value: { a: value } }))
      : []),
  ];
};

/** Replaces the parts of a value that are of one kind, wherever they are; undefined for those that stay. */
type Theme = (schema: Schema) => Json | undefined;

const isText = ({ types, enum: values }: Schema): boolean =>
  values === undefined && types?.includes("string") === true;

const textThemes = Object.entries(troubling).map(([label, text]): readonly [string, Theme] => [
  `texts with ${label}`,
  (schema) => (isText(schema) ? fit(text, schema) : undefined),
]);

const longTheme: readonly [string, Theme] = [
  "very long texts",
  (schema) => (isText(schema) ? toLongest(schema) : undefined),
];

/** The edges of all numbers at once, then those before these, and so on. */
const numberThemes = Array.from({ length: 20 }, (_, at): readonly [string, Theme] => [
  "numbers apart from others",
  ({ types = [], enum: values, ...schema }) => {
    const type = types.find((one) => one === "integer" || one === "number");
    const range = type && !values ? toRange({ ...schema, types: [type] }) : undefined;
    return range && listEdges(range)[at];
  },
]);

const formatThemes = Array.from({ length: 9 }, (_, at): readonly [string, Theme] => [
  "values of formats apart from others",
  ({ format }) => {
    const known = listOfFormat(format);
    return known.length > 0 ? known[at % known.length] : undefined;
  },
]);

const sizeThemes = [0, 1, 11, 1000].map((count): readonly [string, Theme] => [
  `lists of ${count} items`,
  ({ types, items, prefixItems, minItems = 0, maxItems = Infinity }) => {
    if (!types?.includes("array") || prefixItems || items?.never) return undefined;
    if (count < minItems || count > maxItems) return undefined;
    const all = listValid(items ?? {}, 2).map(({ value }) => value);
    return all.length > 0
      ? Array.from({ length: count }, (_, at) => all[at % all.length] ?? null)
      : undefined;
  },
]);

const themes = [...textThemes, longTheme, ...numberThemes, ...formatThemes, ...sizeThemes];

/**
 * Lists values that servers are known to stumble over, each in all places of a schema that accept it: quotes, control
 * characters, numbers beyond 32 bits, leap days, lists of no and of many items, and fields that nobody declares.
 */
export const listTroubling = (schema: Schema): readonly Sample[] => {
  const full = paint(schema, () => undefined, 0);
  if (full === undefined) return [];
  const painted = themes.flatMap(([label, theme]) => {
    const value = paint(schema, theme, 0);
    return value === undefined ? [] : [{ label, value }];
  });
  const unknown = isObject(full)
    ? [{ label: "a field that nobody declares", value: { ...full, unknownField: "'" } }]
    : [];
  return distinct([{ label: "all fields", value: full }, ...painted, ...unknown])
    .slice(1)
    .filter(({ value }) => accepts(schema, value));
};

/** Makes a value with everything that a schema names, in which a theme replaces what it can. */
const paint = (schema: Schema, theme: Theme, depth: number): Json | undefined => {
  if (depth > deepest) return toSimplest(schema);
  const own = theme(schema);
  if (own !== undefined && accepts(schema, own)) return own;
  const variant =
    listVariants(schema).find(
      (one) => one.types?.includes("object") || one.types?.includes("array"),
    ) ?? schema;
  const { types = [], properties, required = [], items, minItems = 0, prefixItems } = variant;
  if (types.includes("object") && properties) {
    const entries = Object.entries(properties).flatMap(([name, one]) => {
      // beneath, there may be thousands
      const isLeftOut = depth > 2 && !required.includes(name);
      const value = isLeftOut ? undefined : paint(one, theme, depth + 1);
      return value === undefined ? [] : [[name, value] as const];
    });
    const value = Object.fromEntries(entries);
    if (accepts(schema, value)) return value;
    const needed = Object.fromEntries(entries.filter(([name]) => required.includes(name)));
    return accepts(schema, needed) ? needed : toSimplest(schema);
  }
  if (types.includes("array") && !prefixItems && items && !items.never && minItems <= 1) {
    const item = paint(items, theme, depth + 1);
    if (item !== undefined && accepts(schema, [item])) return [item];
  }
  const themed = listVariants(schema)
    .map(theme)
    .find((one) => one !== undefined && accepts(schema, one));
  return themed ?? toSimplest(schema);
};
