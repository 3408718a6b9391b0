import { z } from "zod";
import { DefinitionError } from "../errors.ts";
import {
  isSchema,
  toSchema,
  type AnySchema,
  type SchemaInput,
  type SchemaOutput,
  type ZodSchema,
} from "./schema.ts";
import { someSchema } from "./some-schema.ts";
import { reverse } from "./zod-internals.ts";

/** The schema returned by {@link encode}: it accepts the output of the schema `S` and returns its input. */
export interface Encoded<S extends AnySchema> extends z.ZodType<SchemaInput<S>, SchemaOutput<S>> {}

interface EncodedDef extends z.core.$ZodTypeDef {
  readonly type: "custom";
  readonly encoded: ZodSchema;
}

/** The class of reversed schemas, so that `.optional()`, `.meta()` and the like preserve it. */
let EncodedSchema: z.core.$constructor<z.ZodType & { _zod: { def: EncodedDef } }> | undefined;

/**
 * Reverses a schema: the new schema accepts the output of the given one, and returns its input.
 *
 * With `input: user` and `output: ez.encode(user)`, the handler receives and returns values such as dates, and the
 * client sends and receives them in the form that documents show, such as ISO 8601 strings.
 *
 * @throws {@link DefinitionError} when the schema has a `.transform()`, which cannot be reversed; use `z.codec`.
 * @example
 * const user = z.object({ name: z.string(), bornOn: ez.dateIn() });
 * const createUser = factory.build({ method: "post", input: user, output: ez.encode(user), handler: ... });
 */
export const encode = <S extends AnySchema>(given: S): Encoded<S> => {
  const schema = toSchema("ez.encode: the argument", given);
  assertReversible("ez.encode: the schema", schema);
  EncodedSchema ??= z.core.$constructor("SallyportEncoded", (inst, def) => {
    z.ZodType.init(inst, def);
    reverse(inst, def.encoded);
  });
  return new EncodedSchema({ type: "custom", encoded: schema });
};

export const assertReversible = (where: string, schema: ZodSchema): void => {
  if (hasOneWay(schema))
    throw new DefinitionError(
      "SLP_DEFINITION_SCHEMA",
      `${where} has a .transform() or z.preprocess(), which cannot be reversed. Use z.codec(), ez.dateIn() or another codec instead.`,
    );
};

const hasOneWay = (schema: ZodSchema): boolean => {
  try {
    return someSchema(schema, ({ _zod }) => _zod.def.type === "transform");
  } catch {
    // a recursive schema may not be fully declared yet; if it turns out to be irreversible, parsing with it throws
    return false;
  }
};

/** Returns the schema that {@link encode} has reversed; undefined for any other schema. */
export const readEncoded = (schema: ZodSchema): ZodSchema | undefined =>
  (schema._zod.def as Partial<EncodedDef>).encoded;

/** Returns the schema in `.meta({ output })`, which describes what a transformation returns. */
export const readToldOutput = (schema: ZodSchema): ZodSchema | undefined => {
  if ((schema as z.core.$ZodTypes)._zod.def.type !== "pipe") return undefined;
  const told = z.globalRegistry.get(schema as z.ZodType)?.["output"];
  return isSchema(told) ? told : undefined;
};
