import { z } from "zod";
import type { SchemaMeta, ZodSchema } from "./schema.ts";
import { someSchema } from "./some-schema.ts";
import { readTopLevel } from "./top-level-keys.ts";

/** A file that a client has sent. */
export interface FileUpload {
  /** The name that the client gave. Never trust it as a path. */
  readonly name: string;
  /** The content; that of a larger file is read from disk at each access. */
  readonly data: Buffer;
  /** In bytes. */
  readonly size: number;
  /** The media type that the client claims. */
  readonly mimetype: string;
  /** Moves the file to a path; without it the file is deleted when the response is finished. */
  readonly mv: (path: string) => Promise<void>;
  readonly encoding?: string | undefined;
  /** Where a larger file is until the response is finished. */
  readonly tempFilePath?: string | undefined;
  /** The MD5 digest of the content, in hexadecimal. */
  readonly md5?: string | undefined;
}

/** A schema of {@link upload}: a client gives a `File` or another `Blob`, the handler gets a {@link FileUpload}. */
export type Upload = z.ZodCustom<FileUpload, Blob>;

/** What is computed is not read: it may be on disk. */
const hasBytes = (value: object): boolean => {
  const own = Object.getOwnPropertyDescriptor(value, "data");
  return own && "value" in own ? own.value instanceof Uint8Array : "data" in value;
};

const isFileUpload = (value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  hasBytes(value) &&
  typeof Reflect.get(value, "name") === "string" &&
  typeof Reflect.get(value, "size") === "number" &&
  typeof Reflect.get(value, "mimetype") === "string" &&
  typeof Reflect.get(value, "mv") === "function";

/**
 * A file in the input, sent as `multipart/form-data`; `upload` must be on in the configuration.
 *
 * Several files under one name fit `z.array(ez.upload())`, and so does one.
 */
export const upload = (meta: SchemaMeta = {}): Upload =>
  z
    .custom<FileUpload>(isFileUpload, {
      error: ({ input }) => `Expected file upload, received ${describe(input)}`,
    })
    // what a client sends is no input that this schema ever sees
    .meta({ ...meta }) as unknown as Upload;

const describe = (value: unknown): string => {
  if (Array.isArray(value)) return "array";
  return value === null ? "null" : typeof value;
};

const isUpload = (schema: ZodSchema): boolean =>
  (schema._zod.def as { fn?: unknown }).fn === isFileUpload;

/** Tells whether a schema takes files somewhere. */
export const takesFiles = (schema: ZodSchema): boolean => someSchema(schema, isUpload);

/** Lists the fields at the top level that take a list of files, which one file is to satisfy as well. */
export const listFileLists = (schema: ZodSchema): readonly string[] =>
  [...readTopLevel(schema).fields]
    .filter(([, field]) => isListOfFiles(field))
    .map(([name]) => name);

const isListOfFiles = (schema: ZodSchema): boolean => {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === "array") return takesFiles(def.element);
  return "innerType" in def && isListOfFiles(def.innerType);
};
