import { loadNodeZlib } from "../../lazy/node-modules.ts";

/** How responses are compressed. */
export interface CompressionOptions {
  /**
   * The encodings that are offered, in the order of preference, which decides among those that a client likes equally.
   *
   * @default ["zstd", "br", "gzip", "deflate"]; without zstd where Node lacks it, before 22.15
   */
  readonly encodings?: readonly ("zstd" | "br" | "gzip" | "deflate")[] | undefined;
  /**
   * The smallest body that is compressed, in bytes, or a text such as "1kb".
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
   * How much memory gzip and deflate take to compress better, 1 to 9.
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
   * The size of the pieces in which compressed bytes are sent, 64 or more.
   *
   * @default 16384
   */
  readonly chunkSize?: number | undefined;
}

const thresholdPattern = /^(\d+(?:\.\d+)?) ?(b|kb|mb|gb)?$/i;

/** The bytes that a threshold such as "1kb" means; undefined for what is none. */
export const toThreshold = (threshold: unknown): number | undefined => {
  if (typeof threshold === "number") return threshold >= 0 ? threshold : undefined;
  const match = typeof threshold === "string" ? thresholdPattern.exec(threshold) : null;
  if (!match) return undefined;
  return (
    Number(match[1]) * 1024 ** ["b", "kb", "mb", "gb"].indexOf((match[2] ?? "b").toLowerCase())
  );
};

/** The encodings that there are, in the order of preference. */
export const knownEncodings: readonly string[] = ["zstd", "br", "gzip", "deflate"];

/** The encodings that this Node can send, in the order of preference; it has zstd since 22.15 and 23.8. */
export const listSendableEncodings = (): readonly string[] => {
  const hasZstd = "createZstdCompress" in loadNodeZlib();
  return knownEncodings.filter((encoding) => encoding !== "zstd" || hasZstd);
};
