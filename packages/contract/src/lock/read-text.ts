import { readFileSync } from "node:fs";

/** Reads a file without its byte order mark, which some editors write and JSON does not allow. */
export const readText = (file: string): string => readFileSync(file, "utf8").replace(/^\uFEFF/, "");
