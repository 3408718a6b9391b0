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
