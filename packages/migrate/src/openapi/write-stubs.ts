import { join, relative } from "node:path";
import { lockDocument, type Change } from "@sallyport/contract";
import { mark } from "./code.ts";
import { openDocument } from "./document.ts";
import { prove } from "./prove.ts";
import { toStubs, type Stubs } from "./to-stubs.ts";
import { exists, writeFiles } from "./write-files.ts";

/** Where stubs are written. */
export interface StubOptions {
  /** Whether files that exist are replaced. */
  readonly isForced: boolean;
  /** The directory that the report counts from, which gets the lock. */
  readonly directory: string;
}

/** What was written. */
export interface StubReport {
  readonly text: string;
  /** Whether all that differs from the document is marked. */
  readonly isProven: boolean;
}

const lock = "api.lock.json";
const notesFile = "NOTES.md";

/**
 * Writes endpoints from a document, a lock with which `sallyport lock --check` compares them with it, and what cannot
 * be expressed.
 *
 * @throws {@link UsageError} when the document cannot be read, or a file exists.
 */
export const writeStubs = async (
  file: string,
  out: string,
  { isForced, directory }: StubOptions,
): Promise<StubReport> => {
  const document = openDocument(file);
  const stubs = await toStubs(document);
  const proof = await prove(document, stubs).catch(toMessage);
  const { marked = [], unmarked = [] } = typeof proof === "string" ? {} : proof;
  const notes = writeNotes(stubs, marked);
  writeFiles(out, new Map([...stubs.files, [notesFile, notes]]), isForced);
  const marks = [...stubs.files].flatMap(([name, text]) =>
    text.split("\n").flatMap((line, at) => {
      const [, words] = line.trim().split(`// ${mark}`);
      const place = `${relative(directory, join(out, name))}:${at + 1}`;
      return line.trim().startsWith(`// ${mark}`) ? [`  ${place}${words}\n`] : [];
    }),
  );
  const text = [
    `Written to ${relative(directory, out) || "."}: ${[...stubs.files.keys(), notesFile].join(", ")}\n`,
    `Marked for you (${marks.length})\n${marks.join("") || "  none\n"}`,
    "Needed: npm install sallyport zod express http-errors swagger-ui-dist\n        npm install --save-dev @sallyport/contract\n",
    writeLock(file, directory, relative(directory, join(out, "api.ts"))),
    typeof proof === "string"
      ? `The endpoints cannot be compared with the document: ${proof}\n`
      : `Compared with the document: ${stubs.count} operations, ${marks.length} marked, ${unmarked.length} differing and not marked\n${unmarked.map((one) => `  ${toLine(one)}\n`).join("")}`,
  ].join("\n");
  return { text, isProven: typeof proof !== "string" && unmarked.length === 0 };
};

const toMessage = (error: unknown): string =>
  inLine(error instanceof Error ? error.message : String(error));

const toLine = ({ path, text, rule }: Change): string => inLine(`${path}: ${text}. [${rule}]`);

/** Text of a document stays in its line. */
const inLine = (text: string): string => text.replaceAll(/[\s\p{Cc}\u2028\u2029]+/gu, " ").trim();

/** Writes what cannot be expressed, per operation, with what differs from the document there. */
const writeNotes = ({ notes }: Stubs, marked: readonly Change[]): string => {
  const parts = [...notes].flatMap(([operation, list]) => {
    const texts = [
      ...new Set(
        list.map(({ place, text }) =>
          inLine(place === "" || place === "*" ? text : `${place}: ${text}`),
        ),
      ),
    ];
    const changes = marked.filter(
      (one) => one.operation === operation || one.operation.startsWith(`${operation} callback `),
    );
    if (texts.length === 0) return [];
    return [
      `## ${inLine(operation)}\n`,
      ...texts.map((text) => `- ${text}`),
      ...changes.map((one) => `- differs: ${toLine(one)}`),
      "",
    ];
  });
  return `# What cannot be expressed\n\n${parts.join("\n") || "Nothing.\n"}`;
};

/** Locks what the document promises, and returns what to tell; a lock that exists is left, with what it accepts. */
const writeLock = (file: string, directory: string, entry: string): string => {
  const path = join(directory, lock);
  if (exists(path)) return `${lock} exists, and was left as it is.\n`;
  try {
    lockDocument(file, path);
  } catch (error) {
    return `No lock was written: ${toMessage(error)}\n`;
  }
  return `Locked: ${lock} holds what the document promises. To compare the endpoints with it:\n        npx sallyport lock --check ${entry}\n`;
};
