// Runs the build, then the other steps, two at a time; `node scripts/test.js unit http` runs only the given steps.
import { spawn } from "node:child_process";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { tool } from "./tool.js";

const root = fileURLToPath(new URL("../", import.meta.url));
const vitest = (project) => [...tool("vitest"), "run", "--project", project];

/** The steps by name, the longest first, apart from the build, which other steps need. */
const steps = {
  build: ["Build", [process.execPath, "scripts/build.js"]],
  // most of these tests spend their time waiting, so two cores can run more than two files at once
  http: ["HTTP tests", [...vitest("http"), "--maxWorkers=3"]],
  openapi: ["OpenAPI tests", vitest("openapi")],
  compiler: ["Compiler tests: messages, hovers, cost", vitest("compiler")],
  package: ["Packed-install tests", vitest("package")],
  "quick-start": ["Quick-start test", vitest("quick-start")],
  unit: ["Unit tests", vitest("unit")],
  lint: ["Lint", [...tool("oxlint"), "--type-aware", "--deny-warnings"]],
  types: ["Type check, and type tests", [...tool("tsc", "typescript"), "--noEmit"]],
  unused: ["Unused code", tool("knip")],
  assumptions: ["Assumptions about dependencies", vitest("assumptions")],
  architecture: ["Architecture tests", vitest("architecture")],
  format: ["Format", [...tool("oxfmt"), "--check", "."]],
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in steps));
if (unknown.length > 0) {
  console.error(
    `Unknown step ${unknown.join(", ")}. The steps are ${Object.keys(steps).join(", ")}.`,
  );
  process.exit(2);
}

const chosen = Object.keys(steps).filter((name) => wanted.length === 0 || wanted.includes(name));
/** Whether there is only one step. Its output is printed at once; with several steps, it is printed when a step ends. */
const isAlone = chosen.length === 1;

const outcomes = [];
const runStep = async (name) => {
  const [title, [command, ...args]] = steps[name];
  const start = performance.now();
  const child = spawn(command, args, {
    cwd: root,
    stdio: isAlone ? "inherit" : ["ignore", "pipe", "pipe"],
  });
  const printed = [];
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (chunk) => printed.push(chunk));
  const code = await new Promise((resolve) => {
    child.once("error", (error) => resolve(printed.push(Buffer.from(String(error)))));
    child.once("close", resolve);
  });
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(`\n== ${title}\n${Buffer.concat(printed)}`);
  const output = stripVTControlCharacters(Buffer.concat(printed).toString());
  outcomes.push({ title, passed: code === 0, seconds, output });
};

const begin = performance.now();
if (chosen[0] === "build") await runStep(chosen.shift());
const takeSteps = async () => {
  for (let name = chosen.shift(); name !== undefined; name = chosen.shift()) await runStep(name);
};
await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, takeSteps));

/** Returns the lines that name what failed, as printed by Vitest, TypeScript or Node.js. */
const failures = (output) =>
  output.split("\n").filter((line) => /^ *FAIL |^\w*Error: |\berror TS\d/u.test(line));

console.log("\n== Summary");
for (const { title, passed, seconds, output } of outcomes) {
  console.log(`${passed ? "passed" : "FAILED"}  ${title} (${seconds} s)`);
  if (!passed) for (const line of failures(output).slice(0, 10)) console.log(`        ${line}`);
}
const failed = outcomes.filter(({ passed }) => !passed).length;
const total = ((performance.now() - begin) / 1000).toFixed(0);
console.log(`${outcomes.length - failed} passed, ${failed} failed, in ${total} s`);
process.exit(failed === 0 ? 0 : 1);
