import { z } from "zod";
import { assertShape } from "./assert-shape.ts";
import type { SchemaMeta, ZodSchema } from "./schema.ts";

/**
 * The input of an endpoint that takes a form, `application/x-www-form-urlencoded`; its fields are texts.
 *
 * @param fields the fields, or an object schema of them
 * @throws DefinitionError when it is neither.
 */
export function form<Shape extends z.ZodRawShape>(
  fields: Shape,
  meta?: SchemaMeta,
): z.ZodObject<Shape>;
export function form<Schema extends z.ZodObject>(fields: Schema, meta?: SchemaMeta): Schema;
export function form(fields: z.ZodObject | z.ZodRawShape, meta?: SchemaMeta): z.ZodObject {
  if (!(fields instanceof z.ZodObject)) assertShape("ez.form", fields);
  const schema =
    fields instanceof z.ZodObject
      ? z.core.clone(fields, undefined, { parent: true })
      : z.object(fields);
  forms.add(schema);
  return meta ? schema.meta({ ...meta }) : schema;
}

const forms = new WeakSet<ZodSchema>();

/** Tells whether a schema is that of a form; a description or a check leaves it one. */
export const isForm = (schema: ZodSchema): boolean => {
  for (let one: ZodSchema | undefined = schema; one; one = one._zod.parent)
    if (forms.has(one)) return true;
  return false;
};
