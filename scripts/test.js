// All checks of this repository, step by step; `node scripts/test.js unit http` runs some of them.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../", import.meta.url));
const bin = (name) => `${root}node_modules/.bin/${name}`;
const vitest = (project) => [bin("vitest"), "run", "--project", project];

const steps = {
  build: ["Build", [process.execPath, "scripts/build.js"]],
  types: ["Type check", [bin("tsc"), "--noEmit"]],
  lint: ["Lint", [bin("oxlint"), "--type-aware", "--deny-warnings"]],
  format: ["Format", [bin("oxfmt"), "--check", "."]],
  unused: ["Unused code", [bin("knip")]],
  unit: ["Unit tests", vitest("unit")],
  "type-tests": ["Type tests", vitest("types")],
  compiler: ["Compiler tests: messages, hovers, cost", vitest("compiler")],
  assumptions: ["Assumptions about dependencies", vitest("assumptions")],
  architecture: ["Architecture tests", vitest("architecture")],
  // most of them wait for something, so that two cores can run more than two files at once
  http: ["HTTP tests", [...vitest("http"), "--maxWorkers=4"]],
  openapi: ["OpenAPI tests", vitest("openapi")],
  "quick-start": ["Quick-start test", vitest("quick-start")],
  package: ["Packed-install tests", vitest("package")],
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in steps));
if (unknown.length > 0) {
  console.error(
    `Unknown step ${unknown.join(", ")}. The steps are ${Object.keys(steps).join(", ")}.`,
  );
  process.exit(2);
}

const outcomes = [];
for (const [name, [title, [command, ...args]]] of Object.entries(steps)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  console.log(`\n== ${title}`);
  const start = performance.now();
  const { status } = spawnSync(command, args, { cwd: root, stdio: "inherit" });
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  outcomes.push({ title, passed: status === 0, seconds });
}

console.log("\n== Summary");
for (const { title, passed, seconds } of outcomes)
  console.log(`${passed ? "passed" : "FAILED"}  ${title} (${seconds} s)`);
const failed = outcomes.filter(({ passed }) => !passed).length;
console.log(`${outcomes.length - failed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
