import { buffer } from "node:stream/consumers";
import * as zlib from "node:zlib";
import { describe, expect, test } from "vitest";
import { createEncoder } from "./encoders.ts";

const text = Array.from({ length: 3000 }, (_, index) => Math.sin(index)).join();

/** Returns the sizes of the chunks that an encoder emits for a string. */
const toSizes = async (encoding: string, options: object): Promise<number[]> => {
  const encoder = createEncoder(encoding, options, text.length);
  if (!encoder) throw new Error(`There is no ${encoding}`);
  const sizes: number[] = [];
  encoder.on("data", (piece: Buffer) => sizes.push(piece.length)).end(text);
  await new Promise((resolve) => encoder.once("end", resolve));
  return sizes;
};
const sum = (sizes: readonly number[]): number => sizes.reduce((all, size) => all + size, 0);

describe("an encoder", () => {
  test.each(["br", "gzip", "deflate"])("emits chunks of the chosen size (%s)", async (encoding) => {
    expect(Math.max(...(await toSizes(encoding, { chunkSize: 100 })))).toBe(100);
    expect(Math.max(...(await toSizes(encoding, {})))).toBeGreaterThan(1000);
  });

  test.each(["gzip", "deflate"])(
    "compresses at the chosen level, or at level 6 by default (%s)",
    async (encoding) => {
      const toSize = async (options: object): Promise<number> =>
        sum(await toSizes(encoding, options));
      expect(await toSize({ level: 0 })).toBeGreaterThan(text.length);
      expect(await toSize({ level: 1 })).toBeGreaterThan(await toSize({}));
      expect(await toSize({})).toBe(await toSize({ level: 6 }));
      expect(await toSize({})).toBeLessThan(await toSize({ level: 5 }));
      expect(await toSize({ memLevel: 1 })).not.toBe(await toSize({ memLevel: 9 }));
      expect(await toSize({ strategy: 2 })).not.toBe(await toSize({ strategy: 0 }));
    },
  );

  test("for brotli uses a quality that suits responses rather than files", async () => {
    // with a quality of 11, the output would be a tenth smaller, and compression would take twenty times as long
    expect(sum(await toSizes("br", {}))).toBeGreaterThan(text.length * 0.4);
  });

  // Node has had zstd since 22.15 and 23.8
  test.skipIf(!("createZstdCompress" in zlib)).each([0, 1, 1024, 1025, 2 ** 21, 2 ** 40])(
    "for zstd accepts a body length of %i bytes",
    async (length) => {
      const encoder = createEncoder("zstd", {}, length);
      encoder?.end(text);
      const { zstdDecompressSync: decode } = zlib as unknown as {
        readonly zstdDecompressSync: (bytes: Buffer) => Buffer;
      };
      expect(decode(await buffer(encoder as NonNullable<typeof encoder>)).toString()).toBe(text);
    },
  );

  test("does not exist for an unknown encoding", () => {
    expect(createEncoder("lzw", {}, undefined)).toBeUndefined();
  });

  test("does not require a length", async () => {
    const encoder = createEncoder("gzip", {}, undefined);
    encoder?.end("a");
    expect(zlib.gunzipSync(await buffer(encoder as NonNullable<typeof encoder>)).toString()).toBe(
      "a",
    );
  });
});
