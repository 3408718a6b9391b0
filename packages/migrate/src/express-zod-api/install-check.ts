import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Manifest } from "./manifest.ts";

const sections = ["dependencies", "devDependencies", "peerDependencies"] as const;

/** One conflict at a time is all that npm tells. */
const maxRuns = 8;

const npm = (directory: string): Promise<string> =>
  new Promise((resolve) => {
    const args = ["install", "--dry-run", "--ignore-scripts", "--no-audit", "--no-fund"];
    const shell = process.platform === "win32";
    execFile("npm", args, { cwd: directory, shell }, (error, _, output) =>
      resolve(error ? output || error.message : ""),
    );
  });

interface Conflict {
  readonly text: string;
  /** The package without which npm may find more; absent if npm could not tell. */
  readonly name?: string;
  /** The package that it needs in another version. */
  readonly needed?: string | undefined;
}

/** Returns what npm objects to. */
export const readConflict = (output: string): Conflict => {
  const [, needed, range, name, version] =
    /peer(?:Optional)? (\S+)@"([^"]+)" from (\S+)@(\S+)/.exec(
      output.split("Could not resolve dependency:")[1] ?? "",
    ) ?? [];
  if (name !== undefined)
    return { name, needed, text: `${name} ${version} needs ${needed} ${range}` };
  const [, missing, wanted] =
    /No matching version found for ((?:@[^\s@]+\/)?[^\s@]+)@(\S+?)\.?\s/.exec(output) ?? [];
  if (missing !== undefined)
    return { name: missing, text: `${missing} has no version that fits ${wanted}` };
  const [, line = "npm has failed"] = /npm (?:error|ERR!) (?!code)(.+)/.exec(output) ?? [];
  return { text: `not checked: ${line}` };
};

/** Asks npm, in an empty directory, whether the dependencies of a package.json can be installed together. */
export const findConflicts = async (manifest: Manifest): Promise<readonly Conflict[]> => {
  const directory = mkdtempSync(join(tmpdir(), "sallyport-migrate-"));
  const asked: Manifest = { name: "application", version: "0.0.0" };
  for (const section of sections)
    asked[section] = Object.fromEntries(
      // what is not in a registry cannot be asked for; the ranges of sallyport's peers are set already
      Object.entries(manifest[section] ?? {}).filter(
        ([name, range]) => name !== "sallyport" && !range.includes(":"),
      ),
    );
  const conflicts: Conflict[] = [];
  try {
    for (let run = 0; run < maxRuns; run++) {
      writeFileSync(
        join(directory, "package.json"),
        JSON.stringify({ ...asked, overrides: manifest["overrides"] }),
      );
      const output = await npm(directory);
      if (output === "") break;
      const conflict = readConflict(output);
      conflicts.push(conflict);
      const { name } = conflict;
      const holders = sections.filter((section) => name && asked[section]?.[name] !== undefined);
      if (name === undefined || holders.length === 0) break;
      for (const section of holders) delete asked[section]?.[name];
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
  return conflicts;
};
