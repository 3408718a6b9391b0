import { z } from "zod";
import type { SchemaMeta, ZodSchema } from "./schema.ts";
import { assertShape } from "./assert-schema.ts";
import { declareContent, type ContentOptions, type MediaTyped } from "./content.ts";
import { readTopLevel } from "./top-level-keys.ts";

export const isBuffer = (value: unknown): boolean => Buffer.isBuffer(value);

/** Checks whether a value is a Buffer. Only the schemas of raw bodies use this function, which identifies them. */
export const isRawBody = (value: unknown): boolean => Buffer.isBuffer(value);

/**
 * Creates the schema of a Buffer in an input or an output.
 *
 * With a media type, this is the output schema of an endpoint that sends the bytes as is, without an envelope.
 *
 * @throws {@link DefinitionError} when the first argument is not a media type.
 * @example
 * output: ez.buffer("image/png"),
 */
export const buffer: {
  <const Type extends string>(type: Type, options?: ContentOptions): BufferSchema<Type>;
  (meta?: SchemaMeta): z.ZodCustom<Buffer, Buffer>;
} = ((type: SchemaMeta | string = {}, options?: ContentOptions) =>
  typeof type === "string"
    ? declareContent("buffer", type, isBuffer, "Expected Buffer", options)
    : z.custom<Buffer>(isBuffer, { error: "Expected Buffer" }).meta({ ...type })) as typeof buffer;

/** The schema returned by {@link buffer} with a media type. */
export type BufferSchema<Type extends string = string> = MediaTyped<Type> &
  z.ZodCustom<Buffer, Buffer>;

// oxlint-disable-next-line typescript/no-empty-object-type -- no fields other than `raw`
type NoFields = {};

/** What a client may send as a raw body. */
export type RawContent = ArrayBuffer | Blob | Uint8Array | string;

/** The schema returned by {@link raw}: a client sends a {@link RawContent}, and the handler receives a Buffer. */
export type Raw<Shape extends z.ZodRawShape = NoFields> = z.ZodObject<
  { raw: z.ZodCustom<Buffer, RawContent> } & Shape
>;

/** Descriptions for generated documents, and the media type of the body. */
export interface RawMeta extends SchemaMeta {
  /**
   * The media type that documents show; the server accepts any.
   *
   * @default any
   */
  readonly contentMediaType?: string;
}

/**
 * Creates the input schema of an endpoint that accepts the unparsed body, of any media type, as the Buffer `raw`.
 *
 * @param fields further fields of the input, such as path parameters
 */
export const raw = <Shape extends z.ZodRawShape = NoFields>(
  fields?: Shape,
  meta: RawMeta = {},
): Raw<Shape> => {
  if (fields !== undefined) assertShape("ez.raw", fields);
  return z
    .object({ raw: z.custom<Buffer>(isRawBody, { error: "Expected Buffer" }), ...fields })
    .meta({ ...meta }) as unknown as Raw<Shape>;
};

/** Returns the media type in the `.meta({ contentMediaType })` of a raw body's schema. */
export const readRawType = (schema: ZodSchema): string | undefined => {
  if (!takesRawBody(schema)) return undefined;
  const field = readTopLevel(schema).fields.get("raw");
  const types = [schema, field].map(
    (one) => z.globalRegistry.get(one as z.ZodType)?.["contentMediaType"],
  );
  return types.find((type): type is string => typeof type === "string");
};

export const takesRawBody = (schema: ZodSchema): boolean => {
  const field = readTopLevel(schema).fields.get("raw");
  return (field?._zod.def as { fn?: unknown } | undefined)?.fn === isRawBody;
};
