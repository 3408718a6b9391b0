import type compression from "compression";
import { expectTypeOf, test } from "vitest";
import type { CompressionOptions } from "./config.ts";

type PackageOptions = compression.CompressionOptions;
/** The options without the index signature. */
type Named = { [Name in keyof PackageOptions as string extends Name ? never : Name]: unknown };

test("the options of compression are options of the package", () => {
  expectTypeOf<CompressionOptions>().toExtend<PackageOptions>();
  expectTypeOf<keyof CompressionOptions>().toExtend<keyof Named>();
});
