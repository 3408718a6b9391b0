import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { ts } from "ts-morph";

export const isCode = (file: string): boolean => /\.[cm]?[jt]sx?$/.test(file);

export const isTypeScript = (file: string): boolean => /\.[cm]?tsx?$/.test(file);

/** What other tools have written, or will write again. */
const skipped = /^(?:node_modules|dist|build|coverage|\..+)$/;

/** Returns the code, the package.json and the tsconfig.json files below a directory. */
export const listFiles = (directory: string): readonly string[] =>
  readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) return skipped.test(entry.name) ? [] : listFiles(path);
    const isRead =
      entry.isFile() && (isCode(path) || /^(?:package|tsconfig.*)\.json$/.test(entry.name));
    return isRead ? [path] : [];
  });

/** Returns the nearest of the given package.json files around a file. */
export const findManifest = (
  file: string,
  manifests: ReadonlyMap<string, unknown>,
): string | undefined => {
  const directory = dirname(file);
  const manifest = join(directory, "package.json");
  if (manifests.has(manifest)) return manifest;
  return directory === file ? undefined : findManifest(directory, manifests);
};

/**
 * Returns the lines that still name express-zod-api, and the changed files that the compiler can no longer read.
 *
 * @param changed the new text of each changed file, by its path
 */
export const findRemains = (
  directory: string,
  files: Iterable<string>,
  changed: ReadonlyMap<string, string>,
): readonly string[] =>
  [...new Set(files)].flatMap((file) => {
    const text = changed.get(file) ?? readFileSync(file, "utf8");
    const place = (line: number) => `${relative(directory, file)}:${line}`;
    const lines = text.split("\n").flatMap((line, index) => {
      const isNamed = /["'`]@?express-zod-api(?:\/[\w-]+)*["'`]/.test(line);
      return isNamed && !/^\s*(?:\/\/|\*|\/\*)/.test(line)
        ? [`${place(index + 1)} ${line.trim()}`]
        : [];
    });
    if (!changed.has(file) || !isCode(file)) return lines;
    const { diagnostics = [] } = ts.transpileModule(text, {
      // nothing is emitted for declarations
      fileName: file.replace(/\.d(?=\.[cm]?ts$)/, ""),
      reportDiagnostics: true,
    });
    return [
      ...lines,
      ...diagnostics.map(({ file: source, start = 0, messageText }) => {
        const at = source?.getLineAndCharacterOfPosition(start).line ?? 0;
        return `${place(at + 1)} ${ts.flattenDiagnosticMessageText(messageText, " ")}`;
      }),
    ];
  });
