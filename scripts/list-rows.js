// Lists the rows of the reliability promises with the tests that are named after them; fails when a row has none.
import { readdirSync, readFileSync } from "node:fs";

const rows = { W: 26, Q: 13, B: 20, U: 12, H: 16, R: 16, S: 12 };
const root = new URL("../", import.meta.url);
const files = ["src", "test"].flatMap((folder) =>
  readdirSync(new URL(folder, root), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".test.ts"))
    .map((file) => `${folder}/${file}`),
);

/** The names of tests are texts; a row may also stand in the first column of a table of cases. */
const textPattern = /"[^"\n]*"|'[^'\n]*'|`[^`\n]*`/g;

const tests = new Map();
for (const file of files) {
  const text = readFileSync(new URL(file, root), "utf8");
  for (const [name] of text.matchAll(textPattern))
    for (const [row] of name.matchAll(/\b[WQBUHRS]\d{1,2}\b/g))
      tests.set(row, [...(tests.get(row) ?? []), `${file}: ${name.slice(1, 90)}`]);
}

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
