import type { z } from "zod";
import type { ZodSchema } from "./schema.ts";
import { readLazy } from "./zod-internals.ts";

interface Definition {
  readonly type?: string;
}

/** Checks whether a schema, or any schema inside it, satisfies a predicate; visits each schema once. */
export const someSchema = (
  schema: ZodSchema,
  has: (schema: ZodSchema) => boolean,
  seen: Set<unknown> = new Set(),
): boolean => {
  if (seen.has(schema)) return false;
  seen.add(schema);
  if (has(schema)) return true;
  return listInnerSchemas(schema).some((inner) => someSchema(inner, has, seen));
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
      return (schema._zod.def as Definition).type === undefined ? [] : [schema];
    }
    const prototype: unknown = Object.getPrototypeOf(value);
    const isContainer =
      Array.isArray(value) || prototype === Object.prototype || prototype === null;
    return isContainer ? listSchemas(Object.values(value)) : [];
  });
