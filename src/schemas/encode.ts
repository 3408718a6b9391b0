import { z } from "zod";
import { DefinitionError } from "../errors.ts";
import { toSchema } from "./assert-schema.ts";
import { type AnySchema, type SchemaInput, type SchemaOutput } from "./schema.ts";
import type { ZodSchema } from "./schema.ts";
import { someSchema } from "./some-schema.ts";
import { reverse } from "./zod-internals.ts";

/** A schema of {@link encode}: it takes what the other one gives, and gives what the other one takes. */
export interface Encoded<S extends AnySchema> extends z.ZodType<SchemaInput<S>, SchemaOutput<S>> {}

interface EncodedDef extends z.core.$ZodTypeDef {
  readonly type: "custom";
  readonly encoded: ZodSchema;
}

interface EncodedType extends z.ZodType {
  readonly _zod: z.core.$ZodTypeInternals & { def: EncodedDef };
}

let constructor: z.core.$constructor<EncodedType> | undefined;

/** Made with the first such schema; by Zod's own means, so that `.optional()`, `.meta()` and the like keep what it does. */
const toConstructor = (): z.core.$constructor<EncodedType> =>
  (constructor ??= z.core.$constructor<EncodedType>("SallyportEncoded", (inst, def) => {
    z.ZodType.init(inst, def);
    reverse(inst, def.encoded);
  }));

/**
 * Reads a schema backwards: it takes what `schema` gives, and gives what `schema` takes.
 *
 * So one schema serves both directions: `output: ez.encode(user)` takes what `input: user` gives, such as dates, and sends
 * what it takes, such as ISO 8601 texts. Documents and clients see the wire side. Checks and codecs work as in `z.encode`.
 *
 * @throws {@link DefinitionError} when it has a `.transform()`, which has no way back; use `z.codec` instead.
 * @example
 * const user = z.object({ name: z.string(), bornOn: ez.dateIn() });
 * const createUser = factory.build({ method: "post", input: user, output: ez.encode(user), handler: ... });
 */
export const encode = <S extends AnySchema>(given: S): Encoded<S> => {
  const schema = toSchema("ez.encode: the argument", given);
  if (hasOneWay(schema))
    throw new DefinitionError(
      "SLP_DEFINITION_SCHEMA",
      "ez.encode: the schema has a .transform() or z.preprocess(), which has no way back. Use z.codec(), ez.dateIn() or another codec instead.",
    );
  const Constructor = toConstructor();
  return new Constructor({ type: "custom", encoded: schema });
};

const hasOneWay = (schema: ZodSchema): boolean => {
  try {
    return someSchema(schema, ({ _zod }) => _zod.def.type === "transform");
  } catch {
    // a recursive schema may not be declared to its end yet; what has no way back is an error when it is used
    return false;
  }
};

/** The schema that {@link encode} reads backwards; undefined for any other schema. */
export const readEncoded = (schema: ZodSchema): ZodSchema | undefined =>
  (schema._zod.def as Partial<EncodedDef>).encoded;
