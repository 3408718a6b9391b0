import {
  compact,
  isObject,
  toList,
  toObject,
  toText,
  type Json,
  type JsonObject,
} from "../json.ts";
import type { Resolver } from "../read/resolver.ts";
import { Combiner } from "./combine.ts";
import { areDisjoint } from "./disjoint.ts";
import { toLifecycle } from "./lifecycle.ts";
import {
  hasOwnWords,
  isEmpty,
  listParts,
  listVariants,
  toCurrent,
  toReference,
} from "./raw-schema.ts";
import { isInfinite, readBound } from "./read-bound.ts";
import {
  childKeys,
  listChildren,
  mapKeys,
  sortEntries,
  type Schema,
  type TypeName,
} from "./schema.ts";
import { dedupe, settle } from "./settle.ts";
import { accepts } from "./validate.ts";

const numberKeys = [
  ...["multipleOf", "maxLength", "maxItems", "maxProperties", "minContains", "maxContains"],
  // a minimum of zero states nothing
  ...["minLength", "minItems", "minProperties"],
];

/**
 * Converts the schemas of one document, of OpenAPI 3.0 to 3.2, to normal form. What is within a schema is converted
 * later, so that recursive schemas end; {@link finish} converts what is left.
 */
export class SchemaNormaliser {
  readonly #resolver: Resolver;
  readonly #combiner = new Combiner();
  readonly #known = new Map<object, Schema>();
  /** What has been converted since the last {@link finish}. */
  #waiting: Schema[] = [];
  readonly #finished = new Set<Schema>();
  /** The parents of `allOf` without their unions, and what these were made from. */
  readonly #parents = new Map<JsonObject, JsonObject>();
  readonly #originals = new Map<JsonObject, JsonObject>();

  constructor(resolver: Resolver) {
    this.#resolver = resolver;
  }

  /** Returns the normal form of a schema, which is filled by {@link finish} at the latest. */
  convert(given: Json | undefined, file: string): Schema {
    if (given === false) return { never: true };
    if (!isObject(given)) return {};
    const [raw, rawFile] = this.#locate(given, file);
    if (!isObject(raw)) return this.convert(raw, rawFile);
    const known = this.#known.get(raw);
    if (known) return known;
    const schema: Schema = {};
    this.#known.set(raw, schema);
    this.#waiting.push(schema);
    return this.#combiner.later(schema, () => Object.assign(schema, this.#read(raw, rawFile)));
  }

  finish(): void {
    this.#combiner.finish();
    const waiting = this.#waiting;
    this.#waiting = [];
    for (let schema = waiting.pop(); schema; schema = waiting.pop()) {
      if (this.#finished.has(schema)) continue;
      this.#finished.add(schema);
      for (const child of listChildren(schema)) waiting.push(child);
      // exactly one variant matches if no two can
      if (schema.exclusive && isPartition(schema.anyOf ?? [])) delete schema.exclusive;
    }
  }

  /** Follows a reference, unless it has keywords of its own. */
  #locate(given: JsonObject, file: string): readonly [raw: Json, file: string] {
    const raw = toReference(given);
    return hasOwnWords(raw) ? [raw, file] : this.#resolver.resolve(raw, file);
  }

  #read(raw: JsonObject, file: string): Schema {
    const parts = listParts(raw).map((part) => this.#readPart(part, file, raw));
    const own = this.#readOwn(raw, file);
    let schema = parts.reduceRight((rest, part) => this.#combiner.merge(part, rest), own);
    for (const key of ["anyOf", "oneOf"] as const)
      if (Array.isArray(raw[key])) schema = this.#addUnion(schema, raw, key, file);
    const settled = settle(schema);
    // 3.0 states it beside a reference or a union, which does not accept null itself
    return raw["nullable"] === true ? { ...settled, nullable: true } : settled;
  }

  /** Reads a part of `allOf`: without its union if that leads back to the whole, as where a parent lists its children. */
  #readPart(given: Json, file: string, whole: JsonObject): Schema {
    const [raw, rawFile] = isObject(given) ? this.#locate(given, file) : [given, file];
    const isParent =
      isObject(raw) &&
      this.#leadsTo(this.#originals.get(whole) ?? whole, listVariants(raw), rawFile);
    if (!isParent) return this.#combiner.fill(this.convert(given, file));
    const { anyOf: _any, oneOf: _one, discriminator: _property, ...rest } = raw;
    const parent = this.#parents.get(raw) ?? rest;
    this.#parents.set(raw, parent);
    this.#originals.set(parent, raw);
    return this.#combiner.fill(this.convert(parent, rawFile));
  }

