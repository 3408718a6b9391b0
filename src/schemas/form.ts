import { z } from "zod";
import { assertShape } from "./assert-schema.ts";
import type { SchemaMeta, ZodSchema } from "./schema.ts";
import { listSameValue, walkSchemas } from "./some-schema.ts";

/**
 * Creates the input schema of an endpoint that accepts a form, `application/x-www-form-urlencoded`, whose fields are
 * strings.
 *
 * @param fields the fields, or an object schema
 * @throws DefinitionError when `fields` is neither.
 */
export function form<Shape extends z.ZodRawShape>(
  fields: Shape,
  meta?: SchemaMeta,
): z.ZodObject<Shape>;
export function form<Schema extends z.ZodObject>(fields: Schema, meta?: SchemaMeta): Schema;
export function form(fields: z.ZodObject | z.ZodRawShape, meta?: SchemaMeta): z.ZodObject {
  if (!(fields instanceof z.ZodObject)) assertShape("ez.form", fields);
  const schema = fields instanceof z.ZodObject ? fields : z.object(fields);
  const marked = schema.clone(
    // property descriptors are copied, because getters of fields may refer to something that is declared later
    Object.defineProperties(
      {},
      {
        ...Object.getOwnPropertyDescriptors(schema._zod.def),
        [formMark]: { configurable: true, enumerable: true, value: true },
      },
    ) as z.core.$ZodObjectDef,
    { parent: true },
  );
  const made = meta ? marked.meta({ ...meta }) : marked;
  return Object.defineProperty(made, formMark, { value: true });
}

/**
 * The mark of a form. The mark is on the schema itself and in its definition, where `.extend()` and the like keep it
 * and other copies of this package find it.
 */
const formMark = "sallyport/form";

/** Checks whether a schema was made by {@link form}, or has such a schema as a part. */
export const isForm = (schema: ZodSchema): boolean =>
  [...walkSchemas(schema, listSameValue)].some(
    (one) => formMark in one._zod.def || formMark in one,
  );
