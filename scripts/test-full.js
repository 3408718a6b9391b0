// Runs the checks that take longer than a minute: fuzzing, aborted uploads, shutdown under load, memory, and others; or
// those whose files are named, as in `npm run test:full -- bun deno`.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { tool } from "./tool.js";

const root = fileURLToPath(new URL("../", import.meta.url));
const run = (...command) => {
  const { status } = spawnSync(command[0], command.slice(1), { cwd: root, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
};

if (process.argv.includes("--list-rows")) {
  run(process.execPath, "scripts/list-rows.js");
  process.exit(0);
}
run(process.execPath, "scripts/list-rows.js");
run(process.execPath, "scripts/build.js");
const names = process.argv.slice(2);
// not the tests of bundlers, which the name of Bun is in, too
const chosen = names.map((name) => name.replace(/^(?:bun|deno)$/, "hosts/$&.test"));
// those on Bun and Deno take as long as all others, and run only by name
const projects = ["full", "site-pages", ...(names.length === 0 ? [] : ["hosts"])];
// the checks run one after the other, because a parallel load would distort what they measure
run(
  ...[...tool("vitest"), "run", ...projects.map((name) => `--project=${name}`)],
  "--no-file-parallelism",
  ...chosen,
);
if (names.length === 0) {
  // schemas that no run has seen before; a failure shows its seed
  process.env.RUNS ??= "3000";
  process.env.SEED ??= String(Date.now() % 1_000_000);
  run(
    ...[...tool("vitest"), "run", "--project", "packages", "--testTimeout=900000"],
    ...["packages/document/test/values.test.ts", "packages/contract/test/lock-judged.test.ts"],
  );
}
