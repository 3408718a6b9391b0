import { z } from "zod";
import type { SchemaMeta, ZodSchema } from "./schema.ts";
import { someSchema } from "./some-schema.ts";
import { listArrayFields, readTopLevel } from "./top-level-keys.ts";

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
  return own && "value" in own ? own.value instanceof Uint8Array : "data" in value;
};

export const isFileUpload = (value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  hasBytes(value) &&
  typeof Reflect.get(value, "name") === "string" &&
  typeof Reflect.get(value, "size") === "number" &&
  typeof Reflect.get(value, "mimetype") === "string" &&
  typeof Reflect.get(value, "mv") === "function";

/**
 * Creates the schema of a file in the input, sent as `multipart/form-data`; `upload` must be enabled in the
 * configuration.
 *
 * `z.array(ez.upload())` accepts several files under one name, or a single file.
 */
export const upload = (meta: SchemaMeta = {}): Upload =>
  z
    .custom<FileUpload>(isFileUpload, {
      error: ({ input }) => `Expected file upload, received ${describe(input)}`,
    })
    // the type names what a client sends, but the schema only ever parses the resulting FileUpload
    .meta({ ...meta }) as unknown as Upload;

const describe = (value: unknown): string => {
  if (Array.isArray(value)) return "array";
  return value === null ? "null" : typeof value;
};

/** Checks whether a schema accepts files, at any depth. */
export const takesFiles = (schema: ZodSchema): boolean =>
  someSchema(schema, ({ _zod }) => (_zod.def as { fn?: unknown }).fn === isFileUpload);

/** Lists the top-level fields that accept only arrays of files. A single file for such a field is put into an array. */
export const listFileLists = (schema: ZodSchema): readonly string[] => {
  const { fields } = readTopLevel(schema);
  return listArrayFields(schema).filter((name) => takesFiles(fields.get(name) as ZodSchema));
};
