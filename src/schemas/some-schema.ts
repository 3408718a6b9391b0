import type { ZodSchema } from "./schema.ts";

interface Definition {
  readonly type?: string;
  readonly getter?: () => ZodSchema;
}

/** Tells whether a schema, or any schema inside it, has a property; each is looked at once. */
export const someSchema = (
  schema: ZodSchema,
  has: (schema: ZodSchema) => boolean,
  seen: Set<unknown> = new Set(),
): boolean => {
  if (seen.has(schema)) return false;
  seen.add(schema);
  if (has(schema)) return true;
  const def = schema._zod.def as Definition;
  if (def.getter) return someSchema(def.getter(), has, seen);
  return listSchemas(Object.values(def)).some((inner) => someSchema(inner, has, seen));
};

/** The schemas in a definition, also those in its lists and shapes; checks are none, for they have no type. */
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
