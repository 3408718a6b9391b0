import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { compareDocuments, type Change } from "@sallyport/contract";
import { ts } from "ts-morph";
import type { ApiDocument } from "./document.ts";
import type { Note } from "./notes.ts";
import type { Stubs } from "./to-stubs.ts";

/** What the comparison of a document with that of the stubs has found. */
export interface Proof {
  /** What differs and is marked, by operation. */
  readonly marked: readonly Change[];
  /** What differs and is not marked. */
  readonly unmarked: readonly Change[];
}

/** Whether a change only says what the framework adds to each API. */
const isOwn = ({ rule, level, operation, path }: Change, { description }: ApiDocument): boolean => {
  if (level === "harmless") return true;
  // which challenges a client
  if (rule.startsWith("header-") && path.endsWith(" response 401 header WWW-Authenticate"))
    return true;
  if (rule.startsWith("server-")) return description.servers.length === 0;
  // an error without a body gets one
  const status = / response ([45]\d\d|[45]XX|default)(?: |$)/.exec(
    path.slice(operation.length),
  )?.[1];
  if (status === undefined || !rule.startsWith("response-media-type-")) return false;
  const given = Object.values(description.operations).find(({ name }) => name === operation);
  return Object.keys(given?.responses[status]?.content ?? {}).length === 0;
};

const isMarked = ({ path, operation }: Change, notes: readonly Note[]): boolean => {
  const place = path.slice(operation.length).trim();
  return notes.some(
    (note) =>
      note.place === "*" ||
      place === note.place ||
      (note.place !== "" && place.startsWith(`${note.place} `)),
  );
};

/** Loads stubs, and compares their document with the given one by the rules of the lock. */
export const prove = async (document: ApiDocument, stubs: Stubs): Promise<Proof> => {
  const written = await loadDocument(stubs.files);
  // what is harmless in one direction, such as a request that accepts more, is told by the other one
  const changes = [
    ...compareDocuments(document.root, written),
    ...compareDocuments(written, document.root).map(turn),
  ].filter((one) => !isOwn(one, document));
  const all = new Map<string, readonly Note[]>();
  for (const [name, notes] of stubs.notes)
    all.set(toShape(name), [...(all.get(toShape(name)) ?? []), ...notes]);
  const notesOf = (change: Change): readonly Note[] => {
    const [name = "", callback] = change.operation.split(" callback ");
    const notes = all.get(toShape(name)) ?? [];
    return callback === undefined
      ? notes
      : notes.map((one) => (one.place.startsWith("callback") ? { ...one, place: "*" } : one));
  };
  return {
    marked: changes.filter((one) => isMarked(one, notesOf(one))),
    unmarked: changes.filter((one) => !isMarked(one, notesOf(one))),
  };
};

/** Writes the name of an operation without what routes may write otherwise. */
const toShape = (name: string): string => {
  const shape = name.replaceAll(/\{[^}]*\}/g, "{}").replace(/(.)\/$/, "$1");
  try {
    return decodeURIComponent(shape);
  } catch {
    return shape;
  }
};

const turn = (change: Change): Change => ({
  ...change,
  text: `compared with the written document, ${change.text}`,
});

const loadDocument = async (files: ReadonlyMap<string, string>): Promise<unknown> => {
  const directory = mkdtempSync(join(tmpdir(), "sallyport-migrate-"));
  try {
    for (const name of ["sallyport", "zod", "http-errors"]) link(name, directory);
    for (const [name, text] of files)
      write(join(directory, name.replace(/\.ts$/, ".js")), toJavaScript(text));
    write(join(directory, "package.json"), '{ "type": "module" }');
    write(
      join(directory, "proof.js"),
      `import { generateOpenApi } from "sallyport/openapi";
import { config, description, routing } from "./api.js";
export const document = generateOpenApi({ routing, config, ...description });`,
    );
    const { document } = (await import(pathToFileURL(join(directory, "proof.js")).href)) as {
      readonly document: object;
    };
    // without what only JavaScript can express
    return JSON.parse(JSON.stringify(document)) as unknown;
  } finally {
    rmSync(directory, { recursive: true });
  }
};

const write = (file: string, text: string): void => {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
};

/** Makes a package of this command available to the modules in a directory. */
const link = (name: string, directory: string): void => {
  const folders = createRequire(import.meta.url).resolve.paths(name) ?? [];
  const found = folders.map((folder) => join(folder, name)).find((one) => existsSync(one));
  if (found === undefined) throw new Error(`The package ${name} is not installed.`);
  mkdirSync(join(directory, "node_modules"), { recursive: true });
  symlinkSync(found, join(directory, "node_modules", name), "junction");
};

const toJavaScript = (text: string): string =>
  ts.transpileModule(text, {
    compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
  }).outputText;
