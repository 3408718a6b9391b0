// Builds the package if necessary, runs the example in this process, so that signals reach it, and builds its page if
// necessary while the API already answers.
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

// what the page needs is installed while the package is built, and the page is built once this process is free again
const page = buildPage();
if (!isBuilt()) {
  const { status } = spawnSync(process.execPath, [`${root}scripts/build.js`], { stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}
register();
await import("../example/src/main.ts");
await page;
