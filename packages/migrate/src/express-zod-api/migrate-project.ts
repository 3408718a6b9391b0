import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { Project } from "ts-morph";
import { UsageError } from "../usage-error.ts";
import { listDifferences } from "./differences.ts";
import { migrateManifest, rangeOf, readFacts, toManifestText, type Manifest } from "./manifest.ts";
import { migrateSource } from "./migrate-source.ts";
import { mayAwait } from "./may-await.ts";
import { findManifest, findRemains, isCode, isTypeScript, listFiles } from "./project-files.ts";
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
  /** What still names express-zod-api, and what no longer parses. */
  readonly remains: readonly string[];
  /** The package.json files of rewritten code, as they will be, by their path. */
  readonly manifests: ReadonlyMap<string, Manifest>;
}

const readManifest = (file: string): Manifest => {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Manifest;
  } catch {
    throw new UsageError(`${file} is not valid JSON: correct it and run the command again.`);
  }
};

/**
 * Opens what tsconfig.json includes, the other TypeScript below the directory, and other code that names the package.
 *
 * @throws {@link UsageError} when the directory has no TypeScript project.
 */
const openProject = (directory: string, files: readonly string[]): Project => {
  const tsConfigFilePath = join(directory, "tsconfig.json");
  if (!existsSync(tsConfigFilePath))
    throw new UsageError(
      `${directory} is not a TypeScript project: there is no tsconfig.json. Run the command in the directory that has it, or pass that directory.`,
    );
  const project = new Project({
    ...{ tsConfigFilePath, skipFileDependencyResolution: true },
    compilerOptions: { allowJs: true },
  });
  for (const file of files)
    if (
      isTypeScript(file) ||
      (isCode(file) && readFileSync(file, "utf8").includes("express-zod-api"))
    )
      project.addSourceFileAtPath(file);
  return project;
};

const runsEsm = /experimental-vm-modules/;
const jestText =
  "Jest loads ES modules, such as sallyport, only with NODE_OPTIONS=--experimental-vm-modules and a transform to ES modules; vitest always does.";

/** Lets the compiler import ES modules into CommonJS, which `node16` refuses and Node.js has been able to do since 20.19. */
const migrateTsConfig = (
  directory: string,
  manifests: ReadonlyMap<string, Manifest>,
  files: Map<string, string>,
): readonly string[] => {
  const file = join(directory, "tsconfig.json");
  const text = readFileSync(file, "utf8");
  const isEsm = manifests.get(join(directory, "package.json"))?.["type"] === "module";
  const changed = text.replaceAll(/("module(?:Resolution)?"\s*:\s*")node16"/gi, '$1NodeNext"');
  if (isEsm || changed === text || files.size === 0) return [];
  files.set(file, changed);
  return [
    "tsconfig.json: `module` becomes NodeNext, with TypeScript 5.8 or later, to load ES modules in CommonJS",
  ];
};

/** Migrates an application, without writing anything. */
export const migrateProject = (directory: string): Migration => {
  const rootManifest = join(directory, "package.json");
  const found = listFiles(directory);
  const project = openProject(directory, found);
  if (!existsSync(rootManifest))
    throw new UsageError(
      `${directory} has no package.json: run the command at the root of the application.`,
    );
  const manifests = new Map(
    found
      .filter((file) => basename(file) === "package.json")
      .map((file) => [file, readManifest(file)]),
  );
  const sources = project.getSourceFiles().filter((one) => !one.isInNodeModules());
  const facts = {
    ...readFacts(manifests.values()),
    streamFactories: findStreamFactories(sources),
    users: findUsers(project, sources),
    mayAwait: (file: string) => mayAwait(project, file, manifests),
  };
  const isUsed = facts.users.ofPackage.size > 0 || facts.major !== undefined;
  if (!isUsed && ![...manifests.values()].some((one) => rangeOf(one, "sallyport")))
    throw new UsageError(
      `${directory} does not use express-zod-api: neither package.json nor a source file names it.`,
    );
  const counts = new Map<string, number>();
  const files = new Map<string, string>();
  const marks: Mark[] = [];
  for (const source of sources) {
    const before = source.getFullText();
    if (isUsed) migrateSource(source, facts, counts);
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
  const isImported = (name: string) =>
    sources.some((one) => new RegExp(`["']${name}["'/]`).test(one.getFullText()));
  const isListed = [...manifests.values()].some((one) => rangeOf(one, "express-zod-api"));
  const rewritten = new Set([...files.keys()].map((file) => findManifest(file, manifests)));
  const dependencies: string[] = [];
  for (const [file, manifest] of manifests) {
    if (!rewritten.has(file) && rangeOf(manifest, "express-zod-api") === undefined) {
      manifests.delete(file);
      continue;
    }
    // a comment cannot stand there
    if (rangeOf(manifest, "jest") && !runsEsm.test(JSON.stringify(manifest["scripts"])))
      marks.push({ file: relative(directory, file), line: 1, text: jestText });
    const isHome = !isListed && file === rootManifest;
    const changes = migrateManifest(manifest, isImported, isHome);
    if (changes.length === 0) continue;
    const place = file === rootManifest ? "" : `${relative(directory, file)}: `;
    dependencies.push(...changes.map((text) => place + text));
    files.set(file, toManifestText(readFileSync(file, "utf8"), manifest));
  }
  dependencies.push(...migrateTsConfig(directory, manifests, files));
  const remains = findRemains(directory, [...found, ...facts.users.ofPackage], files);
  const differences = listDifferences(facts);
  return { facts, files, counts, marks, dependencies, differences, remains, manifests };
};

/** Writes the changed files. */
export const writeMigration = ({ files }: Migration): void => {
  for (const [file, text] of files) writeFileSync(file, text);
};
