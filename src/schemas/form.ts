import { z } from "zod";

/**
 * The input of an endpoint that takes a form, `application/x-www-form-urlencoded`; its fields are texts.
 *
 * @param fields the fields, or an object schema of them
 */
export function form<Shape extends z.ZodRawShape>(fields: Shape): z.ZodObject<Shape>;
export function form<Schema extends z.ZodObject>(fields: Schema): Schema;
export function form(fields: z.ZodObject | z.ZodRawShape): z.ZodObject {
  return fields instanceof z.ZodObject ? fields : z.object(fields);
}
