import { readFileSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, relative, resolve } from "node:path";
import { parseDocument } from "yaml";
import { DocumentError } from "../errors.ts";
import type { Json } from "../json.ts";

/** A document, and how to read the others that it refers to. */
export interface Source {
  /** The name of the document, for messages and for references. */
  readonly file: string;
  readonly document: Json;
  /** Reads the document at a path that a reference names, relative to another document. */
  readonly readOther?: ReadOther | undefined;
}

export type ReadOther = (
  path: string,
  from: string,
) => { readonly file: string; readonly document: Json };

/**
 * Reads a document in JSON or YAML from a file. References may lead to files in its folder, and in those below it.
 *
 * @throws {@link DocumentError} when the file cannot be read or parsed.
 */
export const readSource = (file: string): Source => {
  const folder = realpathSync(dirname(resolve(file)));
  const known = new Map<string, Json>();
  return {
    file,
    document: readFile(file),
    readOther: (path, from) => {
      const other = resolve(dirname(from), path);
      const document = known.get(other) ?? readFile(other);
      known.set(other, document);
      const inside = relative(folder, realpathSync(other));
      if (inside.startsWith("..") || isAbsolute(inside))
        throw new DocumentError(
          `${from}: the reference ${path} leads out of the folder of the document. Move the file into the folder, or bundle the document into one file.`,
        );
      return { file: other, document };
    },
  };
};

const readFile = (file: string): Json => {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new DocumentError(`${file} cannot be read: ${toReason(error)}`);
  }
  return parseText(text, file);
};

/** More than the largest public documents have, in characters. */
const maxLength = 100_000_000;

/** Levels of objects and arrays within each other; public documents have less than 60. */
const maxDepth = 200;

/**
 * Parses a document in JSON or YAML.
 *
 * @throws {@link DocumentError} when the text is neither, or is too long or too deep.
 */
export const parseText = (given: string, file: string): Json => {
  // some editors write a byte order mark, which JSON does not allow
  const text = given.replace(/^\uFEFF/, "");
  if (text.length > maxLength)
    throw new DocumentError(`${file} is longer than ${maxLength} characters.`);
  const document = parse(text, file);
  checkDepth(document, file);
  return document;
};

const parse = (text: string, file: string): Json => {
  // JSON is YAML, too, but takes much longer to read as such
  if (/^\s*[{[]/.test(text))
    try {
      return JSON.parse(text) as Json;
    } catch (error) {
      if (file.endsWith(".json"))
        throw new DocumentError(`${file} cannot be read: ${toReason(error)}`);
    }
  try {
    // numbers beyond 2 ** 53 lose digits in JavaScript, as they do in JSON
    const parsed = parseDocument(text, { logLevel: "error", merge: true });
    const [error] = parsed.errors;
    if (error) throw error;
    // documents of generators have many aliases, which are the same object each time
    return parsed.toJS({ maxAliasCount: -1 }) as Json;
  } catch (error) {
    throw new DocumentError(`${file} cannot be read: ${toReason(error)}`);
  }
};

const toReason = (error: unknown): string =>
  error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);

/** An object that several places share, as YAML allows, is entered once. */
const checkDepth = (document: Json, file: string): void => {
  const seen = new Set<object>();
  let level: readonly Json[] = [document];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth)
      throw new DocumentError(
        `${file} is nested deeper than ${maxDepth} levels. Give inner schemas a name in components, and refer to them.`,
      );
    const next: Json[] = [];
    for (const value of level) {
      if (typeof value !== "object" || value === null || seen.has(value)) continue;
      seen.add(value);
      // spreading a list of millions would exceed the stack
      for (const inner of Object.values(value)) next.push(inner);
    }
    level = next;
  }
};
