import { ts, type Project, type SourceFile } from "ts-morph";

/** The paths of the files that use a package, directly or through others that they import. */
export interface Users {
  readonly ofPackage: ReadonlySet<string>;
  /** Includes those of express-zod-api, which has had a `z` of its own. */
  readonly ofZod: ReadonlySet<string>;
}

/** Returns the file that an import leads to, if it is found. */
// that of ts-morph would create a program after each change
export const resolveImport = (project: Project, specifier: string, from: string) =>
  ts.resolveModuleName(
    specifier,
    from,
    project.getCompilerOptions(),
    project.getModuleResolutionHost(),
  ).resolvedModule?.resolvedFileName;

export const findUsers = (project: Project, sources: readonly SourceFile[]): Users => {
  const texts = new Map(sources.map((one) => [String(one.getFilePath()), one.getFullText()]));
  const importers = new Map<string, string[]>();
  // what is added to a map or a set is visited, too
  for (const [file, text] of texts)
    for (const { fileName } of ts.preProcessFile(text, true, true).importedFiles) {
      const path = resolveImport(project, fileName, file);
      if (path === undefined || path.includes("/node_modules/")) continue;
      importers.set(path, [...(importers.get(path) ?? []), file]);
      // such as another package of a workspace
      if (!texts.has(path)) texts.set(path, project.getFileSystem().readFileSync(path));
    }
  const findFiles = (name: RegExp): ReadonlySet<string> => {
    const found = new Set([...texts].flatMap(([file, text]) => (name.test(text) ? [file] : [])));
    for (const file of found) for (const other of importers.get(file) ?? []) found.add(other);
    return found;
  };
  return {
    ofPackage: findFiles(/["']@?express-zod-api["'/]/),
    ofZod: findFiles(/["'](?:zod|@?express-zod-api)["'/]/),
  };
};
