import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { ownFile } from "../lazy/own-file.ts";

/**
 * The parts of the client, which the build writes next to this module: modules in the order in which they import each
 * other, and what they export. Only a file that revives dates contains the second part.
 */
const parts = {
  runtime: [
    ...["call-options", "client-errors", "reply-types", "encode-input", "build-request", "pages"],
    ...["send-request", "read-reply", "subscribe", "client", "generated-client", "index"],
  ],
  revival: ["revive-dates"],
} as const;

/** Drops each part of a text from an opening up to its closing, which stays. */
export const dropBetween = (text: string, opening: string, closing: string): string => {
  const [start, ...others] = text.split(opening);
  return [start, ...others.map((part) => part.slice(part.indexOf(closing)))].join("");
};

const bundle = (folder: URL, part: keyof typeof parts): string =>
  parts[part]
    .map((name) => {
      const text = readFileSync(new URL(`${name}.ts`, folder), "utf8");
      const [source = ""] = text.split("// the inferred client alone\n");
      return dropBetween(source, ' from "', ";")
        .replaceAll(/^import [^;]*;\n/gm, "")
        .replaceAll(/^export (?=async|class|const|function|interface|type \w)/gm, "")
        .replaceAll(/^ *\/\/ oxlint-disable.*\n/gm, "")
        .trim();
    })
    .join("\n\n");

/** Writes the parts for the published package; called when the package is built. */
export const writeParts = (from: URL, to: URL): void => {
  for (const part of Object.keys(parts) as (keyof typeof parts)[])
    writeFileSync(new URL(`${part}.txt`, to), bundle(from, part));
};

export const readPart = (part: keyof typeof parts): string => {
  const home = pathToFileURL(createRequire(ownFile).resolve("sallyport/package.json"));
  return ownFile.endsWith(".ts")
    ? bundle(new URL("src/client/", home), part)
    : readFileSync(new URL(`dist/generate-client/${part}.txt`, home), "utf8");
};
