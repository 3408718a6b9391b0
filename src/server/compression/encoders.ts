import type { BrotliCompress } from "node:zlib";
import { loadNodeZlib } from "../../lazy/node-modules.ts";
import type { CompressionOptions } from "./compression-options.ts";

/** A stream that encodes a body. */
export type Encoder = BrotliCompress;

/** Creates an encoder; `length` is the length of the body if known, and only a hint. */
type CreateEncoder = (options: CompressionOptions, length: number | undefined) => Encoder;

const zlib = loadNodeZlib();
const { constants, createBrotliCompress, createDeflate, createGzip } = zlib;
/** Node has had zstd since 22.15 and 23.8. */
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
  // zstd itself uses these maximums for large bodies
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

/** Makes an encoder emit the data that it has buffered. */
export const flushEncoder = (encoder: Encoder, encoding: string): void => {
  // with `Z_SYNC_FLUSH`, later data can refer to earlier data, unlike with the default, `Z_FULL_FLUSH`
  if (encoding === "gzip" || encoding === "deflate") encoder.flush(constants.Z_SYNC_FLUSH);
  else encoder.flush();
};
