import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, posix, resolve } from "node:path";

/**
 * Reads a file, or one of a revision in Git, such as `origin/main:openapi.json`, without a byte order mark, which some
 * editors write and JSON does not allow.
 */
export const readText = (place: string): string =>
  (parseRevision(place) ? readRevision(place) : readFileSync(place, "utf8")).replace(/^\uFEFF/, "");

/** Returns the place of a file that is named relative to another one, in the same revision if there is one. */
export const resolvePlace = (path: string, from: string): string => {
  const { revision, file } = parseRevision(from) ?? {};
  if (file === undefined) return resolve(dirname(from), path);
  const other = posix.join(posix.dirname(file), path);
  // without dots, Git reads a path from the root of the repository
  const isFromHere = /^\.\.?\//.test(file) && !other.startsWith("../");
  return `${revision}:${isFromHere ? "./" : ""}${other}`;
};

/** Whether a place is a file of a revision in Git. */
export const isRevision = (place: string): boolean => parseRevision(place) !== undefined;

const parseRevision = (place: string) => {
  // `C:\` is a drive
  const [, revision, file] = /^(?![a-z]:[\\/])([^:]+):(.+)$/is.exec(place) ?? [];
  return revision === undefined || file === undefined || existsSync(place)
    ? undefined
    : { revision, file };
};

const readRevision = (place: string): string => {
  const args = ["show", "--no-textconv", "--end-of-options", place];
  try {
    return execFileSync("git", args, { encoding: "utf8", maxBuffer: Infinity, stdio: "pipe" });
  } catch (error) {
    const { code, stderr } = error as { readonly code?: string; readonly stderr?: string };
    const [reason = ""] = (stderr ?? "").replace(/^fatal: /, "").split("\n");
    throw new Error(code === "ENOENT" ? "Git is not installed" : `Git says: ${reason}`, {
      cause: error,
    });
  }
};
