import { z } from "zod";
import { assertShape } from "./assert-schema.ts";
import type { SchemaMeta, ZodSchema } from "./schema.ts";
import { listSameValue, walkSchemas } from "./some-schema.ts";
import { isBuffer, isRawBody } from "./raw.ts";
import { isFileUpload } from "./upload.ts";

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
  // property descriptors are copied, because getters of fields may refer to something that is declared later
  const descriptors = {
    ...Object.getOwnPropertyDescriptors(schema._zod.def),
    [formMark]: { configurable: true, enumerable: true, value: true },
  };
  const def = Object.defineProperties({}, descriptors) as z.core.$ZodObjectDef;
  const marked = schema.clone(def, { parent: true });
  const made = meta ? marked.meta({ ...meta }) : marked;
  return Object.defineProperty(made, formMark, { value: true });
}

/** The mark on a form itself, and in its definition, where `.extend()` and the like keep it. */
const formMark = "sallyport/form";

/** Checks whether a schema was made by {@link form}, or has such a schema as a part. */
export const isForm = (schema: ZodSchema): boolean =>
  [...walkSchemas(schema, listSameValue)].some(
    (one) => formMark in one._zod.def || formMark in one,
  );

/** The kinds of this package's own schemas, by the functions that identify them. */
export const ownKinds = new Map<unknown, "buffer" | "raw" | "upload">([
  [isBuffer, "buffer"],
  [isRawBody, "raw"],
  [isFileUpload, "upload"],
]);

/** Recognises `ez.dateIn()` and `ez.dateOut()` by their parts. */
export const toDateKind = (def: z.core.$ZodPipeDef): "dateIn" | "dateOut" | undefined => {
  if (!("reverseTransform" in def)) return undefined;
  const parts = `${describe(def.in)} to ${describe(def.out)}`;
  if (parts === "date to text:datetime") return "dateOut";
  return parts === "text:date or text:datetime or text:datetime to date" ? "dateIn" : undefined;
};

const describe = (schema: ZodSchema): string => {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === "union") return def.options.map(describe).join(" or ");
  return def.type === "string" && "format" in def ? `text:${String(def.format)}` : def.type;
};
