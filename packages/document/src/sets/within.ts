import { isDeepStrictEqual } from "node:util";
import { readOwn } from "../json.ts";
import { meet } from "../schema/combine.ts";
import { acceptsNull, areDisjoint } from "../schema/disjoint.ts";
import { toRegExp } from "../schema/patterns.ts";
import { listChildren, type Schema } from "../schema/schema.ts";
import { covers } from "../schema/settle.ts";
import { accepts, isMultiple, listPropertySchemas } from "../schema/validate.ts";

/** Whether two schemas are known to be equal. */
export type IsSame = (one: Schema, other: Schema) => boolean;

/**
 * Whether it is certain that a schema accepts all values of another one. A property that only the outer schema names is
 * taken as not there, as far as the inner one says nothing of further properties: nobody sends what no document names.
 */
export const isWithin = (
  inner: Schema,
  outer: Schema,
  isSame: IsSame = (one, other) => one === other,
): boolean => new Proof(isSame).isWithin(inner, outer);

/** Steps of one proof; more of them would be a search through all combinations of unions. */
const patience = 5000;

class Proof {
  readonly #isSame: IsSame;
  /** What is being proved, which recursive schemas may rely on. */
  readonly #assumed = new Map<Schema, Set<Schema>>();
  /** The same in order: what was concluded after something that turned out to be wrong may rely on it. */
  readonly #trail: (readonly [inner: Schema, outer: Schema])[] = [];
  #steps = 0;

  constructor(isSame: IsSame) {
    this.#isSame = isSame;
  }

  isWithin(inner: Schema, outer: Schema): boolean {
    if (inner.never || this.#isSame(inner, outer)) return true;
    if (outer.never || ++this.#steps > patience) return false;
    const assumed = this.#assumed.get(inner) ?? new Set();
    this.#assumed.set(inner, assumed);
    if (assumed.has(outer)) return true;
    assumed.add(outer);
    const before = this.#trail.push([inner, outer]) - 1;
    const isProved = this.#prove(inner, outer);
    if (!isProved)
      for (const [one, other] of this.#trail.splice(before)) this.#assumed.get(one)?.delete(other);
    return isProved;
  }

  #prove(inner: Schema, outer: Schema): boolean {
    if (acceptsNull(inner) && !acceptsNull(outer)) return false;
    if (inner.enum) return isKnown(outer) && inner.enum.every((value) => accepts(outer, value));
    // what is evaluated depends on all parts
    if (outer.unevaluatedItems || outer.unevaluatedProperties) return false;
    if (outer.allOf?.some((part) => !this.isWithin(inner, part))) return false;
    if (this.#isInUnion(inner, outer)) return this.#isInKeywords(inner, withoutUnion(outer));
    // each variant by itself, with what stands beside it
    if (inner.anyOf) {
      const { anyOf, exclusive: _exclusive, ...rest } = inner;
      return anyOf.every((one) => this.isWithin(meet(rest, one), outer));
    }
    const [type, ...others] = inner.types ?? [];
    // each type by itself
    if (outer.anyOf && type !== undefined && others.length > 0)
      return [type, ...others].every((one) => this.isWithin({ ...inner, types: [one] }, outer));
    return inner.allOf?.some((part) => this.isWithin(part, outer)) === true;
  }

  /** Whether one variant of a union takes all values; exactly one if the union is exclusive. */
  #isInUnion(inner: Schema, { anyOf, exclusive, nullable }: Schema): boolean {
    if (!anyOf) return true;
    const { nullable: _null, ...others } = inner;
    return anyOf.some(
      (one) =>
        this.isWithin(nullable ? others : inner, one) &&
        (!exclusive || anyOf.every((other) => other === one || areDisjoint(inner, other))),
    );
  }

  #isInKeywords(inner: Schema, outer: Schema): boolean {
    if (inner.anyOf && outer.types && !inner.types)
      return inner.anyOf.every((one) => this.isWithin(meet(withoutUnion(inner), one), outer));
    return (
      isInTypes(inner, outer) &&
      outer.enum === undefined &&
      isInFormat(inner, outer) &&
      isInNumbers(inner, outer) &&
      isInTexts(inner, outer) &&
      this.#isInLists(inner, outer) &&
      this.#isInObjects(inner, outer) &&
      this.#isInConditions(inner, outer)
    );
  }

  #isInConditions(inner: Schema, outer: Schema): boolean {
    if (outer.not && !(this.#isSameIn(inner, outer, "not") || areDisjoint(inner, outer.not)))
      return false;
    if (!outer.if) return true;
    return (
      this.#isSameIn(inner, outer, "if") &&
      (["then", "else"] as const).every(
        (key) => !outer[key] || (inner[key] && this.isWithin(inner[key], outer[key])),
      )
    );
  }

  #isSameIn(
    inner: Schema,
    outer: Schema,
    key:
      | "contains"
      | "if"
      | "not"
      | "contentSchema"
      | "propertyNames"
      | "unevaluatedItems"
      | "unevaluatedProperties",
  ): boolean {
    const [one, other] = [inner[key], outer[key]];
    return one !== undefined && other !== undefined && this.#isSame(one, other);
  }

  #isInLists(inner: Schema, outer: Schema): boolean {
    if (!mayBe(inner, "array")) return true;
    const { prefixItems = [], items, maxItems = Infinity } = inner;
    const { prefixItems: places = [], items: rest } = outer;
    const count = Math.min(Math.max(prefixItems.length, places.length), maxItems);
    const areFirst = Array.from({ length: count }).every((_, at) => {
      const own = prefixItems[at] ?? items ?? {};
      const place = places[at] ?? rest;
      return !place || this.isWithin(own, place);
    });
    return (
      areFirst &&
      (outer.minItems ?? 0) <= (inner.minItems ?? 0) &&
      (outer.maxItems ?? Infinity) >= maxItems &&
      (!outer.uniqueItems || inner.uniqueItems === true || maxItems <= 1) &&
      (!rest || maxItems <= count || this.isWithin(items ?? {}, rest)) &&
      (!outer.contains ||
        (this.#isSameIn(inner, outer, "contains") &&
          (outer.minContains ?? 1) <= (inner.minContains ?? 1) &&
          (outer.maxContains ?? Infinity) >= (inner.maxContains ?? Infinity)))
    );
  }