  /** Checks whether schemas consist of another one, directly or through others. */
  #leadsTo(
    target: JsonObject,
    given: readonly Json[],
    file: string,
    list = (raw: JsonObject): readonly Json[] => [...listParts(raw), ...listVariants(raw)],
    seen = new Set<Json>(),
  ): boolean {
    return given.some((one) => {
      const [raw, rawFile] = isObject(one) ? this.#locate(one, file) : [one, file];
      if (raw === target) return true;
      if (!isObject(raw) || seen.has(raw)) return false;
      seen.add(raw);
      return this.#leadsTo(target, list(raw), rawFile, list, seen);
    });
  }

  #addUnion(schema: Schema, raw: JsonObject, key: "anyOf" | "oneOf", file: string): Schema {
    const given = toList(raw[key])
      // a variant that is the union itself adds nothing
      .filter((one) => !this.#leadsTo(raw, [one], file, listVariants))
      .map((one) => this.#combiner.fill(this.convert(one, file)));
    const takers = given.filter((one) => accepts(one, null)).length;
    // what more than one variant accepts is refused
    const all = key === "oneOf" && takers > 1 ? given.map(withoutNull) : given;
    const isNull = (one: Schema): boolean => one.nullable === true && one.types?.length === 0;
    const apart = [...new Set(all.filter((one) => !isNull(one) && !one.never))];
    const variants =
      key === "anyOf" || isPartition(apart.filter(isList)) ? joinValues(apart) : apart;
    const isOpen = schema.types === undefined || schema.implied === true;
    const acceptsNull = isOpen && (key === "anyOf" ? takers > 0 : takers === 1);
    const own: Schema = acceptsNull ? { ...schema, nullable: true } : schema;
    const [only] = variants;
    if (!only) {
      if (all.length === 0) return own;
      // each variant accepts null alone, or nothing
      return acceptsNull ? { ...own, types: [] } : { never: true };
    }
    if (variants.length === 1) {
      const merged = this.#combiner.merge(schema, only);
      return acceptsNull ? { ...merged, nullable: true } : merged;
    }
    if (variants.every(isPlainType) && (key === "anyOf" || isPartition(variants)))
      return this.#combiner.merge(
        schema,
        compact<Schema>({
          types: toTypes(variants.flatMap(({ types = [] }) => types)),
          nullable: acceptsNull || undefined,
        }),
      );
    // types beside a union are those of its variants
    const { types, implied, ...others } = own;
    const isTyped =
      types !== undefined && !implied && Object.keys(others).every((name) => besideUnion.has(name));
    const union = compact<Schema>({
      anyOf: isTyped
        ? variants.map((one) => settle(this.#combiner.merge({ types }, one)))
        : variants,
      exclusive: key === "oneOf" || undefined,
      nullable: acceptsNull || undefined,
      mapping: this.#nameVariants(raw, key, own, file),
    });
    if (isTyped) return { ...others, ...union };
    return own.anyOf ? { ...own, allOf: [...(own.allOf ?? []), union] } : { ...own, ...union };
  }

  /** Adds the names that a discriminator gives to variants which its mapping does not list: those of their components. */
  #nameVariants(
    raw: JsonObject,
    key: "anyOf" | "oneOf",
    { discriminator, mapping = {} }: Schema,
    file: string,
  ): Schema["mapping"] {
    if (discriminator === undefined) return undefined;
    const listed = new Set(Object.values(mapping));
    const names = toList(raw[key]).flatMap((one) => {
      const reference = toObject(one)["$ref"];
      const name = typeof reference === "string" ? /[^/]+$/.exec(reference)?.[0] : undefined;
      const variant = this.convert(one, file);
      return name === undefined || listed.has(variant) ? [] : [[name, variant] as const];
    });
    return { ...Object.fromEntries(names), ...mapping };
  }

  #readOwn(given: JsonObject, file: string): Schema {
    const raw = toCurrent(given);
    const type = raw["type"];
    const names = type === undefined ? undefined : [type].flat().map(toText);
    const values = "const" in raw ? [raw["const"]] : raw["enum"];
    const list = Array.isArray(values) ? (values as readonly Json[]) : undefined;
    const isNull = list !== undefined && list.length > 0 && list.every((value) => value === null);
    const admitsNull =
      names === undefined
        ? list?.includes(null)
        : names.includes("null") && list?.includes(null) !== false;
    const { discriminator } = raw;
    const numbers = numberKeys.flatMap((key) => {
      const value = raw[key];
      const isMinimum = key.startsWith("min") && key !== "minContains";
      return typeof value === "number" && !isInfinite(value) && !(isMinimum && value === 0)
        ? [[key, value]]
        : [];
    });
    const texts = ["format", "contentEncoding", "contentMediaType"].flatMap((key) =>
      typeof raw[key] === "string" ? [[key, raw[key]]] : [],
    );
    const flags = ["readOnly", "writeOnly", "uniqueItems"].flatMap((key) =>
      raw[key] === true ? [[key, true]] : [],
    );
    const examples = [
      ...(raw["example"] === undefined ? [] : [raw["example"]]),
      ...toList(raw["examples"]),
    ];
    return compact<Schema>({
      ...(Object.fromEntries([...numbers, ...texts, ...flags]) as Schema),
      types: isNull ? [] : names && toTypes(names),
      nullable: admitsNull || raw["nullable"] === true || undefined,
      enum: isNull ? undefined : list && dedupe(list.filter((value) => value !== null)),
      extensible: toNames(raw["x-extensible-enum"]),
      patterns:
        typeof raw["pattern"] === "string" && raw["pattern"] !== "" ? [raw["pattern"]] : undefined,
      ...readBound(raw, "minimum"),
      ...readBound(raw, "maximum"),
      required: toNames(raw["required"]),
      dependentRequired: isObject(raw["dependentRequired"])
        ? Object.fromEntries(
            sortEntries(Object.entries(raw["dependentRequired"])).map(([name, needed]) => [
              name,
              toNames(needed) ?? [],
            ]),
          )
        : undefined,
      default: raw["default"],
      examples: examples.length > 0 ? examples : undefined,
      ...toLifecycle(raw),
      discriminator: isObject(discriminator) ? toText(discriminator["propertyName"]) : undefined,
      mapping:
        isObject(discriminator) && isObject(discriminator["mapping"])
          ? this.#readMapping(discriminator["mapping"], file)
          : undefined,
      ...this.#readChildren(raw, file),
    });
  }

  #readMapping(mapping: JsonObject, file: string): Record<string, Schema> {
    return Object.fromEntries(
      Object.entries(mapping).map(([value, target]) => {
        // a plain name is that of a component
        const $ref = /[#./]/.test(toText(target))
          ? toText(target)
          : `#/components/schemas/${toText(target)}`;
        return [value, this.convert({ $ref }, file)];
      }),
    );
  }

  #readChildren(raw: JsonObject, file: string): Schema {
    const children: Record<string, object> = {};
    for (const key of mapKeys)
      if (key !== "mapping" && isObject(raw[key]) && Object.keys(raw[key]).length > 0)
        children[key] = Object.fromEntries(
          Object.entries(raw[key]).map(([name, child]) => [name, this.convert(child, file)]),
        );
    for (const key of childKeys) {
      // a branch without a condition says nothing
      if ((key === "then" || key === "else") && raw["if"] === undefined) continue;
      const isTelling = raw[key] === false || (isObject(raw[key]) && !isEmpty(raw[key]));
      // elsewhere, `true` and an empty schema accept what is accepted anyway
      if (isTelling || (raw[key] !== undefined && tellingIfEmpty.has(key)))
        children[key] = this.convert(raw[key], file);
    }
    if (Array.isArray(raw["prefixItems"]))
      children["prefixItems"] = toList(raw["prefixItems"]).map((one) => this.convert(one, file));
    return children;
  }
}

