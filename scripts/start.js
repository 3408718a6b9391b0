// Builds the package and the page of the example if necessary, and runs the example in this process, so that signals reach
// it. Only the example writes to standard output.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { register } from "tsx/esm/api";
import { buildPage } from "./build-page.js";

const root = fileURLToPath(new URL("../", import.meta.url));
const toTime = (file) => statSync(`${root}${file}`).mtimeMs;

const isBuilt = () => {
  // the build writes this file last
  if (!existsSync(`${root}dist/index.js`)) return false;
  const sources = readdirSync(`${root}src`, { recursive: true }).map((file) => `src/${file}`);
  const built = toTime("dist/index.js");
  return ["scripts/build.js", "tsconfig.build.json", ...sources].every(
    (file) => toTime(file) < built,
  );
};

// a warning, such as that about an old Node.js, is one line, without Node's own hints
process.removeAllListeners("warning").on("warning", ({ message }) => console.error(message));

// what the page needs is installed while the package is built, and the page is built once this process is free again
const page = buildPage();
if (!isBuilt()) {
  console.error("Building the package; this takes about a quarter of a minute.");
  const { status } = spawnSync(process.execPath, [`${root}scripts/build.js`], {
    stdio: ["inherit", 2, 2],
  });
  if (status !== 0) process.exit(status ?? 1);
}
await page;
register();
await import("../example/src/main.ts");
