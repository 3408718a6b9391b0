import { ts, type Project } from "ts-morph";
import type { Manifest } from "./manifest.ts";
import { findManifest } from "./project-files.ts";

const { ModuleKind, ScriptTarget } = ts;

/** Checks whether `await` may stand outside functions: in ES modules, for the compiler as well as for Node and tsx. */
export const mayAwait = (
  project: Project,
  file: string,
  manifests: ReadonlyMap<string, Manifest>,
): boolean => {
  if (/\.c[jt]s$/.test(file)) return false;
  const { type } = manifests.get(findManifest(file, manifests) ?? "") ?? {};
  if (type !== "module" && !/\.m[jt]s$/.test(file)) return false;
  const { module = ModuleKind.CommonJS, target } = project.getCompilerOptions();
  const isNew = target === undefined ? module >= ModuleKind.Node16 : target >= ScriptTarget.ES2017;
  return isNew && (module >= ModuleKind.ES2022 || module === ModuleKind.System);
};
