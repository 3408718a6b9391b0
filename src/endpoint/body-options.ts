import { endpointMethods } from "../http/method.ts";
import { aBoolean, assertKeys, assertValues, failValue } from "./check-definition.ts";
import { inputSources as knownSources } from "./input-sources.ts";

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const assertSources = (where: string, sources: unknown): void => {
  if (sources === undefined) return;
  if (!isObject(sources)) {
    assertSourceList(where, "inputSources", sources);
    return;
  }
  assertKeys(`${where}: \`inputSources\``, sources, endpointMethods);
  for (const [method, list] of Object.entries(sources))
    if (list !== undefined) assertSourceList(where, `inputSources.${method}`, list);
};

const assertSourceList = (where: string, name: string, list: unknown): void => {
  const isSource = (one: unknown): boolean => knownSources.some((known) => known === one);
  if (!Array.isArray(list) || !list.every(isSource))
    failValue(where, name, `an array of ${knownSources.join(", ")}`, list);
};

const assertBodyLimit = (where: string, bodyLimit: unknown): void => {
  if (bodyLimit === undefined || isBodyLimit(bodyLimit)) return;
  if (!isObject(bodyLimit)) {
    const expected = "a positive integer, in bytes, or an object with bytes, values";
    failValue(where, "bodyLimit", expected, bodyLimit);
  }
  assertKeys(`${where}: \`bodyLimit\``, bodyLimit as object, ["bytes", "values"]);
  for (const [name, limit] of Object.entries(bodyLimit as object) as [string, unknown][])
    if (limit !== undefined && !isBodyLimit(limit))
      failValue(where, `bodyLimit.${name}`, "a positive integer", limit);
};

/** @throws {@link DefinitionError} when an option for the sources of the input, or for the body, is invalid. */
export const assertInputOptions = (
  where: string,
  definition: {
    readonly [Name in "bodyLimit" | "forms" | "inputSources" | "keepRawBody" | "upload"]?: unknown;
  },
): void => {
  const { bodyLimit, inputSources, upload } = definition;
  assertSources(where, inputSources);
  assertValues(where, definition, { keepRawBody: aBoolean, forms: aBoolean });
  assertBodyLimit(where, bodyLimit);
  if (upload === undefined) return;
  const { limits } = upload as { readonly limits?: UploadLimits };
  if (!isObject(limits)) failValue(where, "upload", "an object with `limits`", upload);
  assertKeys(`${where}: \`upload\``, upload as object, ["limits"]);
  assertKeys(`${where}: \`upload.limits\``, limits as object, uploadLimits);
  for (const [name, limit] of Object.entries(limits as object) as [string, unknown][])
    if (limit !== undefined && !(Number.isSafeInteger(limit) && Number(limit) >= 0))
      failValue(where, `upload.limits.${name}`, "an integer, 0 or more", limit);
};

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

/** The option `bodyLimit`: a number limits the bytes. */
export type BodyLimit = number | BodyLimits;

/** Returns the limits that the option `bodyLimit` sets. */
export const toBodyLimits = (option: BodyLimit = {}): BodyLimits =>
  typeof option === "number" ? { bytes: option } : option;

/** Checks whether a value may be a limit. */
export const isBodyLimit = (value: unknown): boolean =>
  Number.isSafeInteger(value) && Number(value) > 0;

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

/** The names of the limits in {@link UploadLimits}. */
export const uploadLimits: readonly (keyof UploadLimits)[] = [
  ...(["fileSize", "files", "fields", "parts"] as const),
  ...(["fieldSize", "fieldsSize", "total", "memory"] as const),
];
