import { isObject, type Json } from "../json.ts";
import type { Schema } from "../schema/schema.ts";
import { accepts } from "../schema/validate.ts";
import { listEdges, toRange } from "./numbers.ts";
import { deepest, distinct, listValid, toSimplest, type Sample } from "./samples.ts";
import { fit, listOfFormat, toLongest, troubling } from "./strings.ts";
import { listVariants } from "./variants.ts";

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