  #isInObjects(inner: Schema, outer: Schema): boolean {
    if (!mayBe(inner, "object")) return true;
    const { properties = {}, required = [], additionalProperties, patternProperties = {} } = inner;
    if (!Object.keys(patternProperties).every(toRegExp)) return false;
    if (!(outer.required ?? []).every((name) => required.includes(name))) return false;
    const names = new Set([
      ...Object.keys(properties),
      ...Object.keys(outer.properties ?? {}),
      ...required,
    ]);
    for (const name of names) {
      const [first, ...others] = listPropertySchemas(inner, name);
      if (!first && !required.includes(name)) continue;
      const own = others.reduce((all, one) => meet(all, one), first ?? {});
      if (!listPropertySchemas(outer, name).every((one) => this.isWithin(own, one))) return false;
    }
    return (
      this.#areOthersIn(additionalProperties, patternProperties, outer) &&
      isInCounts(inner, outer) &&
      this.#areNamesIn(inner, outer) &&
      this.#areDependenciesIn(inner, outer)
    );
  }

  /** Compares the properties that the inner schema allows without naming them. */
  #areOthersIn(
    additional: Schema | undefined,
    patterns: Readonly<Record<string, Schema>>,
    outer: Schema,
  ): boolean {
    const theirs = Object.entries(outer.patternProperties ?? {});
    const rest = outer.additionalProperties;
    const groups = [
      ...Object.entries(patterns).map(([pattern, own]) => ({ pattern, own })),
      ...(additional?.never ? [] : [{ pattern: undefined, own: additional ?? {} }]),
    ];
    return groups.every(({ pattern, own }) => {
      const same = theirs.some(([one]) => one === pattern);
      return (
        // which names match two patterns is unknown
        theirs.every(
          ([one, schema]) =>
            (one !== pattern && same && areApart(one, pattern)) || this.isWithin(own, schema),
        ) &&
        (same || !rest || this.isWithin(own, rest))
      );
    });
  }

  #areNamesIn(inner: Schema, outer: Schema): boolean {
    const { propertyNames } = outer;
    if (!propertyNames || this.#isSameIn(inner, outer, "propertyNames")) return true;
    const names = Object.keys(inner.properties ?? {});
    return isClosed(inner)
      ? isKnown(propertyNames) && names.every((name) => accepts(propertyNames, name))
      : inner.propertyNames !== undefined && this.isWithin(inner.propertyNames, propertyNames);
  }

  #areDependenciesIn(inner: Schema, outer: Schema): boolean {
    const { properties = {}, required = [], dependentRequired = {}, dependentSchemas = {} } = inner;
    const isNever = (name: string): boolean => isClosed(inner) && !Object.hasOwn(properties, name);
    return (
      Object.entries(outer.dependentRequired ?? {}).every(
        ([name, needed]) =>
          isNever(name) ||
          needed.every(
            (one) => required.includes(one) || readOwn(dependentRequired, name)?.includes(one),
          ),
      ) &&
      Object.entries(outer.dependentSchemas ?? {}).every(([name, part]) => {
        const own = readOwn(dependentSchemas, name);
        return isNever(name) || (own && this.isWithin(own, part)) || this.isWithin(inner, part);
      })
    );
  }
}

