import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { readOwnKind } from "../../basics/schemas/content.ts";
import { readEncoded } from "../../basics/schemas/encode.ts";
import type { ZodSchema } from "../../basics/schemas/schema.ts";
import { readLazy, readOptionality, readValues } from "../../basics/schemas/zod-internals.ts";
import { findFormatExample } from "./format-examples.ts";
import { listChecks } from "./patterns.ts";

const parse = (schema: ZodSchema, value: unknown): unknown => {
  try {
    return z.safeParse(schema, value).data;
  } catch {
    // a schema that is asynchronous checks nothing here
    return undefined;
  }
};

/** Lists the examples in `.meta({ examples })` or `.meta({ example })`. */
export const listTold = (schema: ZodSchema): readonly unknown[] => {
  const { examples, example } = Object(z.globalRegistry.get(schema as z.ZodType)) as {
    readonly examples?: unknown;
    readonly example?: unknown;
  };
  if (Array.isArray(examples)) return examples;
  return example === undefined ? [] : [example];
};

/**
 * Returns an example of what a schema returns, as JSON: the first one in its `.meta()` that it neither rejects nor changes,
 * otherwise one made of the examples of its parts.
 */
export const findExample = (schema: ZodSchema): unknown => {
  const told = listTold(schema);
  const own = told.find((example) => isDeepStrictEqual(parse(schema, example), example));
  if (own !== undefined || told.length > 0) return own;
  const made = parse(schema, make(schema));
  return made === undefined ? undefined : (JSON.parse(JSON.stringify(made)) as unknown);
};

const moment = "2026-01-31T12:30:00Z";

/** Makes a value that a schema probably accepts; undefined if none is found. */
const make = (schema: ZodSchema, depth = 0): unknown => {
  if (depth > 9) return undefined;
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const told = listTold(schema);
  if (readOwnKind(schema) === "dateOut") return new Date((told[0] as string | undefined) ?? moment);
  const own = told.find((example) => parse(schema, example) !== undefined);
  if (own !== undefined) return own;
  const inner = (one: ZodSchema): unknown => make(one, depth + 1);
  switch (def.type) {
    case "string":
      return findFormatExample(schema, listChecks(schema)) ?? "text";
    case "number":
      return [1, 10, 0, 100, -1, 0.5].find((value) => parse(schema, value) === value);
    case "boolean":
      return true;
    case "null":
      return null;
    case "date":
      return new Date(moment);
    case "literal":
    case "enum":
      return [...(readValues(schema) ?? [])][0];
    case "array":
      return [inner(def.element)].filter((value) => value !== undefined);
    case "tuple":
      return def.items.map(inner);
    case "record":
      return {};
    case "object":
      return makeObject(def, inner);
    case "intersection":
      return { ...(inner(def.left) as object), ...(inner(def.right) as object) };
    case "union":
      return def.options.map(inner).find((value) => value !== undefined);
    case "pipe":
      return inner(def.in);
    case "lazy":
      return inner(readLazy(schema as z.core.$ZodLazy));
    default: {
      const wrapped = "innerType" in def ? def.innerType : readEncoded(schema);
      return wrapped && inner(wrapped);
    }
  }
};

const makeObject = (
  { shape }: z.core.$ZodObjectDef,
  inner: (schema: ZodSchema) => unknown,
): object | undefined => {
  const fields = Object.entries(shape).map(([name, field]) => [name, inner(field), field] as const);
  const isWhole = fields.every(
    ([, value, field]) => value !== undefined || readOptionality(field, "input"),
  );
  return isWhole
    ? Object.fromEntries(fields.filter(([, value]) => value !== undefined))
    : undefined;
};
