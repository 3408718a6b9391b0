// Runs the given steps, two at a time, and prints the output of those that fail: `node scripts/test.js unit http`. A group
// stands for its steps: `daily` is `npm test`, `all` is `npm run check`, and `rest` is what `all` has beside `daily`.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { tool } from "./tool.js";

const root = fileURLToPath(new URL("../", import.meta.url));

/** Where each step that runs tests leaves its results, which are counted at the end. */
const results = mkdtempSync(join(tmpdir(), "sallyport-tests-"));
const vitest = (project) => [
  ...[...tool("vitest"), "run", "--project", project],
  ...["--reporter=default", "--reporter=json", `--outputFile=${join(results, project)}.json`],
];

/** The folder of a TypeScript that users may still have, with its own packages. */
const olderCompiler = "test/typescript-5.9";

/** The steps by name, the longest first, apart from the build, which other steps need. */
const steps = {
  build: ["Build", [process.execPath, "scripts/build.js"]],
  // most of these tests spend their time waiting, so two cores can run more than two files at once
  http: ["HTTP tests", [...vitest("http"), "--maxWorkers=3"]],
  built: ["HTTP tests of the built package", [...vitest("built"), "--maxWorkers=3"]],
  openapi: ["OpenAPI tests", vitest("openapi")],
  services: ["Tests with PostgreSQL, Redis and several processes", vitest("services")],
  compiler: ["Compiler tests: messages, hovers, cost", vitest("compiler")],
  package: ["Packed-install tests", vitest("package")],
  "quick-start": ["Quick-start test", vitest("quick-start")],
  example: ["Tests of the example", [...vitest("example"), "--coverage"]],
  "shop-contract": ["The example keeps to its document", vitest("shop-contract")],
  "api-report": [
    "Report of what is public",
    [process.execPath, "scripts/api-report.js", "--check"],
  ],
  packages: ["Tests of the packages beside the core", vitest("packages")],
  unit: ["Unit tests", vitest("unit")],
  site: ["Tests of how the site is written", vitest("site")],
  lint: ["Lint", [...tool("oxlint"), "--type-aware", "--deny-warnings"]],
  "types-5.9": [
    "Types and type tests with TypeScript 5.9",
    // not an alias at the root, which would replace `tsc` there
    [process.execPath, `${olderCompiler}/node_modules/typescript/bin/tsc`, "-p", olderCompiler],
  ],
  types: ["Type check, and type tests", [...tool("tsc", "typescript"), "-b", ".", "example/web"]],
  unused: ["Unused code", tool("knip")],
  assumptions: ["Assumptions about dependencies", vitest("assumptions")],
  architecture: ["Architecture tests", vitest("architecture")],
  format: ["Format", [...tool("oxfmt"), "--check", "."]],
};

const daily = ["http", "unit", "lint", "types", "architecture"];
const groups = {
  daily,
  all: Object.keys(steps),
  rest: Object.keys(steps).filter((name) => !daily.includes(name)),
};

const wanted = process.argv.slice(2).flatMap((name) => groups[name] ?? [name]);
const unknown = wanted.filter((name) => !(name in steps));
if (wanted.length === 0 || unknown.length > 0) {
  const known = [...Object.keys(groups), ...Object.keys(steps)].join(", ");
  console.error(`Give the steps to run: ${known}. Unknown: ${unknown.join(", ") || "none"}.`);
  process.exit(2);
}

const testing = wanted.some((name) => steps[name][1].includes("--project"));
const chosen = Object.keys(steps).filter((name) => wanted.includes(name));
const count = chosen.length;
const failed = [];
const runStep = async (name) => {
  const [title, [command, ...args]] = steps[name];
  const start = performance.now();
  // a step on its own is watched as it runs
  const stdio = count === 1 ? "inherit" : ["ignore", "pipe", "pipe"];
  const child = spawn(command, args, { cwd: root, stdio });
  const printed = [];
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (chunk) => printed.push(chunk));
  const code = await new Promise((resolve) => {
    child.once("error", (error) => resolve(printed.push(Buffer.from(String(error)))));
    child.once("close", resolve);
  });
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  if (code !== 0) {
    failed.push(title);
    process.stdout.write(Buffer.concat(printed));
  }
  console.log(`${code === 0 ? "passed" : "FAILED"}  ${title} (${seconds} s)`);
};

// here, because two steps that need the packages of the page may run at once
const ensureInstalled = (folder, ...names) => {
  if (!names.some((name) => chosen.includes(name))) return;
  const install = ["scripts/ensure-installed.js", folder];
  const { status } = spawnSync(process.execPath, install, { cwd: root, stdio: "inherit" });
  if (status !== 0) process.exit(1);
};
ensureInstalled("example/web", "types", "quick-start");
ensureInstalled(olderCompiler, "types-5.9");
const begin = performance.now();
if (chosen[0] === "build") await runStep(chosen.shift());
const takeSteps = async () => {
  for (let name = chosen.shift(); name !== undefined; name = chosen.shift()) await runStep(name);
};
await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, takeSteps));

const total = ((performance.now() - begin) / 1000).toFixed(0);
const outcome = failed.length === 0 ? "All passed" : `Failed: ${failed.join(", ")}`;
console.log(`${outcome}, in ${total} s`);
// a run that has tested nothing must not pass for a success
const counts = { Passed: 0, Failed: 0, Pending: 0 };
for (const file of readdirSync(results)) {
  const result = JSON.parse(readFileSync(join(results, file), "utf8"));
  for (const name of Object.keys(counts)) counts[name] += result[`num${name}Tests`];
}
rmSync(results, { recursive: true });
if (counts.Pending > 0) console.log(`${counts.Pending} skipped`);
console.log(`${counts.Passed} passed, ${counts.Failed} failed`);
if (testing && counts.Passed === 0) process.exit(1);
process.exit(failed.length === 0 ? 0 : 1);
