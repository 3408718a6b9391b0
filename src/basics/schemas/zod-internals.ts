/**
 * Everything that relies on undocumented parts of Zod is in this file. zod.dev/packages/core documents what libraries
 * may use: `_zod.def`, `_zod.run()`, `_zod.input`, `_zod.output` and `z.core.$constructor`. If Zod lacks another part,
 * slower code takes its place. ARCHITECTURE.md lists the parts and the tests in `test/assumptions/`.
 */
import { z } from "zod";
import type { ZodSchema } from "./schema.ts";

const lazySchemas = new WeakMap<ZodSchema, ZodSchema>();

/** Returns the schema inside a lazy schema: the first one, if its getter creates a new one each time. */
export const readLazy = (schema: z.core.$ZodLazy): ZodSchema => {
  const known = lazySchemas.get(schema) ?? schema._zod.def.getter();
  lazySchemas.set(schema, known);
  return known;
};

/** Returns the values that a schema accepts, if they can be listed; otherwise undefined. */
export const readValues = (schema: ZodSchema): ReadonlySet<unknown> | undefined => {
  const { values } = schema._zod;
  if (values) return values;
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === "literal") return new Set(def.values);
  if (def.type === "enum") return new Set(Object.values(def.entries));
  if (def.type === "null") return new Set([null]);
  return def.type === "undefined" ? new Set([undefined]) : undefined;
};

/** Returns the values by which a property distinguishes the options of a union. */
export const readPropertyValues = (
  schema: ZodSchema,
  name: string,
): ReadonlySet<unknown> | undefined => {
  const { propValues } = schema._zod;
  if (propValues) return propValues[name];
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === "union" && "discriminator" in def) return joinValues(def.options, name);
  const field = def.type === "object" && Object.hasOwn(def.shape, name) && def.shape[name];
  return field ? readValues(field) : undefined;
};

const joinValues = (
  options: readonly ZodSchema[],
  name: string,
): ReadonlySet<unknown> | undefined => {
  const values = options.map((option) => readPropertyValues(option, name));
  const isTold = values.every((some) => some !== undefined);
  return isTold ? new Set(values.flatMap((some) => [...some])) : undefined;
};

/** Returns `optional` if a field may be omitted, `defaulted` if a default takes its place, and otherwise undefined. */
export const readOptionality = (
  schema: ZodSchema,
  direction: "input" | "output",
): "defaulted" | "optional" | undefined => {
  const isInput = direction === "input";
  const known = isInput ? schema._zod.optin : schema._zod.optout;
  if (known) return known;
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case "optional":
      return "optional";
    case "default":
    case "prefault":
      return isInput ? "defaulted" : undefined;
    case "pipe":
      return readOptionality(isInput ? def.in : def.out, direction);
    case "nullable":
    case "readonly":
      return readOptionality(def.innerType, direction);
    default:
      return undefined;
  }
};

/** Returns the strings that `z.stringbool()` accepts; undefined for other schemas, or if the strings are unknown. */
export const readBooleanStrings = (schema: ZodSchema): readonly string[] | undefined => {
  const { bag } = schema._zod as { readonly bag?: Record<string, readonly string[] | undefined> };
  return bag?.["truthy"] && bag["falsy"] && [...bag["truthy"], ...bag["falsy"]];
};

/** Checks whether a parse encodes; if that is unknown, the parse counts as decoding. */
export const isBackward = ({ direction }: z.core.ParseContextInternal): boolean =>
  direction === "backward";

let isDirected: boolean | undefined;

const probeDirection = (): boolean => {
  const codec = z.codec(z.string(), z.number(), { decode: Number, encode: String });
  const payload = { value: 1, issues: [] };
  const result = codec._zod.run(payload, { async: false, direction: "backward" });
  return !(result instanceof Promise) && result.issues.length === 0 && result.value === "1";
};

/** Decodes or encodes a value, by Zod's public functions if `run` does not take a direction from the context. */
export const runIn = (
  direction: "backward" | "forward",
  schema: ZodSchema,
  payload: z.core.ParsePayload,
  context: z.core.ParseContextInternal,
): Promise<z.core.ParsePayload> | z.core.ParsePayload => {
  if ((isDirected ??= probeDirection())) return schema._zod.run(payload, { ...context, direction });
  const settle = ({ data, error }: z.ZodSafeParseResult<unknown>): typeof payload => {
    if (error) payload.issues.push(...(error.issues as z.core.$ZodRawIssue[]));
    else payload.value = data;
    return payload;
  };
  const isBack = direction === "backward";
  if (context.async !== true)
    return settle((isBack ? z.safeEncode : z.safeDecode)(schema, payload.value));
  return (isBack ? z.safeEncodeAsync : z.safeDecodeAsync)(schema, payload.value).then(settle);
};

/** Makes a schema decode by encoding with another schema, and encode by decoding with it. */
export const reverse = (schema: z.core.$ZodType, inner: ZodSchema): void => {
  schema._zod.parse = (payload, context) =>
    runIn(isBackward(context) ? "forward" : "backward", inner, payload, context);
  const mirror = (name: string, source: string): void => {
    Object.defineProperty(schema._zod, name, {
      configurable: true,
      get: () => inner._zod[source as keyof typeof inner._zod],
    });
  };
  // these members say whether a field may be missing, and what distinguishes the options of a union
  mirror("optin", "optout");
  mirror("optout", "optin");
  mirror("propValues", "propValues");
};
