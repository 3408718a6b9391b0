import { basename, resolve } from "node:path";
import { UsageError } from "./usage-error.ts";

/** Where a project is created, and what its package is called. */
export interface ProjectName {
  /** The folder, as it was given. */
  readonly folder: string;
  readonly name: string;
}

/** The longest name that npm accepts. */
const maxLength = 214;

/** The names that npm refuses: see https://docs.npmjs.com/cli/configuring-npm/package-json#name. */
const refused: ReadonlySet<string> = new Set(["node_modules", "favicon.ico"]);

const scoped = /^(@[a-z0-9~-][a-z0-9._~-]*)\/([^/\\]+)$/;

/**
 * Turns what was given into a folder and a valid package name: `My API` becomes `my-api`, and `@acme/api` is a package
 * of that scope in the folder `api`.
 *
 * @throws {UsageError} when there is nothing that a package name can consist of.
 */
export const toProjectName = (given: string, workingFolder: string): ProjectName => {
  const [, scope, own] = scoped.exec(given) ?? [];
  const folder = own ?? given;
  const plain = basename(resolve(workingFolder, folder))
    .toLowerCase()
    .normalize("NFKD")
    // the accents of letters
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[^a-z0-9._~-]+/g, "-")
    .replaceAll(/^[._-]+|[-]+$/g, "");
  const name = scope === undefined ? plain : `${scope}/${plain}`;
  if (given.trim() === "" || plain === "" || refused.has(plain) || name.length > maxLength)
    throw new UsageError(
      `\`${given}\` cannot be made a package name. Give a name of at most ${maxLength} letters, digits and hyphens, such as my-api.`,
    );
  return { folder, name };
};
