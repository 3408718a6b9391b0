import { z } from "zod";
import { readEncoded, readToldOutput } from "./encode.ts";
import type { ZodSchema } from "./schema.ts";
import { listInnerSchemas, walkSchemas } from "./some-schema.ts";
import { readLazy } from "./zod-internals.ts";

/** Whether what a schema returns is on the wire, or what it takes. */
type Side = "in" | "out";

/** The kinds of schemas whose values JSON shows as they are, if it shows the values of the schemas inside. */
const sameInJson: ReadonlySet<string> = new Set([
  ...["array", "boolean", "catch", "default", "enum", "int", "intersection", "lazy", "never"],
  ...["nonoptional", "null", "nullable", "number", "object", "optional", "prefault", "readonly"],
  ...["record", "string", "template_literal", "tuple", "union"],
]);

const isPlain = (value: unknown): boolean =>
  value === null || ["string", "number", "boolean"].includes(typeof value);

/** Checks whether a schema returns undefined for some value; in an array, JSON shows null in its place. */
const mayBeUndefined = ({ _zod }: ZodSchema): boolean => {
  const { def } = _zod as z.core.$ZodTypes["_zod"];
  if (def.type === "union") return def.options.some(mayBeUndefined);
  const isWrapper = def.type === "nullable" || def.type === "readonly";
  return def.type === "optional" || (isWrapper && mayBeUndefined(def.innerType));
};

type Checks = readonly { readonly _zod: { readonly def: { readonly check: string } } }[];

const listChecks = ({ _zod }: ZodSchema): Checks =>
  (_zod.def as { readonly checks?: Checks }).checks ?? [];

/** Checks whether JSON may show something else of a value of a schema, whatever is inside. */
const isChanged = (schema: ZodSchema): boolean => {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === "literal") return !def.values.every(isPlain);
  if (def.type === "array" && mayBeUndefined(def.element)) return true;
  if (def.type === "tuple" && [...def.items, ...(def.rest ? [def.rest] : [])].some(mayBeUndefined))
    return true;
  if (!sameInJson.has(def.type) || ("coerce" in def && def.coerce)) return true;
  return listChecks(schema).some(({ _zod }) => _zod.def.check === "overwrite");
};

/** Checks whether JSON may show something else of a schema or of anything inside; functions that only check are schemas, too. */
const hasChanged = (schema: ZodSchema): boolean => {
  const listParts = (inner: ZodSchema): readonly ZodSchema[] => {
    const checks: readonly unknown[] = listChecks(inner);
    return listInnerSchemas(inner).filter((part) => !checks.includes(part));
  };
  return [...walkSchemas(schema, listParts)].some(isChanged);
};

/** Creates a schema that takes anything, also something that JSON leaves out. */
const anything = (): ZodSchema => z.unknown().optional();

/**
 * Returns a schema of what JSON shows of the values that a schema returns: it takes each of them, and returns it as it is.
 * Only what JSON shows differently, such as a date, or what a function has changed, is another schema there, and then
 * functions that check what is around it are left out, because they expect the value itself.
 */
export const toWireSchema = (schema: ZodSchema): ZodSchema => new WireSchemas().find(schema, "out");

class WireSchemas {
  readonly #found = { in: new Map<ZodSchema, ZodSchema>(), out: new Map<ZodSchema, ZodSchema>() };

  find(schema: ZodSchema, side: Side): ZodSchema {
    if (!hasChanged(schema)) return schema;
    const found = this.#found[side];
    const known = found.get(schema);
    if (known) return known;
    // a recursive schema meets itself before it is done
    found.set(
      schema,
      z.lazy(() => found.get(schema) as ZodSchema),
    );
    const made = this.#create(schema, side);
    found.set(schema, made);
    return made;
  }

  #create(schema: ZodSchema, side: Side): ZodSchema {
    const { def } = (schema as z.core.$ZodTypes)._zod;
    const find = (inner: ZodSchema): ZodSchema => this.find(inner, side);
    const findItem = (inner: ZodSchema): ZodSchema =>
      mayBeUndefined(inner) ? z.nullable(find(inner)) : find(inner);
    switch (def.type) {
      case "pipe": {
        if (side === "in") return find(def.in);
        const told = readToldOutput(schema);
        return find(told ?? def.out);
      }
      case "custom": {
        const encoded = readEncoded(schema);
        return encoded ? this.find(encoded, side === "in" ? "out" : "in") : anything();
      }
      // `toJSON` of dates may be the application's
      case "date":
        return z.string();
      case "string":
      case "number":
      case "boolean":
        return change(schema, { coerce: false }, () => true);
      case "lazy":
        return find(readLazy(schema as z.core.$ZodLazy));
      case "array":
        return change(schema, { element: findItem(def.element) });
      case "object": {
        const fields = Object.entries(def.shape).map(([name, field]) => [name, find(field)]);
        const catchall = def.catchall && find(def.catchall);
        return change(schema, { shape: Object.fromEntries(fields) as object, catchall });
      }
      case "record":
        return change(schema, { keyType: find(def.keyType), valueType: find(def.valueType) });
      case "tuple":
        return change(schema, {
          items: def.items.map(findItem),
          rest: def.rest && findItem(def.rest),
        });
      // the options may no longer be told apart by a field
      case "union":
        return z.union(def.options.map(find));
      case "intersection":
        return z.intersection(find(def.left), find(def.right));
      case "catch":
      case "default":
      case "nonoptional":
      case "nullable":
      case "optional":
      case "readonly":
        return change(schema, { innerType: find(def.innerType) });
      case "prefault":
        return find(def.innerType);
      default:
        return anything();
    }
  }
}

type Check = Checks[number];

const isOwn = ({ _zod }: Check): boolean => _zod.def.check !== "custom";

/** Copies a schema with other parts, and without checks that may not hold for what is on the wire. */
const change = (schema: ZodSchema, parts: object, holds = isOwn): ZodSchema => {
  const checks = listChecks(schema);
  // what was checked before a value was overwritten need not hold for the new one
  const last = checks.findLastIndex(({ _zod }) => _zod.def.check === "overwrite");
  const kept = checks.slice(last + 1).filter(holds);
  // reading the default would call a getter, which may run a function of the application
  const own = Object.getOwnPropertyDescriptors(schema._zod.def);
  const changed = Object.getOwnPropertyDescriptors({ ...parts, checks: kept });
  const def = Object.defineProperties({}, { ...own, ...changed }) as z.core.$ZodTypeDef;
  return z.core.clone(schema, def);
};
