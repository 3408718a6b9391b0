import {
  compact,
  isObject,
  toList,
  toStableText,
  type Json,
  type JsonObject,
  toText,
} from "./json.ts";
import { merge } from "./merge-schemas.ts";
import type { Resolver } from "./resolver.ts";
import { childKeys, mapKeys, sortEntries, sortJson, type Schema, type TypeName } from "./schema.ts";
import { toLifecycle } from "./lifecycle.ts";
import { readBound } from "./read-bound.ts";

const numberKeys = [
  ...["multipleOf", "maxLength", "maxItems", "maxProperties", "minContains", "maxContains"],
  // a minimum of zero states nothing
  ...["minLength", "minItems", "minProperties"],
];

/** Keywords that say nothing about values, so a schema of these alone accepts anything. */
const annotations: ReadonlySet<string> = new Set([
  ...["$anchor", "$comment", "$defs", "$id", "$ref", "$schema", "description", "example"],
  ...["examples", "externalDocs", "summary", "title", "xml"],
]);

/**
 * Converts the schemas of one document, of OpenAPI 3.0 to 3.2, to normal form. What is within a schema is converted
 * later, so that recursive schemas end; {@link finish} converts what is left.
 */
export class SchemaNormaliser {
  readonly #resolver: Resolver;
  readonly #known = new Map<object, Schema>();
  /** The schemas that a combination consists of. */
  readonly #atoms = new Map<Schema, readonly Schema[]>();
  readonly #ids = new Map<Schema, number>();
  readonly #combinations = new Map<string, Schema>();
  readonly #waiting = new Map<Schema, () => void>();
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
    return this.#later(schema, () => Object.assign(schema, this.#read(raw, rawFile)));
  }

  finish(): void {
    for (const schema of this.#waiting.keys()) this.#fill(schema);
  }

  /** Follows a reference, unless it has keywords of its own. */
  #locate(given: JsonObject, file: string): readonly [raw: Json, file: string] {
    return this.#hasOwnWords(given) ? [given, file] : this.#resolver.resolve(given, file);
  }

  /** Whether a reference has keywords beside it, which count as of OpenAPI 3.1. */
  #hasOwnWords(raw: JsonObject): boolean {
    return Object.keys(raw).some((key) => !annotations.has(key) && !key.startsWith("x-"));
  }

  #later(schema: Schema, fill: () => void): Schema {
    this.#waiting.set(schema, fill);
    return schema;
  }

  /** Fills a schema now, unless that has been done or has begun. */
  #fill(schema: Schema): Schema {
    const fill = this.#waiting.get(schema);
    this.#waiting.delete(schema);
    fill?.();
    return schema;
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
    return this.#later(schema, () =>
      Object.assign(
        schema,
        atoms.map((atom) => this.#fill(atom)).reduce((all, atom) => merge(all, atom, this.#both)),
      ),
    );
  };

  #toId(schema: Schema): number {
    const id = this.#ids.get(schema) ?? this.#ids.size;
    this.#ids.set(schema, id);
    return id;
  }

  #read(raw: JsonObject, file: string): Schema {
    const parts = listParts(raw).map((part) => this.#readPart(part, file, raw));
    const own = this.#readOwn(raw, file);
    let schema = parts.reduceRight((rest, part) => merge(part, rest, this.#both), own);
    for (const key of ["anyOf", "oneOf"] as const)
      if (Array.isArray(raw[key])) schema = this.#addUnion(schema, toList(raw[key]), key, file);
    // 3.0 states it beside a reference or a union, which does not accept null itself
    return raw["nullable"] === true ? { ...schema, nullable: true } : settle(schema);
  }

  /** Reads a part of `allOf`: without its union if that leads back to the whole, as where a parent lists its children. */
  #readPart(given: Json, file: string, whole: JsonObject): Schema {
    const [raw, rawFile] = isObject(given) ? this.#locate(given, file) : [given, file];
    const isParent =
      isObject(raw) &&
      this.#leadsTo(this.#originals.get(whole) ?? whole, listVariants(raw), rawFile);
    if (!isParent) return this.#fill(this.convert(given, file));
    const { anyOf: _any, oneOf: _one, discriminator: _property, ...rest } = raw;
    const parent = this.#parents.get(raw) ?? rest;
    this.#parents.set(raw, parent);
    this.#originals.set(parent, raw);
    return this.#fill(this.convert(parent, rawFile));
  }

  /** Checks whether schemas consist of another one, directly or through others. */
  #leadsTo(
    target: JsonObject,
    given: readonly Json[],
    file: string,
    seen = new Set<Json>(),
  ): boolean {
    return given.some((one) => {
      const [raw, rawFile] = isObject(one) ? this.#locate(one, file) : [one, file];
      if (raw === target) return true;
      if (!isObject(raw) || seen.has(raw)) return false;
      seen.add(raw);
      return this.#leadsTo(target, [...listParts(raw), ...listVariants(raw)], rawFile, seen);
    });
  }

  #addUnion(schema: Schema, given: readonly Json[], key: string, file: string): Schema {
    const all = given.map((one) => this.#fill(this.convert(one, file)));
    const isNull = (one: Schema): boolean => one.nullable === true && one.types?.length === 0;
    const variants = joinValues(new Set(all.filter((one) => !isNull(one) && !one.never)));
    const acceptsNull = schema.types === undefined && all.some((one) => one.nullable);
    const own: Schema = acceptsNull ? { ...schema, nullable: true } : schema;
    const [only] = variants;
    if (!only) return all.length > 0 ? { ...own, types: [] } : own;
    if (variants.length === 1) {
      const merged = merge(schema, only, this.#both);
      return acceptsNull ? { ...merged, nullable: true } : merged;
    }
    if (variants.every(isPlainType))
      return merge(
        schema,
        compact<Schema>({
          types: toTypes(variants.flatMap(({ types = [] }) => types)),
          nullable: acceptsNull || undefined,
        }),
        this.#both,
      );
    // types beside a union are those of its variants
    const { types, ...others } = own;
    const isTyped =
      types !== undefined && Object.keys(others).every((name) => besideUnion.has(name));
    const union = compact<Schema>({
      anyOf: isTyped ? variants.map((one) => merge({ types }, one, this.#both)) : variants,
      exclusive: key === "oneOf" || undefined,
      nullable: acceptsNull || undefined,
    });
    if (isTyped) return { ...others, ...union };
    return own.anyOf ? { ...own, allOf: [...(own.allOf ?? []), union] } : { ...own, ...union };
  }

  #readOwn(raw: JsonObject, file: string): Schema {
    const given = raw["type"];
    const names = given === undefined ? undefined : [given].flat().map(toText);
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
      return typeof value === "number" && !(isMinimum && value === 0) ? [[key, value]] : [];
    });
    // bytes as such have the media type of what contains them
    const isBinary = raw["format"] === "binary";
    const textKeys = ["format", ...(isBinary ? [] : ["contentEncoding", "contentMediaType"])];
    const texts = textKeys.flatMap((key) =>
      typeof raw[key] === "string" ? [[key, raw[key]]] : [],
    );
    const flags = ["readOnly", "writeOnly", "uniqueItems"].flatMap((key) =>
      raw[key] === true ? [[key, true]] : [],
    );
    return compact<Schema>({
      ...(Object.fromEntries([...numbers, ...texts, ...flags]) as Schema),
      types: isNull ? [] : names && toTypes(names),
      nullable: admitsNull || raw["nullable"] === true || undefined,
      enum: isNull ? undefined : list && sortJson(dedupe(list.filter((value) => value !== null))),
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
    for (const key of childKeys)
      // `true` and an empty schema accept what is accepted anyway
      if (raw[key] === false || (isObject(raw[key]) && !isEmpty(raw[key])))
        children[key] = this.convert(raw[key], file);
    if (Array.isArray(raw["prefixItems"]))
      children["prefixItems"] = toList(raw["prefixItems"]).map((one) => this.convert(one, file));
    return children;
  }
}

/** Returns what a schema combines with its own keywords. */
const listParts = (raw: JsonObject): readonly Json[] => [
  ...(typeof raw["$ref"] === "string" ? [{ $ref: raw["$ref"] }] : []),
  ...toList(raw["allOf"]),
];

const listVariants = (raw: JsonObject): readonly Json[] => [
  ...toList(raw["anyOf"]),
  ...toList(raw["oneOf"]),
];

const isEmpty = (schema: JsonObject): boolean =>
  Object.keys(schema).every(
    (key) => key !== "$ref" && (annotations.has(key) || key.startsWith("x-")),
  );

const isPlainType = (schema: Schema): boolean =>
  schema.types !== undefined &&
  Object.keys(schema).every((key) => key === "types" || key === "nullable");

const valueKeys: ReadonlySet<string> = new Set(["types", "nullable", "enum"]);

/** Joins variants that only list values of one type, such as constants: together, they are one list. */
const joinValues = (variants: Iterable<Schema>): readonly Schema[] => {
  const joined = new Map<Schema | string, Schema>();
  for (const one of variants) {
    const isList = one.enum !== undefined && Object.keys(one).every((key) => valueKeys.has(key));
    const key = isList ? String(one.types) : one;
    const other = joined.get(key);
    const values = [...(other?.enum ?? []), ...(one.enum ?? [])];
    joined.set(key, other ? { ...other, ...one, enum: sortJson(dedupe(values)) } : one);
  }
  return [...joined.values()];
};

/** Keywords beside a union that do not restrict values. */
const besideUnion: ReadonlySet<string> = new Set([
  ...["nullable", "discriminator", "mapping", "default", "deprecated", "sunset", "stability"],
  ...["readOnly", "writeOnly"],
]);

const dedupe = (values: readonly Json[]): readonly Json[] => [
  ...new Map(values.map((value) => [toStableText(value), value])).values(),
];

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

/** Removes what has no effect beside other keywords. */
const settle = (schema: Schema): Schema => {
  const { types, prefixItems, maxItems = Infinity } = schema;
  const settled = { ...schema };
  // only objects have properties
  if (types && !types.includes("object")) delete settled.additionalProperties;
  // there is no further item
  if (prefixItems && maxItems <= prefixItems.length) settled.items = { never: true };
  return settled;
};
