// Lists the rows of docs/internals/reliability.md with the tests that are named after them; fails if a row has no test, or if a test
// names a row that does not exist.
//
// Vitest itself lists the tests, so that a name in a comment, or a skipped test, does not count.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../", import.meta.url));
const page = readFileSync(join(root, "docs/internals/reliability.md"), "utf8");
const rows = [...page.matchAll(/^\| ([A-Z]\d{1,2}) +\|/gm)].map(([, row]) => row);

/** Returns the names and files of the tests that would run. */
const listTests = () => {
  const folder = mkdtempSync(join(tmpdir(), "sallyport-rows-"));
  try {
    const list = join(folder, "tests.json");
    const projects = ["unit", "http", "full"].flatMap((name) => ["--project", name]);
    const { status, stderr } = spawnSync(
      process.execPath,
      [`${root}node_modules/vitest/vitest.mjs`, "list", ...projects, `--json=${list}`],
      { cwd: root, encoding: "utf8", stdio: ["ignore", "ignore", "pipe"] },
    );
    if (status !== 0) throw new Error(`Could not list the tests: ${stderr}`);
    return JSON.parse(readFileSync(list, "utf8"));
  } finally {
    rmSync(folder, { recursive: true });
  }
};

const tests = new Map();
for (const { name, file } of listTests())
  for (const row of new Set(name.match(/\b[BHLQRSUW]\d{1,2}\b/g)))
    tests.set(row, [...(tests.get(row) ?? []), `${relative(root, file)}: ${name.slice(0, 90)}`]);

for (const row of rows) {
  const [first = "MISSING", ...others] = tests.get(row) ?? [];
  console.log(`${row}\t${first}${others.length > 0 ? ` (+${others.length})` : ""}`);
}
const missing = rows.filter((row) => !tests.has(row));
const unknown = [...tests.keys()].filter((row) => !rows.includes(row));
const isRepeated = new Set(rows).size < rows.length;
if (missing.length > 0) console.log(`Without a test: ${missing.join(", ")}`);
if (unknown.length > 0) console.log(`Not in docs/internals/reliability.md: ${unknown.join(", ")}`);
if (isRepeated) console.log("A row occurs twice in docs/internals/reliability.md.");
const isWhole = rows.length > 0 && missing.length + unknown.length === 0 && !isRepeated;
if (isWhole) console.log(`All ${rows.length} rows have a test.`);
process.exit(isWhole ? 0 : 1);