const tellingIfEmpty: ReadonlySet<string> = new Set(["contains", "if", "not"]);

const isPlainType = (schema: Schema): boolean =>
  schema.types !== undefined &&
  !schema.implied &&
  Object.keys(schema).every((key) => key === "types" || key === "nullable" || key === "examples");

const isPartition = (variants: readonly Schema[]): boolean =>
  variants.every((one, at) => variants.slice(at + 1).every((other) => areDisjoint(one, other)));

const valueKeys: ReadonlySet<string> = new Set(["types", "nullable", "enum", "examples"]);

const withoutNull = ({ nullable: _nullable, ...schema }: Schema): Schema => {
  if (schema.anyOf) return { ...schema, anyOf: schema.anyOf.map(withoutNull) };
  if (schema.types?.length === 0) return { never: true };
  const isOpen = !schema.types && !schema.enum;
  return isOpen ? { ...schema, types: ["array", "boolean", "number", "object", "string"] } : schema;
};

const isList = (schema: Schema): boolean =>
  schema.enum !== undefined && Object.keys(schema).every((key) => valueKeys.has(key));

/** Joins variants that only list values of one type, such as constants: together, they are one list. */
const joinValues = (variants: Iterable<Schema>): readonly Schema[] => {
  const joined = new Map<Schema | string, Schema>();
  for (const one of variants) {
    const key = isList(one) ? String(one.types) : one;
    const other = joined.get(key);
    const values = [...(other?.enum ?? []), ...(one.enum ?? [])];
    joined.set(key, other ? settle({ ...other, ...one, enum: values }) : one);
  }
  return [...joined.values()];
};

/** Keywords beside a union that do not restrict values. */
const besideUnion: ReadonlySet<string> = new Set([
  ...["nullable", "discriminator", "mapping", "default", "deprecated", "sunset", "stability"],
  ...["readOnly", "writeOnly", "examples"],
]);

const toTypes = (names: readonly string[]): readonly TypeName[] => {
  const types = new Set(names.filter((name) => name !== "null"));
  // each integer is a number
  if (types.has("number")) types.delete("integer");
  return [...types].toSorted() as TypeName[];
};

const toNames = (given: Json | undefined): readonly string[] | undefined => {
  const names = [...new Set(toList(given).map(toText))].toSorted();
  return names.length > 0 ? names : undefined;
};
