import type { z } from "zod";
import type { ZodSchema } from "./schema.ts";
import { readLazy } from "./zod-internals.ts";

/** Visits a schema, then the schemas inside it that `listInner` lists, each once. */
export function* walkSchemas(
  root: ZodSchema,
  listInner: (schema: ZodSchema) => readonly ZodSchema[] = listInnerSchemas,
): Generator<ZodSchema> {
  const seen = new Set<ZodSchema>();
  const open = [root];
  for (let schema = open.pop(); schema; schema = open.pop()) {
    if (seen.has(schema)) continue;
    seen.add(schema);
    yield schema;
    open.push(...listInner(schema).toReversed());
  }
}

export const someSchema = (schema: ZodSchema, has: (schema: ZodSchema) => boolean): boolean => {
  for (const inner of walkSchemas(schema)) if (has(inner)) return true;
  return false;
};

/** Lists the schemas inside a schema that parse the same value: in a wrapper, before a pipe, or in an intersection. */
export const listSameValue = (schema: ZodSchema): readonly ZodSchema[] => {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === "intersection") return [def.left, def.right];
  if (def.type === "pipe") return [def.in];
  return "innerType" in def ? [def.innerType] : [];
};

/** Lists the schemas that a schema consists of, including those in arrays and objects of its definition. */
export const listInnerSchemas = (schema: ZodSchema): ZodSchema[] => {
  // the getter of a lazy schema may create a new schema each time, so this reads the schema that Zod parses with
  const { def } = schema._zod;
  if (def.type === "lazy") return [readLazy(schema as z.core.$ZodLazy)];
  // reading the default would call a getter, which may run a function of the application
  return listSchemas(
    Object.keys(def)
      .filter((name) => name !== "defaultValue")
      .map((name): unknown => def[name as keyof typeof def]),
  );
};

/** Finds the schemas among values, and inside arrays and plain objects; skips Zod's checks, which have no type. */
const listSchemas = (values: readonly unknown[]): ZodSchema[] =>
  values.flatMap((value) => {
    if (typeof value !== "object" || value === null) return [];
    if ("_zod" in value) {
      const schema = value as ZodSchema;
      return "type" in schema._zod.def ? [schema] : [];
    }
    const prototype: unknown = Object.getPrototypeOf(value);
    const isContainer =
      Array.isArray(value) || prototype === null || Object.getPrototypeOf(prototype) === null;
    return isContainer ? listSchemas(Object.values(value)) : [];
  });
