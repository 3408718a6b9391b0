// Migrates public OpenAPI documents and prints a row for each: `node scripts/judge-documents.js FOLDER [WORD…]`, after
// `npm run build`. FOLDER has a folder for each generator, with its documents in it; of these, only those are taken whose
// path has one of the words. A row says what the migration has counted, whether its result compiles with both compilers
// and starts, and what the migration took. Fails if a document differs without a mark, or does not compile or start.
import { spawnSync } from "node:child_process";
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../", import.meta.url));
const [folder, ...words] = process.argv.slice(2);
if (folder === undefined) {
  console.error("Give the folder with the documents.");
  process.exit(2);
}

const older = "test/typescript-5.9";
const compilers = [
  join(root, older, "node_modules/typescript/bin/tsc"),
  join(root, "node_modules/typescript/bin/tsc"),
];
const memory = "process.on('exit', () => console.error('peak', process.resourceUsage().maxRSS))";
const program = `import { createServer } from "sallyport";
import { config, routing } from "./js/api.js";
const { servers, close } = await createServer({ ...config, http: { listen: 0 }, logger: { level: "silent" } }, routing);
const { status } = await fetch(\`http://localhost:\${servers[0].address().port}/docs/openapi.json\`);
await close();
process.exit(status === 200 ? 0 : 1);
`;

const isDocument = (file) =>
  /\.(?:json|ya?ml)$/.test(file) &&
  /(?:^|[{,])\s*["']?openapi["']?\s*:\s*["']?3\./m.test(readFileSync(file, "utf8"));

const run = (directory, ...args) =>
  spawnSync(process.execPath, args, { cwd: directory, encoding: "utf8", maxBuffer: 2 ** 30 });

/** Migrates a document, and returns its row, with what went wrong. */
const judge = (file) => {
  const directory = mkdtempSync(join(tmpdir(), "sallyport-judge-"));
  try {
    symlinkSync(join(root, "node_modules"), join(directory, "node_modules"));
    writeFileSync(join(directory, "package.json"), '{ "type": "module" }');
    const options = { module: "nodenext", target: "es2022", strict: true, outDir: "js" };
    const more = { skipLibCheck: true, types: ["node"], exactOptionalPropertyTypes: true };
    const config = { compilerOptions: { ...options, ...more, rootDir: "src" }, include: ["src"] };
    writeFileSync(join(directory, "tsconfig.json"), JSON.stringify(config));
    writeFileSync(join(directory, "start.js"), program);
    const begin = performance.now();
    const main = join(root, "packages/migrate/dist/main.js");
    const { stdout, stderr } = run(
      directory,
      "--import",
      `data:text/javascript,${memory}`,
      main,
      "openapi",
      file,
      "--out",
      "src",
    );
    const seconds = Math.round((performance.now() - begin) / 100) / 10;
    const peak = Math.round(Number(/^peak (\d+)$/m.exec(stderr)?.[1]) / 1024);
    const found =
      /^Compared with the document: (\d+) operations, (\d+) marked, (\d+) differing/m.exec(stdout);
    if (!found)
      return {
        row: ["-", "-", "-", "-", "-", "-", seconds, peak],
        faults: [stderr, stdout.slice(-500)],
      };
    const [, operations, marked, differing] = found;
    const checks = [...compilers.map((compiler) => [compiler, "-p", "."]), ["start.js"]];
    const results = checks.map((args) => run(directory, ...args));
    const answers = results.map(({ status }) => (status === 0 ? "yes" : "NO"));
    const faults = [
      ...(differing === "0" ? [] : stdout.split("\n").slice(-1 - Number(differing))),
      ...results.flatMap(({ status, stdout: out, stderr: error }) =>
        status === 0 ? [] : [`${out}${error}`.slice(0, 3000)],
      ),
    ];
    return { row: [operations, marked, differing, ...answers, seconds, peak], faults };
  } finally {
    rmSync(directory, { recursive: true });
  }
};

console.log(
  "| generator | document | operations | marked | differing and not marked | compiles (5.9) | compiles (7) | starts | seconds | peak (MB) |",
);
console.log("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
for (const generator of readdirSync(folder).toSorted())
  for (const name of readdirSync(join(folder, generator)).toSorted()) {
    const file = join(folder, generator, name);
    if (words.length > 0 && !words.some((word) => file.includes(word))) continue;
    if (!isDocument(file)) continue;
    const { row, faults } = judge(file);
    console.log(`| ${[generator, name, ...row].join(" | ")} |`);
    const [, , differing, ...answers] = row;
    if (differing === "0" && answers.slice(0, 3).every((one) => one === "yes")) continue;
    process.exitCode = 1;
    console.error(faults.filter((text) => text.trim() !== "").join("\n"));
  }