const withoutUnion = ({ anyOf: _any, exclusive: _one, allOf: _all, ...rest }: Schema): Schema =>
  rest;

const mayBe = ({ types }: Schema, type: "array" | "object" | "string"): boolean =>
  types === undefined || types.includes(type);

const isInTypes = ({ types }: Schema, outer: Schema): boolean =>
  outer.types === undefined ||
  (types !== undefined && types.every((one) => covers(outer.types ?? [], one)));

/** Formats that contain other ones. */
const wider: Readonly<Record<string, readonly string[]>> = {
  double: ["float"],
  int64: ["int32"],
};

const isInFormat = ({ format }: Schema, outer: Schema): boolean =>
  outer.format === undefined ||
  outer.format === format ||
  (format !== undefined && wider[outer.format]?.includes(format) === true);

const isInNumbers = (inner: Schema, outer: Schema): boolean => {
  const { types } = inner;
  if (types && !types.includes("number") && !types.includes("integer")) return true;
  const { multipleOf } = outer;
  const isWhole = types?.every((one) => one !== "number") === true;
  return (
    isBound(inner.minimum, inner.openMinimum, outer.minimum, outer.openMinimum, 1) &&
    isBound(inner.maximum, inner.openMaximum, outer.maximum, outer.openMaximum, -1) &&
    (multipleOf === undefined ||
      (inner.multipleOf !== undefined && isMultiple(inner.multipleOf, multipleOf)) ||
      (isWhole && Number.isInteger(1 / multipleOf)))
  );
};

const isBound = (
  own: number | undefined,
  isOwnOpen: true | undefined,
  theirs: number | undefined,
  isTheirsOpen: true | undefined,
  sign: 1 | -1,
): boolean =>
  theirs === undefined ||
  (own !== undefined &&
    (sign * (own - theirs) > 0 || (own === theirs && (!isTheirsOpen || isOwnOpen === true))));

const isInTexts = (inner: Schema, outer: Schema): boolean => {
  if (!mayBe(inner, "string")) return true;
  const { patterns = [], maxLength = Infinity, minLength = 0 } = inner;
  return (
    (outer.minLength ?? 0) <= minLength &&
    (outer.maxLength ?? Infinity) >= maxLength &&
    (outer.patterns ?? []).every((one) => patterns.includes(one) || takesAll(one)) &&
    (["contentEncoding", "contentMediaType"] as const).every(
      (key) => outer[key] === undefined || outer[key] === inner[key],
    ) &&
    (!outer.contentSchema || isDeepStrictEqual(inner.contentSchema, outer.contentSchema))
  );
};

/** Whether a pattern matches every text; `^.*$` matches none with a line break. */
export const takesAll = (pattern: string): boolean =>
  /^(?:\^|\$|\^?\.\*|\.\*\$|\^?\[\\s\\S\]\*\$?)$/.test(pattern);

/** Whether no name matches two patterns, since they begin with other letters. */
const areApart = (one: string, other: string | undefined): boolean => {
  const [left, right] = [toBeginning(one), toBeginning(other ?? "")];
  return !left.startsWith(right) && !right.startsWith(left);
};

/** Returns what all texts that match a pattern begin with. */
const toBeginning = (pattern: string): string => {
  if (pattern.includes("|")) return "";
  const [, letters = "", next] = /^\^([\w-]*)(.?)/.exec(pattern) ?? [];
  // the last letter may not be there
  return next && "*?{+".includes(next) ? letters.slice(0, -1) : letters;
};

/** Whether JavaScript knows all patterns of a schema; any text matches others. */
const isKnown = (schema: Schema, seen = new Set<Schema>()): boolean => {
  if (seen.has(schema)) return true;
  seen.add(schema);
  const { patterns = [], patternProperties = {} } = schema;
  return (
    [...patterns, ...Object.keys(patternProperties)].every(toRegExp) &&
    listChildren(schema).every((child) => isKnown(child, seen))
  );
};

/** Whether a schema names all properties that it allows. */
const isClosed = ({ additionalProperties, patternProperties }: Schema): boolean =>
  additionalProperties?.never === true && !patternProperties;

const isInCounts = (inner: Schema, outer: Schema): boolean => {
  const { properties = {}, required = [], minProperties = 0, maxProperties = Infinity } = inner;
  const most = isClosed(inner)
    ? Math.min(maxProperties, new Set([...Object.keys(properties), ...required]).size)
    : maxProperties;
  return (
    (outer.minProperties ?? 0) <= Math.max(minProperties, required.length) &&
    (outer.maxProperties ?? Infinity) >= most
  );
};
