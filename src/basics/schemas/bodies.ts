import { isUint8Array } from "node:util/types";
import { z } from "zod";
import type { RequestErrorCode } from "../errors.ts";
import { aPositiveInteger, checkDefinition, isObject } from "../messages/option-checks.ts";
import {
  assertMediaTypes,
  declare,
  isAmong,
  readContent,
  readOwnKind,
  readUploadTypes,
} from "./content.ts";
import { assertShape, type SchemaMeta, type ZodSchema } from "./schema.ts";
import { listInnerSchemas, listSameValue, someSchema, walkSchemas } from "./some-schema.ts";
import { listArrayFields, readTopLevel } from "./top-level-keys.ts";

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
  const descriptors = Object.getOwnPropertyDescriptors(schema._zod.def);
  const def: object = Object.defineProperties({ [formMark]: true }, descriptors);
  const marked = schema.clone(def as z.core.$ZodObjectDef, { parent: true });
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

const isRawBody = declare({ "sallyport/kind": "raw" }, (value: unknown) => Buffer.isBuffer(value));

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
   * The media type that documents show; the server accepts any, except `multipart/*` if another one is declared.
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
  const field = readTopLevel(schema).fields.get("raw") as ZodSchema;
  const [streamed = "*/*"] = readContent(field)?.types ?? [];
  if (streamed !== "*/*") return streamed;
  const types = [schema, field].map(
    (one) => z.globalRegistry.get(one as z.ZodType)?.["contentMediaType"],
  );
  return types.find((type): type is string => typeof type === "string");
};

export const takesRawBody = (schema: ZodSchema): boolean => {
  const field = readTopLevel(schema).fields.get("raw");
  return field !== undefined && (readOwnKind(field) === "raw" || isStreamed(field));
};

const isStreamed = (field: ZodSchema): boolean => readContent(field)?.kind === "stream";

/** Checks whether the body is passed on while it arrives. */
export const takesStream = (schema: ZodSchema): boolean => {
  const field = readTopLevel(schema).fields.get("raw");
  return field !== undefined && isStreamed(field);
};

/** Checks whether a schema has a stream elsewhere than as its field `raw` itself, where no body would be passed on. */
export const hidesStream = (schema: ZodSchema): boolean => {
  const field = readTopLevel(schema).fields.get("raw");
  return someSchema(schema, (inner) => inner !== field && isStreamed(inner));
};

/** A file sent by a client. */
export interface FileUpload {
  /** The client's name for the file. Never trust it as a path. */
  readonly name: string;
  /** The content of the file. The content of a larger file is read from disk on each access. */
  readonly data: Buffer;
  /** The size in bytes. */
  readonly size: number;
  /** The media type as stated by the client. */
  readonly mimetype: string;
  /**
   * Moves the file to a path in an existing directory, and replaces any file there. A relative path is relative to the
   * working directory. A file that is not moved is deleted when the response is finished.
   */
  readonly mv: (path: string) => Promise<void>;
  readonly encoding?: string | undefined;
  /** Where a larger file is stored until the response is finished. */
  readonly tempFilePath?: string | undefined;
  /** The MD5 digest of the content, in hexadecimal. */
  readonly md5?: string | undefined;
}

/** The schema returned by {@link upload}: a client sends a `Blob`, and the handler receives a {@link FileUpload}. */
export type Upload = z.ZodCustom<FileUpload, Blob>;

/** Checks whether an object has `data`, without calling a getter, because the content may be on disk. */
const hasBytes = (value: object): boolean => {
  const own = Object.getOwnPropertyDescriptor(value, "data");
  return own && "value" in own ? isUint8Array(own.value) : "data" in value;
};

const isFileUpload = (value: unknown): value is FileUpload =>
  isObject(value) &&
  hasBytes(value) &&
  typeof Reflect.get(value, "name") === "string" &&
  typeof Reflect.get(value, "size") === "number" &&
  typeof Reflect.get(value, "mimetype") === "string" &&
  typeof Reflect.get(value, "mv") === "function";

/** Descriptions for generated documents, and what is accepted. */
export interface UploadMeta extends SchemaMeta {
  /**
   * The accepted media types, such as `["image/png", "application/pdf"]` or `"image/*"`, by the first bytes of the file;
   * other files get a 415. Needs the package `file-type`. See the documentation for types without such bytes.
   *
   * @default any
   */
  readonly types?: string | readonly string[];
  /**
   * The maximum size in bytes, within the limit of the configuration; a larger file gets a 413.
   *
   * @default the limit of the configuration
   */
  readonly maxSize?: number;
}

