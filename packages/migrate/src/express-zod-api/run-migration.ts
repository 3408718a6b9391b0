import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { UsageError } from "../usage-error.ts";
import { findConflicts } from "./install-check.ts";
import { peers } from "./manifest.ts";
import { migrateProject, writeMigration, type Migration } from "./migrate-project.ts";
import { toReport } from "./report.ts";

interface RunOptions {
  readonly isDryRun: boolean;
  readonly showsDiff: boolean;
  /** Writes over changes that are not committed. */
  readonly isForced: boolean;
  /** Does not ask npm whether the packages fit. */
  readonly isOffline: boolean;
}

/** Refuses to mix the changes with others, which could then not be undone. */
const refuseChanges = (directory: string): void => {
  const args = ["status", "--porcelain", "--", "."];
  const { stdout } = spawnSync("git", args, { cwd: directory, encoding: "utf8" });
  if (stdout)
    throw new UsageError(
      `${directory} has changes that are not committed: commit them, so that you can review and undo the migration, or add --force.`,
    );
};

/** Returns the changes as a patch. */
const toDiff = (directory: string, { files }: Migration): string => {
  const temporary = mkdtempSync(join(tmpdir(), "sallyport-migrate-"));
  try {
    for (const [file, text] of files)
      for (const [side, content] of [
        ["a", readFileSync(file, "utf8")],
        ["b", text],
      ] as const) {
        const target = join(temporary, side, relative(directory, file));
        mkdirSync(dirname(target), { recursive: true });
        writeFileSync(target, content);
      }
    const args = ["diff", "--no-index", "--no-prefix", "--no-color", "a", "b"];
    return spawnSync("git", args, { cwd: temporary, encoding: "utf8", maxBuffer: 1e9 }).stdout;
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
};

/** Migrates an application, and returns the exit code: 1 if something remains that keeps it from working. */
export const runMigration = async (
  directory: string,
  { isDryRun, showsDiff, isForced, isOffline }: RunOptions,
  write: (text: string) => void,
): Promise<0 | 1> => {
  const migration = migrateProject(directory);
  const { files, remains, marks, manifests } = migration;
  if (files.size === 0 && remains.length === 0) {
    write(`Nothing to do: nothing names express-zod-api. ${marks.length} marks are left.\n`);
    return 0;
  }
  if (!isDryRun && !isForced) refuseChanges(directory);
  if (showsDiff) write(`${toDiff(directory, migration)}\n`);
  if (!isDryRun) writeMigration(migration);
  const conflicts: string[] = [];
  let isBroken = remains.length > 0;
  if (!isOffline)
    for (const [file, manifest] of manifests)
      for (const { name, needed, text } of await findConflicts(manifest)) {
        conflicts.push(`${relative(directory, file)}: ${text}`);
        // others were there before
        isBroken ||= [name, needed].some((one) => one !== undefined && Object.hasOwn(peers, one));
      }
  const usesPnpm = existsSync(join(directory, "pnpm-lock.yaml"));
  write(toReport(migration, { isDryRun, usesPnpm, conflicts: isOffline ? undefined : conflicts }));
  return isBroken ? 1 : 0;
};
