import type { BrotliCompress } from "node:zlib";
import { loadNodeZlib } from "../../lazy/node-modules.ts";
import type { CompressionOptions } from "./compression-options.ts";

/** A stream that encodes a body. */
export type Encoder = BrotliCompress;

/** @param length the length of the body if known; only a hint */
type CreateEncoder = (options: CompressionOptions, length: number | undefined) => Encoder;

const zlib = loadNodeZlib();
const { constants, createBrotliCompress, createDeflate, createGzip } = zlib;
/** Node has zstd as of 22.15 and 23.8. */
const { createZstdCompress } = zlib as { createZstdCompress?: (options: object) => Encoder };

/**
 * Returns the parameters of zstd for a body of the given length. A small body needs no large tables, and creating them
 * would take longer than compressing it.
 */
const toZstdParams = (length: number | undefined): object => {
  if (length === undefined) return {};
  const { ZSTD_c_windowLog, ZSTD_c_hashLog, ZSTD_c_chainLog } = constants as unknown as Record<
    `ZSTD_c_${"windowLog" | "hashLog" | "chainLog"}`,
    number
  >;
  const log = Math.max(10, Math.ceil(Math.log2(length)));
  // zstd uses these maximums for large bodies
  return {
    [ZSTD_c_windowLog]: Math.min(log, 21),
    [ZSTD_c_hashLog]: Math.min(log, 17),
    [ZSTD_c_chainLog]: Math.min(log, 16),
  };
};

const toZlibOptions = ({ level = 6, memLevel, strategy, chunkSize }: CompressionOptions) => ({
  level,
  memLevel,
  strategy,
  chunkSize,
});

const zstd: [string, CreateEncoder][] = createZstdCompress
  ? [
      [
        "zstd",
        ({ chunkSize }, length) => createZstdCompress({ chunkSize, params: toZstdParams(length) }),
      ],
    ]
  : [];

const encoders: ReadonlyMap<string, CreateEncoder> = new Map<string, CreateEncoder>([
  ...zstd,
  [
    "br",
    ({ chunkSize }) =>
      // the default quality of 11 suits files that are compressed once
      createBrotliCompress({ chunkSize, params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  ],
  ["gzip", (options) => createGzip(toZlibOptions(options))],
  ["deflate", (options) => createDeflate(toZlibOptions(options))],
]);

/**
 * Creates an encoder; returns undefined if Node does not support the encoding.
 *
 * @param length the length of the body if known; only a hint
 */
export const createEncoder = (
  encoding: string,
  options: CompressionOptions,
  length: number | undefined,
): Encoder | undefined => encoders.get(encoding)?.(options, length);

/** Sends the data that an encoder still holds. */
export const flushEncoder = (encoder: Encoder, encoding: string): void => {
  // of zlib's flush modes, `Z_SYNC_FLUSH` keeps the data that the next part can refer to
  if (encoding === "gzip" || encoding === "deflate") encoder.flush(constants.Z_SYNC_FLUSH);
  else encoder.flush();
};
