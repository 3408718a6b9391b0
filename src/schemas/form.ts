import { z } from "zod";
import { assertShape } from "./assert-shape.ts";
import type { SchemaMeta } from "./schema.ts";

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
  const schema = fields instanceof z.ZodObject ? fields : z.object(fields);
  return meta ? schema.meta({ ...meta }) : schema;
}
