import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { Project } from "ts-morph";
import { UsageError } from "../usage-error.ts";
import { listDifferences } from "./differences.ts";
import { migrateManifest, readFacts, type Manifest } from "./manifest.ts";
import { migrateSource } from "./migrate-source.ts";
import { findStreamFactories } from "./rules/factories.ts";
import { markPrefix, type AppFacts } from "./source-editor.ts";
import { findUsers } from "./users.ts";

/** A comment on what a person must change. */
export interface Mark {
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

/** What a migration has found. */
export interface Migration {
  readonly facts: AppFacts;
  /** The new text of each changed file, by its path. */
  readonly files: ReadonlyMap<string, string>;
  /** The number of rewritten places by rule. */
  readonly counts: ReadonlyMap<string, number>;
  readonly marks: readonly Mark[];
  readonly dependencies: readonly string[];
  readonly differences: readonly string[];
}

const readManifest = (file: string): Manifest => {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Manifest;
  } catch {
    throw new UsageError(`${file} is not valid JSON: correct it and run the command again.`);
  }
};

/** The files that `include` of a tsconfig.json often leaves out, although they use the package. */
const besides = ["test", "tests", "src", "example", "examples", "scripts", "tools"];

/** @throws {@link UsageError} when the directory has no TypeScript project. */
const openProject = (directory: string): Project => {
  const tsConfigFilePath = join(directory, "tsconfig.json");
  if (!existsSync(tsConfigFilePath))
    throw new UsageError(
      `${directory} is not a TypeScript project: there is no tsconfig.json. Run the command in the directory that has it, or pass that directory.`,
    );
  const project = new Project({ tsConfigFilePath, skipFileDependencyResolution: true });
  const patterns = besides.map((folder) => join(directory, folder, "**/*.{ts,mts,cts,tsx}"));
  project.addSourceFilesAtPaths([
    join(directory, "*.{ts,mts,cts}"),
    ...patterns,
    `!${join(directory, "**/node_modules/**")}`,
  ]);
  return project;
};

/** Migrates an application, without writing anything. */
export const migrateProject = (directory: string): Migration => {
  const project = openProject(directory);
  const manifestFile = join(directory, "package.json");
  if (!existsSync(manifestFile))
    throw new UsageError(
      `${directory} has no package.json: run the command at the root of the application.`,
    );
  const manifest = readManifest(manifestFile);
  const sources = project
    .getSourceFiles()
    .filter((one) => !one.isDeclarationFile() && !one.isInNodeModules());
  const facts = {
    ...readFacts(manifest),
    streamFactories: findStreamFactories(sources),
    users: findUsers(project, sources),
  };
  if (facts.users.ofPackage.size === 0 && facts.major === undefined)
    throw new UsageError(
      `${directory} does not use express-zod-api: neither package.json nor a source file names it.`,
    );
  const counts = new Map<string, number>();
  const files = new Map<string, string>();
  const marks: Mark[] = [];
  for (const source of sources) {
    const before = source.getFullText();
    migrateSource(source, facts, counts);
    const after = source.getFullText();
    const file = source.getFilePath();
    if (after !== before) files.set(file, after);
    for (const [index, line] of after.split("\n").entries()) {
      const at = line.indexOf(markPrefix);
      if (at < 0) continue;
      const text = line
        .slice(at + markPrefix.length)
        .trim()
        .replace(/ See \S+$/, "");
      marks.push({ file: relative(directory, file), line: index + 1, text });
    }
  }
  const dependencies = migrateManifest(manifest);
  if (dependencies.length > 0) files.set(manifestFile, `${JSON.stringify(manifest, null, 2)}\n`);
  return { facts, files, counts, marks, dependencies, differences: listDifferences(facts) };
};

/** Writes the changed files. */
export const writeMigration = ({ files }: Migration): void => {
  for (const [file, text] of files) writeFileSync(file, text);
};
