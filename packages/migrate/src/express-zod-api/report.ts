import type { Migration } from "./migrate-project.ts";

const list = (lines: readonly string[]): string =>
  lines.length === 0 ? "  none\n" : lines.map((line) => `  ${line}\n`).join("");

interface ReportOptions {
  readonly isDryRun: boolean;
  readonly usesPnpm?: boolean;
  /** What npm objects to; undefined if it has not been asked. */
  readonly conflicts: readonly string[] | undefined;
}

/** Writes what has been done, and what remains to be done. */
export const toReport = (
  migration: Migration,
  { isDryRun, usesPnpm = false, conflicts }: ReportOptions,
): string => {
  const { facts, files, counts, marks, dependencies, differences, remains } = migration;
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const verb = isDryRun ? "would be rewritten" : "rewritten";
  const rules = [...counts]
    .filter(([, count]) => count > 0)
    .map(([id, count]) => `${String(count).padStart(5)}  ${id}`);
  // pnpm installs a copy of sallyport, with types of its own, for each set of versions of its peers
  const install = usesPnpm ? "pnpm install, pnpm dedupe" : "npm install";
  const version = facts.major === undefined ? "of an unknown version" : String(facts.major);
  return [
    `express-zod-api ${version}: ${total} places in ${files.size} files ${verb}.\n`,
    `Rewritten, by rule\n${list(rules)}`,
    `Marked for you (${marks.length})\n${list(marks.map(({ file, line, text }) => `${file}:${line} ${text}`))}`,
    `Dependencies changed in package.json\n${list(dependencies)}`,
    `Conflicts of the dependencies, by npm install --dry-run\n${list(conflicts ?? ["not asked for, because of --offline"])}`,
    `Left, which keeps the application from working (${remains.length})\n${list(remains)}`,
    `Differences on the wire\n${list(differences.map((text) => `- ${text}`))}`,
    `Next: ${install}, your formatter, your compiler, your tests. Rules and marks: docs/from-express-zod-api.md\n`,
  ].join("\n");
};
