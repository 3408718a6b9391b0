// Lists the rows of the reliability promises with the tests that are named after them; fails if a row has none.
//
// Vitest itself lists the tests, so that a name in a comment, or a skipped test, does not count.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const rows = { W: 26, Q: 13, B: 20, U: 12, H: 16, R: 16, S: 12 };
const root = fileURLToPath(new URL("../", import.meta.url));

/** The tests that would run, by name and file. */
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
  for (const row of new Set(name.match(/\b[WQBUHRS]\d{1,2}\b/g)))
    tests.set(row, [...(tests.get(row) ?? []), `${relative(root, file)}: ${name.slice(0, 90)}`]);

const missing = [];
for (const [letter, count] of Object.entries(rows))
  for (let number = 1; number <= count; number++) {
    const row = `${letter}${number}`;
    const found = tests.get(row) ?? [];
    if (found.length === 0) missing.push(row);
    console.log(
      `${row}\t${found[0] ?? "MISSING"}${found.length > 1 ? ` (+${found.length - 1})` : ""}`,
    );
  }
console.log(missing.length === 0 ? "Every row has a test." : `Missing: ${missing.join(", ")}`);
process.exit(missing.length === 0 ? 0 : 1);
