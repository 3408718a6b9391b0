// Writes `test/api-report.txt`: what each entry of the package exports, with its declaration as users' compilers read it.
// With `--check`, fails if the file differs, so that no change of what is public lands unnoticed; VERSIONING.md says what
// a break is.
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync } from "oxc-parser";

const root = fileURLToPath(new URL("../", import.meta.url));
const report = join(root, "test/api-report.txt");
const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

const modules = new Map();
const parse = (file) => {
  if (!modules.has(file)) {
    const text = readFileSync(file, "utf8");
    modules.set(file, { text, body: parseSync(file, text).program.body });
  }
  return modules.get(file);
};

const resolve = (file, { value }) => join(dirname(file), value.replace(/\.[jt]s$/, ".d.ts"));

/** Lists what a module exports: each name, with the texts of its declarations. */
const listExports = (file) => {
  const { text, body } = parse(file);
  const found = new Map();
  const add = (name, more) => found.set(name, [...(found.get(name) ?? []), ...more]);
  const declarations = new Map();
  for (const node of body) {
    if (node.type === "ImportDeclaration")
      for (const { local } of node.specifiers)
        declarations.set(local.name, [`${local.name} of ${node.source.value}`]);
    const declared = node.type === "ExportNamedDeclaration" ? node.declaration : node;
    const own =
      declared?.type === "VariableDeclaration"
        ? declared.declarations.map(({ id }) => id.name)
        : [declared?.id?.name];
    for (const name of own)
      if (name) {
        const source = text.slice(node.start, node.end);
        declarations.set(name, [...(declarations.get(name) ?? []), source]);
        if (node.type === "ExportNamedDeclaration") add(name, [source]);
      }
  }
  for (const node of body) {
    if (node.type === "ExportAllDeclaration" && node.source.value.startsWith("."))
      for (const [name, texts] of listExports(resolve(file, node.source))) add(name, texts);
    if (node.type !== "ExportNamedDeclaration" || node.declaration) continue;
    for (const { local, exported } of node.specifiers) {
      if (node.source && !node.source.value.startsWith(".")) {
        add(exported.name, [`${local.name} of ${node.source.value}`]);
        continue;
      }
      const from = node.source
        ? listExports(resolve(file, node.source)).get(local.name)
        : declarations.get(local.name);
      if (!from)
        throw new Error(`${file} exports ${exported.name}, whose declaration is not found.`);
      add(exported.name, from);
    }
  }
  return found;
};

const clean = (text) =>
  text
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/^(?:export )?(?:declare )?/, "")
    .replace(/^\s*\n/gm, "")
    .trimEnd();

const written = Object.entries(exports)
  .filter(([, { types }]) => types)
  .map(([entry, { types }]) => {
    const names = [...listExports(join(root, types))].toSorted(([one], [other]) =>
      one < other ? -1 : 1,
    );
    const lines = names.map(([name, texts]) => {
      const unique = [...new Set(texts.map(clean))];
      return `## ${name}\n${unique.join("\n")}\n`;
    });
    return `# ${entry.replace(".", "sallyport")}\n\n${lines.join("\n")}`;
  })
  .join("\n");

if (process.argv.includes("--check")) {
  const known = readFileSync(report, "utf8").split("\n");
  const own = written.split("\n");
  const at = own.findIndex((line, index) => line !== known[index]);
  if (at >= 0 || own.length !== known.length) {
    console.error(
      `What the package exports differs from test/api-report.txt, from line ${at + 1} on:\n- ${known[at]}\n+ ${own[at]}\nIf that is intended, run \`npm run api-report\` and record the change with \`npx changeset\`; VERSIONING.md says what a break is.`,
    );
    process.exit(1);
  }
} else writeFileSync(report, written);
