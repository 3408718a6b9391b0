import {
  aPositiveInteger,
  aWholeNumber,
  group,
  isPositiveInteger,
  type Check,
} from "../../basics/messages/option-checks.ts";

/** The limits of a body that is not an upload. */
export interface BodyLimits {
  /**
   * The maximum size of a JSON or form body, in bytes after decompression.
   *
   * @default 1048576
   */
  readonly bytes?: number | undefined;
  /**
   * The maximum number of values in a JSON body: the members of all its objects and the elements of all its arrays.
   * This limits how long a request can keep the process busy, because Zod creates an issue for each wrong value.
   *
   * @default 20000
   */
  readonly values?: number | undefined;
}

/** The `bodyLimit` option: a number limits the bytes. */
export type BodyLimit = number | BodyLimits;

export const toBodyLimits = (option: BodyLimit = {}): BodyLimits =>
  typeof option === "number" ? { bytes: option } : option;

export const aBodyLimit: Check = group(
  { bytes: aPositiveInteger, values: aPositiveInteger },
  [],
  isPositiveInteger,
  (anObject) => `a positive integer, in bytes, or ${anObject}`,
);

/** Upload limits. */
export interface UploadLimits {
  /**
   * The maximum size of a file, in bytes; a file of exactly this size is accepted.
   *
   * @default 10485760
   */
  readonly fileSize?: number | undefined;
  /**
   * The maximum number of files.
   *
   * @default 10
   */
  readonly files?: number | undefined;
  /**
   * The maximum number of text fields.
   *
   * @default 1000
   */
  readonly fields?: number | undefined;
  /**
   * The maximum number of files and fields together.
   *
   * @default 1000
   */
  readonly parts?: number | undefined;
  /**
   * The maximum size of a text field, in bytes.
   *
   * @default 1048576
   */
  readonly fieldSize?: number | undefined;
  /**
   * The maximum size of all text fields together, including their names, in bytes. Text fields are held in memory.
   *
   * @default 2097152, or `fieldSize` if that is larger
   */
  readonly fieldsSize?: number | undefined;
  /**
   * The maximum size of the whole body, in bytes, including its boundaries and part headers.
   *
   * @default `files` * `fileSize` + `fieldsSize` + 1048576 (108003328)
   */
  readonly total?: number | undefined;
  /**
   * How many bytes of a request's files may be held in memory; the rest goes to temporary files.
   *
   * @default 1048576
   */
  readonly memory?: number | undefined;
}

const limitNames: readonly (keyof UploadLimits)[] = [
  ...(["fileSize", "files", "fields", "parts"] as const),
  ...(["fieldSize", "fieldsSize", "total", "memory"] as const),
];

export const someUploadLimits: Check = group(
  Object.fromEntries(limitNames.map((name) => [name, aWholeNumber])),
);
