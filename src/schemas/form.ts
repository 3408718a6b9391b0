import { z } from "zod";
import type { SchemaMeta } from "./schema.ts";

/**
 * The input of an endpoint that takes a form, `application/x-www-form-urlencoded`; its fields are texts.
 *
 * @param fields the fields, or an object schema of them
 */
export function form<Shape extends z.ZodRawShape>(
  fields: Shape,
  meta?: SchemaMeta,
): z.ZodObject<Shape>;
export function form<Schema extends z.ZodObject>(fields: Schema, meta?: SchemaMeta): Schema;
export function form(fields: z.ZodObject | z.ZodRawShape, meta?: SchemaMeta): z.ZodObject {
  const schema = fields instanceof z.ZodObject ? fields : z.object(fields);
  return meta ? schema.meta({ ...meta }) : schema;
}
