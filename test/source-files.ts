import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../", import.meta.url));

/** Converts the path separators of Windows to slashes. */
export const toSlashes = (path: string): string => path.replaceAll("\\", "/");

/** Lists the code in a folder, as paths from the root of the repository. */
export const listFiles = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => /\.(?:ts|cjs)$/.test(file))
    .map((file) => toSlashes(join(folder, file)));

export const read = (file: string): string => readFileSync(join(root, file), "utf8");

const relativeImport = /(?:from|import)\s*\(?\s*"(\.[^"]+)"/g;

/** Lists the files that the code of a file imports, whether values or types. */
export const listImports = (file: string, code: string): string[] =>
  [...code.matchAll(relativeImport)].map(([, target]) =>
    toSlashes(normalize(join(dirname(file), target ?? ""))),
  );

/** Finds files that import each other in a circle. */
export const findCycle = (
  files: Iterable<string>,
  toImports: (file: string) => readonly string[],
): readonly string[] | undefined => {
  const done = new Set<string>();
  const visit = (file: string, above: readonly string[]): readonly string[] | undefined => {
    if (above.includes(file)) return [...above.slice(above.indexOf(file)), file];
    if (done.has(file)) return undefined;
    for (const target of toImports(file)) {
      const cycle = visit(target, [...above, file]);
      if (cycle) return cycle;
    }
    done.add(file);
    return undefined;
  };
  for (const file of files) {
    const cycle = visit(file, []);
    if (cycle) return cycle;
  }
  return undefined;
};
