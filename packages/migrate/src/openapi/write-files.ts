import { lstatSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { UsageError } from "../usage-error.ts";

export const exists = (path: string): boolean =>
  lstatSync(path, { throwIfNoEntry: false }) !== undefined;

/** @throws {@link UsageError} when a file exists, or a folder is a link. */
export const writeFiles = (
  out: string,
  files: ReadonlyMap<string, string>,
  isForced: boolean,
): void => {
  const paths = [...files.keys()].map((name) => join(out, name));
  for (const folder of new Set(paths.map((path) => dirname(path))))
    if (folder !== out && lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink())
      throw new UsageError(`${folder} is a link: remove it, or choose another --out.`);
  const known = paths.find(exists);
  if (known !== undefined && !isForced)
    throw new UsageError(`${known} exists: choose another --out, or replace files with --force.`);
  for (const [name, text] of files) {
    const path = join(out, name);
    mkdirSync(dirname(path), { recursive: true });
    // a link is replaced, not followed
    rmSync(path, { force: true });
    writeFileSync(path, text, { flag: "wx" });
  }
};
