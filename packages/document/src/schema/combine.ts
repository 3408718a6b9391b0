import { readOwn, toStableText, type Json } from "../json.ts";
import { settle } from "./settle.ts";
import { matches } from "./patterns.ts";
import { childKeys, mapKeys, type Schema, type TypeName } from "./schema.ts";

/** Returns the schema of values that both accept; their own children are combined later. */
type Both = (one: Schema, other: Schema) => Schema;

/** How two values of a keyword become one, where the later one does not simply take precedence. */
const combine: { readonly [Key in keyof Schema]?: (one: never, other: never) => Schema[Key] } = {
  enum: (one: readonly Json[], other: readonly Json[]) => {
    const known = new Set(other.map(toStableText));
    return one.filter((value) => known.has(toStableText(value)));
  },
  patterns: (one: readonly string[], other: readonly string[]) => unite(one, other),
  required: (one: readonly string[], other: readonly string[]) => unite(one, other),
  multipleOf: (one: number, other: number) => toMultiple(one, other),
};

const highest: ReadonlySet<string> = new Set([
  "minLength",
  "minItems",
  "minProperties",
  "minContains",
]);
const lowest: ReadonlySet<string> = new Set([
  "maxLength",
  "maxItems",
  "maxProperties",
  "maxContains",
]);

/** Returns the least common multiple, also of fractions such as 0.1. */
const toMultiple = (one: number, other: number): number => {
  const scale = 10 ** Math.max(countDecimals(one), countDecimals(other));
  const [left, right] = [Math.round(one * scale), Math.round(other * scale)];
  return ((left / toDivisor(left, right)) * right) / scale;
};

const countDecimals = (value: number): number => {
  const [, decimals = "", power = "0"] = /^[^.e]*(?:\.(\d+))?(?:e(.+))?$/.exec(String(value)) ?? [];
  return Math.max(0, decimals.length - Number(power));
};

const toDivisor = (one: number, other: number): number =>
  other === 0 ? one : toDivisor(other, one % other);

const unite = (one: readonly string[], other: readonly string[]): readonly string[] =>
  [...new Set([...one, ...other])].toSorted();

const meetTypes = (one: readonly TypeName[], other: readonly TypeName[]): readonly TypeName[] =>
  one.flatMap((type) => {
    if (other.includes(type)) return [type];
    if (type === "integer" && other.includes("number")) return [type];
    return type === "number" && other.includes("integer") ? ["integer" as const] : [];
  });

/** Types that are stated count more than implied ones; those that both imply add up. */
const mergeTypes = (one: Schema, other: Schema): Schema => {
  if (!one.types || !other.types) return one.implied || other.implied ? { implied: true } : {};
  if (one.implied && other.implied)
    return { implied: true, types: [...new Set([...one.types, ...other.types])].toSorted() };
  if (one.implied) return { types: other.types };
  return { types: other.implied ? one.types : meetTypes(one.types, other.types) };
};

/** Combines what `allOf` lists into one schema; what cannot be combined stays in its `allOf`. */
const merge = (one: Schema, other: Schema, both: Both): Schema => {
  if (one.never || other.never) return { never: true };
  const merged: Record<string, unknown> = { ...one, ...other };
  for (const key of Object.keys(one) as (keyof Schema)[]) {
    const [left, right] = [one[key], other[key]];
    if (left === undefined || right === undefined) continue;
    const rule = combine[key];
    if (rule) merged[key] = rule(left as never, right as never);
    else if (highest.has(key)) merged[key] = Math.max(Number(left), Number(right));
    else if (lowest.has(key)) merged[key] = Math.min(Number(left), Number(right));
    else if ((childKeys as readonly string[]).includes(key) && key !== "not" && !isCondition(key))
      merged[key] = both(left as Schema, right as Schema);
    else if ((mapKeys as readonly string[]).includes(key))
      merged[key] = mergeMaps(
        left as Record<string, Schema>,
        right as Record<string, Schema>,
        both,
      );
  }
  delete merged["implied"];
  Object.assign(merged, mergeBounds(one, other), mergeTypes(one, other));
  if (one.properties || other.properties) merged["properties"] = mergeProperties(one, other, both);
  if (!isNullable(one) || !isNullable(other)) delete merged["nullable"];
  else if (one.nullable || other.nullable) merged["nullable"] = true;
  const rest = [...(one.allOf ?? []), ...(other.allOf ?? [])];
  // only one union, negation or condition has a place; the other stays a schema of its own
  const apartKeys = [
    ...(clash(one, other) ? [unionKeys] : []),
    ...(clashItems(one, other) ? [itemKeys] : []),
    ...(clashNames(one, other) ? [nameKeys] : []),
  ];
  for (const keys of apartKeys) {
    const apart = Object.entries(other).filter(([key]) => keys.includes(key as keyof Schema));
    for (const key of keys) merged[key] = one[key];
    rest.push(Object.fromEntries(apart) as Schema);
  }
  if (one.format !== undefined && other.format !== undefined && one.format !== other.format)
    rest.push({ format: one.format });
  if (rest.length > 0) merged["allOf"] = rest;
  return Object.fromEntries(
    Object.entries(merged).filter(([, value]) => value !== undefined),
  ) as Schema;
};

const unionKeys: readonly (keyof Schema)[] = [
  ...(["anyOf", "exclusive", "not", "if", "then", "else"] as const),
];
const itemKeys: readonly (keyof Schema)[] = ["prefixItems", "items"];
const nameKeys: readonly (keyof Schema)[] = [
  "properties",
  "patternProperties",
  "additionalProperties",
];

