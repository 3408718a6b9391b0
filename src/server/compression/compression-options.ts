import { loadNodeZlib } from "../../lazy/node-modules.ts";

/** Options for compression. */
export interface CompressionOptions {
  /**
   * The offered encodings, in order of preference. The order decides among encodings that a client accepts equally.
   *
   * @default ["zstd", "br", "gzip", "deflate"]; without zstd before Node.js 22.15
   */
  readonly encodings?: readonly ("zstd" | "br" | "gzip" | "deflate")[] | undefined;
  /**
   * The minimum size of a body that is compressed: a number of bytes, or a string such as "1kb".
   *
   * @default "1kb"
   */
  readonly threshold?: number | string | undefined;
  /**
   * The level of gzip and deflate, 0 to 9.
   *
   * @default 6
   */
  readonly level?: number | undefined;
  /**
   * The memory level of gzip and deflate, 1 to 9; more memory improves the compression.
   *
   * @default 8
   */
  readonly memLevel?: number | undefined;
  /**
   * The strategy of gzip and deflate, a constant of node:zlib such as `constants.Z_RLE`.
   *
   * @default constants.Z_DEFAULT_STRATEGY
   */
  readonly strategy?: number | undefined;
  /**
   * The size of the chunks of compressed data, in bytes; at least 64.
   *
   * @default 16384
   */
  readonly chunkSize?: number | undefined;
}

const thresholdPattern = /^(\d+(?:\.\d+)?) ?(b|kb|mb|gb)?$/i;

/** Converts a threshold such as "1kb" to a number of bytes; returns undefined if the threshold is invalid. */
export const toThreshold = (threshold: unknown): number | undefined => {
  if (typeof threshold === "number") return threshold >= 0 ? threshold : undefined;
  const match = typeof threshold === "string" ? thresholdPattern.exec(threshold) : null;
  if (!match) return undefined;
  return (
    Number(match[1]) * 1024 ** ["b", "kb", "mb", "gb"].indexOf((match[2] ?? "b").toLowerCase())
  );
};

/** All encodings, in order of preference. */
export const knownEncodings: readonly string[] = ["zstd", "br", "gzip", "deflate"];

/**
 * Lists the encodings that this Node.js version supports, in order of preference; zstd is available as of 22.15 and
 * 23.8.
 */
export const listSendableEncodings = (): readonly string[] => {
  const hasZstd = "createZstdCompress" in loadNodeZlib();
  return knownEncodings.filter((encoding) => encoding !== "zstd" || hasZstd);
};
