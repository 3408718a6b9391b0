import { accepts, listVariants, readOwn, type Json, type Schema } from "@sallyport/document";

/** A value as text carries it: numbers and booleans are strings. */
export type Raw = string | readonly Raw[] | RawFields;

export interface RawFields {
  readonly [name: string]: Raw;
}

/** Returns the value of a schema that text stands for; what stands for none is returned as nearly as possible. */
export const toTyped = (schema: Schema, raw: Raw): Json => {
  const found = listVariants(schema).flatMap((one) => listReadings(one, raw));
  return found.find((one) => accepts(schema, one)) ?? found[0] ?? raw;
};

const listReadings = (schema: Schema, raw: Raw): readonly Json[] => {
  const { types, nullable, prefixItems = [], items = {} } = schema;
  const takes = (...names: readonly string[]): boolean =>
    types === undefined || types.some((one) => names.includes(one));
  if (typeof raw !== "string" && !isList(raw))
    return [
      Object.fromEntries(
        Object.entries(raw).map(([name, value]) => [
          name,
          toTyped(readOwn(schema.properties, name) ?? schema.additionalProperties ?? {}, value),
        ]),
      ),
    ];
  const toItem = (one: Raw, at: number): Json => toTyped(prefixItems[at] ?? items, one);
  if (isList(raw)) return [raw.map(toItem)];
  return [
    ...(types && takes("array") && !/^\s*\[/.test(raw) ? [[toItem(raw, 0)]] : []),
    ...(takes("integer", "number") && /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(raw)
      ? [Number(raw)]
      : []),
    ...(takes("boolean") && /^(?:true|false)$/.test(raw) ? [raw === "true"] : []),
    ...(takes("array", "object") ? parseJson(raw) : []),
    ...(nullable && /^(?:null)?$/.test(raw) ? [null] : []),
    raw,
  ];
};

/** `Array.isArray` does not tell lists that are read-only. */
const isList = (raw: Raw): raw is readonly Raw[] => Array.isArray(raw);

const parseJson = (text: string): readonly Json[] => {
  if (!/^\s*[[{]/.test(text)) return [];
  try {
    return [JSON.parse(text) as Json];
  } catch {
    return [];
  }
};

/** Nests the fields of a form or a query by their brackets, as in `filter[name]`, `ids[]` and `items[0][id]`. */
export const nestFields = (pairs: Iterable<readonly [string, Raw]>): RawFields => {
  const whole: Branch = new Map();
  for (const [name, value] of pairs) {
    const [, first = name, rest = ""] = /^([^[]+)((?:\[[^\]]*\])*)$/.exec(name) ?? [];
    const keys = [first, ...[...rest.matchAll(/\[([^\]]*)\]/g)].map(([, key = ""]) => key)];
    let branch = whole;
    for (const [at, key] of keys.entries()) {
      const own = key === "" ? String(branch.size) : key;
      const known = branch.get(own);
      if (at === keys.length - 1) branch.set(own, addValue(known, value));
      else if (known instanceof Map) branch = known;
      else {
        const inner: Branch = new Map();
        branch.set(own, inner);
        branch = inner;
      }
    }
  }
  return toFields(whole);
};

type Branch = Map<string, Branch | Raw>;

const addValue = (known: Branch | Raw | undefined, value: Raw): Raw => {
  if (known === undefined || known instanceof Map) return value;
  return [...(isList(known) ? known : [known]), value];
};

const toFields = (branch: Branch): RawFields =>
  Object.fromEntries(
    [...branch].map(([name, value]) => [name, value instanceof Map ? toNested(value) : value]),
  );

/** Names that count from zero are those of a list. */
const toNested = (branch: Branch): Raw => {
  const fields = toFields(branch);
  const isCounted = Object.keys(fields).every((name, at) => name === String(at));
  return isCounted ? Object.values(fields) : fields;
};