const isCondition = (key: string): boolean => key === "if" || key === "then" || key === "else";

const clash = (one: Schema, other: Schema): boolean =>
  (["anyOf", "not", "if"] as const).some(
    (key) => one[key] !== undefined && other[key] !== undefined && one[key] !== other[key],
  );

/** Whether items are within a tuple of one schema, and any items of the other one. */
const clashItems = (one: Schema, other: Schema): boolean =>
  one.prefixItems !== other.prefixItems &&
  [one, other].every(({ prefixItems, items }) => prefixItems ?? items);

/** Whether names of a pattern are additional ones of the other schema, so that both would count. */
const clashNames = (one: Schema, other: Schema): boolean =>
  [
    [one, other],
    [other, one],
  ].some(
    ([named, rest]) =>
      rest?.additionalProperties &&
      Object.keys(named?.patternProperties ?? {}).some(
        (pattern) => readOwn(rest.patternProperties, pattern) === undefined,
      ),
  );

const isNullable = ({ nullable, implied, types, enum: values, anyOf }: Schema): boolean =>
  nullable === true ||
  ((implied || types === undefined) && values === undefined && anyOf === undefined);

const mergeMaps = (
  one: Readonly<Record<string, Schema>>,
  other: Readonly<Record<string, Schema>>,
  both: Both,
): Readonly<Record<string, Schema>> =>
  Object.fromEntries(
    Object.entries({ ...one, ...other }).map(([name, schema]) => {
      const [left, right] = [readOwn(one, name), readOwn(other, name)];
      return [name, left && right ? both(left, right) : schema];
    }),
  );

/** A property that only one side declares is subject to the other's additional properties. */
const mergeProperties = (one: Schema, other: Schema, both: Both): Record<string, Schema> => {
  const merged: Record<string, Schema> = {};
  for (const name of Object.keys({ ...one.properties, ...other.properties })) {
    const [left, right] = [one, other].map((side) => findProperty(side, name));
    if (left?.never || right?.never) continue;
    const schema = left && right ? both(left, right) : (left ?? right);
    if (schema) merged[name] = schema;
  }
  return merged;
};

const findProperty = (
  { properties, patternProperties = {}, additionalProperties }: Schema,
  name: string,
): Schema | undefined =>
  readOwn(properties, name) ??
  (Object.keys(patternProperties).some((pattern) => matches(pattern, name))
    ? undefined
    : additionalProperties);

const mergeBounds = (one: Schema, other: Schema): Schema => {
  const bounds: Schema = {};
  for (const [key, open, sign] of [
    ["minimum", "openMinimum", 1],
    ["maximum", "openMaximum", -1],
  ] as const) {
    const [left, right] = [one[key], other[key]];
    if (left === undefined || right === undefined) continue;
    const tighter = sign * (left - right) > 0 ? one : other;
    const isOpen = left === right ? one[open] || other[open] : tighter[open];
    Object.assign(bounds, { [key]: tighter[key], [open]: isOpen });
  }
  return bounds;
};

/** Combines schemas; what is within them is combined later, so that recursive schemas end. */
export class Combiner {
  /** The schemas that a combination consists of. */
  readonly #atoms = new Map<Schema, readonly Schema[]>();
  readonly #ids = new Map<Schema, number>();
  readonly #combinations = new Map<string, Schema>();
  readonly #waiting = new Map<Schema, () => void>();

  /** Fills a schema when it is needed, or by {@link finish} at the latest. */
  later(schema: Schema, fill: () => void): Schema {
    this.#waiting.set(schema, fill);
    return schema;
  }

  /** Fills a schema now, unless that has been done or has begun. */
  fill(schema: Schema): Schema {
    const fill = this.#waiting.get(schema);
    this.#waiting.delete(schema);
    fill?.();
    return schema;
  }

  finish(): void {
    for (const schema of this.#waiting.keys()) this.fill(schema);
  }

  merge(one: Schema, other: Schema): Schema {
    return merge(one, other, this.#both);
  }

  /**
   * Returns the schema of values that both accept. The same schemas make the same combination, however often each counts:
   * otherwise, recursive ones that override a property would be combined forever.
   */
  readonly #both = (one: Schema, other: Schema): Schema => {
    const parts = [one, other].flatMap((part) => this.#atoms.get(part) ?? [part]);
    const atoms = [...new Set(parts)];
    const [first] = atoms;
    if (first && atoms.length === 1) return first;
    const key = atoms
      .map((atom) => this.#toId(atom))
      .toSorted((left, right) => left - right)
      .join();
    const known = this.#combinations.get(key);
    if (known) return known;
    const schema: Schema = {};
    this.#combinations.set(key, schema);
    this.#atoms.set(schema, atoms);
    return this.later(schema, () => {
      const merged = atoms
        .map((atom) => this.fill(atom))
        .reduce((all, atom) => this.merge(all, atom));
      Object.assign(schema, settle(merged));
    });
  };

  #toId(schema: Schema): number {
    const id = this.#ids.get(schema) ?? this.#ids.size;
    this.#ids.set(schema, id);
    return id;
  }
}

const known = new WeakMap<Schema, WeakMap<Schema, Schema>>();

/** Returns the schema of values that both accept. */
export const meet = (one: Schema, other: Schema): Schema => {
  const others = known.get(one) ?? new WeakMap<Schema, Schema>();
  known.set(one, others);
  const found = others.get(other);
  if (found) return found;
  const combiner = new Combiner();
  const schema = settle(combiner.merge(one, other));
  others.set(other, schema);
  combiner.finish();
  return schema;
};
