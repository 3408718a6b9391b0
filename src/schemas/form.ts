import { z } from "zod";
import { assertShape } from "./assert-schema.ts";
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
  const schema = fields instanceof z.ZodObject ? fields : z.object(fields);
  const marked = z.core.clone(
    schema,
    // descriptors are copied, not read: fields may refer to what is not declared yet
    Object.defineProperties(
      {},
      {
        ...Object.getOwnPropertyDescriptors(schema._zod.def),
        [formMark]: { value: true, enumerable: true },
      },
    ) as z.core.$ZodObjectDef,
    { parent: true },
  );
  return meta ? marked.meta({ ...meta }) : marked;
}

/** In the definition of a schema, so that `.extend()` and the like keep it; also for another copy of this package. */
const formMark = "sallyport/form";

/** Tells whether a schema is of a form, also as a part of another one. */
export const isForm = (schema: ZodSchema): boolean => {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (formMark in def) return true;
  if (def.type === "intersection") return isForm(def.left) || isForm(def.right);
  if (def.type === "pipe") return isForm(def.in);
  return "innerType" in def && isForm(def.innerType);
};
