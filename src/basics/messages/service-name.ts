import { readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { DefinitionError } from "../errors.ts";
import { isText } from "./option-checks.ts";

/** Returns the name in the nearest package.json that has one, from a file or folder upwards; those of builds have none. */
const findPackageName = (path: string): string | undefined => {
  try {
    const text = readFileSync(join(path, "package.json"), "utf8");
    const { name } = JSON.parse(text) as { readonly name?: unknown };
    if (isText(name)) return name as string;
  } catch {
    // there is none here, or it is not one
  }
  const parent = dirname(path);
  return parent === path ? undefined : findPackageName(parent);
};

/** Returns the path of the program's main module; undefined if the program was started by a package, such as a test runner. */
const findProgram = (): string | undefined => {
  let [, path] = process.argv;
  if (path === undefined) return undefined;
  try {
    path = realpathSync(path);
  } catch {
    // a path may lack its extension
  }
  return /[\\/]node_modules[\\/]/.test(path) ? undefined : path;
};

/**
 * Returns the name of the service, by which keys in a store are told from those of other services: the given one, or that
 * in the package.json of the program. The main module comes before the working directory, which in a monorepo may be
 * that of all services.
 *
 * @throws {@link DefinitionError} when there is none.
 */
export const toServiceName = (where: string, option: string, given?: string): string => {
  const program = given === undefined ? findProgram() : undefined;
  const name = given ?? (program && findPackageName(program)) ?? findPackageName(process.cwd());
  if (name !== undefined) return name;
  throw new DefinitionError(
    "SLP_DEFINITION_VALUE",
    `${where}: \`${option}\` is missing, and the program has no package.json with a name, so its keys could be those of another service. Set it to the name of this service, as in { ${option}: "shop" }.`,
  );
};