/**
 * Creates the schema of a file in the input, sent as `multipart/form-data`; `upload` must be enabled in the
 * configuration.
 *
 * `z.array(ez.upload())` accepts several files under one name, or a single file.
 *
 * @throws DefinitionError when `types` or `maxSize` is invalid.
 * @example
 * input: z.object({ avatar: ez.upload({ types: ["image/png", "image/jpeg"], maxSize: 1_000_000 }) }),
 */
export const upload = ({ types: given, maxSize, ...meta }: UploadMeta = {}): Upload => {
  const types = given === undefined ? undefined : [given].flat();
  if (types) assertMediaTypes("ez.upload: `types`", types);
  checkDefinition("ez.upload", { maxSize }, { maxSize: aPositiveInteger });
  const declares = { "sallyport/kind": "upload", "sallyport/upload": types } as const;
  const schema = z.custom<FileUpload>(
    declare(declares, (value: unknown) => isFileUpload(value)),
    { error: ({ input }) => `Expected file upload, received ${toKind(input)}` },
  );
  const sized =
    maxSize === undefined
      ? schema
      : schema.refine(({ size }) => size <= maxSize, {
          error: `Expected at most ${maxSize} bytes`,
          params: toFault("SLP_UPLOAD_FILE_TOO_LARGE"),
        });
  const typed = types
    ? sized.refine(({ mimetype }) => isAmong(mimetype, types), {
        error: `Expected ${listTypes(types)}`,
        params: toFault("SLP_UPLOAD_TYPE"),
      })
    : sized;
  // the type names what a client sends, but the schema only ever parses the resulting FileUpload
  return typed.meta(
    maxSize === undefined ? { ...meta } : { maxLength: maxSize, ...meta },
  ) as unknown as Upload;
};

const listTypes = (types: readonly string[]): string =>
  new Intl.ListFormat("en", { type: "disjunction" }).format(types);

/** The parameter of an issue that tells with which error the request is rejected in place of a 400. */
const faultKey = "sallyport/fault";

const toFault = (code: RequestErrorCode) => ({ [faultKey]: code });

/** Returns the code of the error of an invalid file; undefined for other issues. */
export const readFault = (issue: object): RequestErrorCode | undefined => {
  const { params } = issue as { readonly params?: Readonly<Record<string, unknown>> };
  return params?.[faultKey] as RequestErrorCode | undefined;
};

const toKind = (value: unknown): string => {
  if (Array.isArray(value)) return "array";
  return value === null ? "null" : typeof value;
};

/** Checks whether a schema accepts files, at any depth. */
export const takesFiles = (schema: ZodSchema): boolean =>
  someSchema(schema, (inner) => readOwnKind(inner) === "upload");

/** Lists the media types of the files under each name, as far as the schema declares them. */
export const listUploadTypes = (schema: ZodSchema): ReadonlyMap<string, readonly string[]> =>
  new Map(
    [...readTopLevel(schema).fields].flatMap(([name, field]) => {
      const types = [...walkSchemas(field)].flatMap((inner) => readUploadTypes(inner) ?? []);
      return types.length > 0 ? [[name, [...new Set(types)]] as const] : [];
    }),
  );

/** Checks whether a schema accepts only files of some media types, at any depth. */
export const checksFileTypes = (schema: ZodSchema): boolean =>
  someSchema(schema, (inner) => readUploadTypes(inner) !== undefined);

/** Checks whether a schema accepts files of the web, which no request has, before any of its functions has run. */
export const takesWebFiles = (schema: ZodSchema): boolean => {
  const listInner = (outer: ZodSchema): readonly ZodSchema[] => {
    const { def } = (outer as z.core.$ZodTypes)._zod;
    return def.type === "pipe" ? [def.in] : listInnerSchemas(outer);
  };
  return [...walkSchemas(schema, listInner)].some(({ _zod }) => _zod.def.type === "file");
};

/** Lists the top-level fields that accept only arrays of files. A single file for such a field is put into an array. */
export const listFileLists = (schema: ZodSchema): readonly string[] => {
  const { fields } = readTopLevel(schema);
  return listArrayFields(schema).filter((name) => takesFiles(fields.get(name) as ZodSchema));
};
