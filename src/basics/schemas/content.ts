import type { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import { z } from "zod";
import { anything, aString, checkOptions, isObject } from "../messages/option-checks.ts";
import { DefinitionError } from "../errors.ts";
import { show } from "../messages/show.ts";
import type { SchemaMeta, ZodSchema } from "./schema.ts";

/**
 * What a handler returns for `ez.stream()`, and a client sends: a Node.js stream, a web stream, an async iterable of strings
 * and bytes, or a Blob.
 */
export type StreamContent = AsyncIterable<string | Uint8Array> | Blob | ReadableStream | Readable;

/**
 * The body of a request as a handler receives it for `ez.stream()`: a Node.js stream of Buffers. `web` is the same as a
 * web stream; only one of the two can be read.
 */
export interface BodyStream extends Readable {
  readonly web: ReadableStream<Uint8Array>;
  [Symbol.asyncIterator](): NodeJS.AsyncIterator<Buffer>;
}

/** What a handler returns for `ez.file()` if a path alone is not enough. */
export interface FileContent {
  /** The path of the file: relative to `root` if that is set, otherwise absolute. */
  readonly path: string;
  /**
   * The directory that must contain the file, for paths that come from a client: `..` and hidden files are rejected.
   *
   * @default none, so `path` must be absolute
   */
  readonly root?: string | undefined;
  /**
   * The name under which a browser saves the file. If set, the file is sent as an attachment.
   *
   * @default the schema's `fileName`, if any; otherwise the browser shows the file
   */
  readonly fileName?: string | undefined;
  /**
   * How long a browser, but no shared cache, may use the file without revalidation, in seconds.
   *
   * @default 0
   */
  readonly maxAge?: number | undefined;
}

/** Options for `ez.buffer`, `ez.stream` and `ez.file` in an output. */
export interface ContentOptions extends SchemaMeta<string> {
  /**
   * The name under which a browser saves the content. If set, the content is sent as an attachment.
   *
   * @default the browser shows the content
   */
  readonly fileName?: string;
}

/** The declaration of how the content of an output is sent. */
export interface ContentDeclaration {
  readonly kind: "buffer" | "file" | "stream";
  /** The media type; if a file has several, or a range of them, its name tells which. */
  readonly type: string | undefined;
  /** What is declared: one media type or several, each of which may be a range. */
  readonly types: readonly string[];
  readonly fileName: string | undefined;
}

/** What a function that checks or decodes values says of its schema; copies of the schema keep the function. */
interface Declares {
  readonly "sallyport/content"?: ContentDeclaration;
  readonly "sallyport/kind"?: "buffer" | "dateIn" | "dateOut" | "raw" | "upload";
  /** The media types of an upload. */
  readonly "sallyport/upload"?: readonly string[] | undefined;
}

/** Marks the function of a schema, which needs one of its own. */
export const declare = <Own extends object>(declares: Declares, own: Own): Own =>
  Object.assign(own, declares);

/** Returns what the function of a schema says of it, which may come from another copy of this package. */
const readDeclared = (schema: ZodSchema): Declares => {
  const { fn, transform } = schema._zod.def as { readonly fn?: Declares; transform?: Declares };
  return fn ?? transform ?? {};
};

/** Returns the kind of one of this package's own schemas. */
export const readOwnKind = (schema: ZodSchema): Declares["sallyport/kind"] =>
  readDeclared(schema)["sallyport/kind"];

/** Returns the media types of an upload; undefined if it may have any. */
export const readUploadTypes = (schema: ZodSchema): readonly string[] | undefined =>
  readDeclared(schema)["sallyport/upload"];

/** A schema that knows the media type of its content. */
export interface MediaTyped<Type extends string> {
  /** Type information only. */
  readonly "~media": Type;
}

/** The schema returned by {@link stream}. */
export type StreamSchema<Type extends string = string> = MediaTyped<Type> &
  z.ZodCustom<BodyStream, StreamContent>;

/** The schema returned by {@link file}. */
export type FileSchema<Type extends string = string> = MediaTyped<Type> &
  z.ZodCustom<FileContent | string, FileContent | string>;

/** @throws {@link DefinitionError} when a value is neither a media type nor a range of them. */
export const assertMediaTypes = (what: string, types: readonly unknown[]): void => {
  const wrong = types.find((type) => typeof type !== "string" || !mediaType.test(type));
  if (types.length > 0 && wrong === undefined) return;
  throw new DefinitionError(
    "SLP_DEFINITION_VALUE",
    `${what} must be a media type, such as "text/csv"; got ${show(wrong ?? types)}.`,
  );
};

const mediaType = /^[\w!#$&^+.-]+\/(?:\*|[\w!#$&^+.-]+(?: *; *[\w-]+=[\w!#$&^+."-]+)*)$|^\*\/\*$/;

/** Checks whether a media type is one of several, which may be ranges, such as `image/*`. */
export const isAmong = (type: string, types: readonly string[]): boolean => {
  const toPlain = (one: string): string => one.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  const own = toPlain(type);
  return types
    .map(toPlain)
    .some(
      (one) =>
        one === own || one === "*/*" || (one.endsWith("/*") && own.startsWith(one.slice(0, -1))),
    );
};

const contentChecks = { fileName: aString, description: anything, examples: anything };

/** Creates the schema of an output that bypasses the result handler. */
const declareContent = <T, Type extends string>(
  kind: ContentDeclaration["kind"],
  given: Type | readonly Type[] | undefined,
  isContent: (value: unknown) => boolean,
  expected: string,
  options: ContentOptions = {},
): MediaTyped<Type> & z.ZodCustom<T, T> => {
  checkOptions(`ez.${kind}`, options, contentChecks);
  const { fileName, ...meta } = options;
  const types = [given ?? "*/*"].flat();
  assertMediaTypes(`ez.${kind}: the first argument`, types);
  const [first = "*/*", ...others] = types;
  const type = others.length > 0 || first.includes("*") ? undefined : first;
  const declared: ContentDeclaration = { kind, type, types, fileName };
  const check = declare({ "sallyport/content": declared }, (value: unknown) => isContent(value));
  const schema = z.custom<T>(check, { error: expected }).meta({ ...meta });
  return schema as unknown as MediaTyped<Type> & typeof schema;
};

/** Returns how an output is sent without a result handler; undefined if a result handler sends it. */
export const readContent = (schema: ZodSchema): ContentDeclaration | undefined =>
  readDeclared(schema)["sallyport/content"];

const isStream = (value: unknown): boolean =>
  value instanceof Blob ||
  (isObject(value) &&
    [Symbol.asyncIterator, "getReader"].some(
      (name) => typeof Reflect.get(value, name) === "function",
    ));

const isFile = (value: unknown): boolean => {
  if (typeof value === "string") return value !== "";
  if (!isObject(value)) return false;
  const { path, root, fileName, maxAge } = value as Record<keyof FileContent, unknown>;
  return (
    typeof path === "string" &&
    path !== "" &&
    [root, fileName].every((one) => one === undefined || typeof one === "string") &&
    (maxAge === undefined || (typeof maxAge === "number" && maxAge >= 0))
  );
};

/**
 * Creates the output schema of an endpoint that sends a stream as is, without an envelope, or the schema of the field
 * `raw` in an input, which is then the body while it arrives, as a {@link BodyStream}.
 *
 * The result handler sends errors that occur before the first chunk; a later error cuts the response off. When the
 * client disconnects, the stream is destroyed.
 *
 * @param type the media type, or any (`"*\/*"`), which the handler sets on the response
 * @throws {@link DefinitionError} when `type` is not a media type.
 * @example
 * output: ez.stream("text/csv", { fileName: "users.csv" }),
 * handler: async function* () { for await (const user of users) yield `${user.id},${user.name}\n`; }
 * @example
 * input: z.object({ raw: ez.stream("text/csv") }),
 * handler: async ({ input }) => { for await (const chunk of input.raw) parser.write(chunk); }
 */
export const stream = <const Type extends string = "application/octet-stream">(
  type?: Type,
  options?: ContentOptions,
): StreamSchema<Type> =>
  // the output type is what a handler receives for an input
  declareContent(
    "stream",
    type ?? ("application/octet-stream" as Type),
    isStream,
    "Expected stream",
    options,
  ) as StreamSchema<Type> & z.ZodCustom<StreamContent, StreamContent>;

/**
 * Creates the output schema of an endpoint that sends a file as is: the handler returns its path or a {@link FileContent}.
 *
 * Conditional requests and ranges are supported. If the file is missing or a directory, the response is a 404.
 *
 * @param type the media type; of several, or of a range such as `image/*`, the file's name tells which, and any other is a
 * fault. By default, it is derived from the file's name
 * @throws {@link DefinitionError} when `type` is not a media type.
 * @example
 * output: ez.file(["image/png", "image/jpeg"]),
 */
export const file = <const Type extends string = "*/*">(
  type?: Type | readonly Type[],
  options?: ContentOptions,
): FileSchema<Type> => declareContent("file", type, isFile, "Expected the path of a file", options);

const isBuffer = declare({ "sallyport/kind": "buffer" }, (value: unknown) =>
  Buffer.isBuffer(value),
);

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
