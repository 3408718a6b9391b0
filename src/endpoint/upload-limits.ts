/** Limits of uploads. */
export interface UploadLimits {
  /**
   * The largest file, in bytes; one of exactly this size is accepted.
   *
   * @default 10485760
   */
  readonly fileSize?: number | undefined;
  /** @default 10 */
  readonly files?: number | undefined;
  /** @default 1000 */
  readonly fields?: number | undefined;
  /** Files and fields together. @default 1000 */
  readonly parts?: number | undefined;
  /**
   * The largest text field, in bytes.
   *
   * @default 1048576
   */
  readonly fieldSize?: number | undefined;
  /**
   * The text fields together, their names included, in bytes; they are held in memory.
   *
   * @default 2097152, or `fieldSize` where that is more
   */
  readonly fieldsSize?: number | undefined;
  /**
   * The whole body, in bytes, with its boundaries and the headers of its parts.
   *
   * @default `files` times `fileSize`, `fieldsSize`, and 1048576 more: 108003328
   */
  readonly total?: number | undefined;
  /**
   * How much of the files of one request may be held in memory, in bytes; the rest goes to temporary files.
   *
   * @default 1048576
   */
  readonly memory?: number | undefined;
}

/** The names of {@link UploadLimits}. */
export const uploadLimits: readonly (keyof UploadLimits)[] = [
  ...(["fileSize", "files", "fields", "parts"] as const),
  ...(["fieldSize", "fieldsSize", "total", "memory"] as const),
];
