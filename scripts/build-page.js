// Builds the page of the example, `example/web`, if it is missing or older than its sources; used by `npm start`.
import { spawn } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../", import.meta.url));
const web = `${root}example/web/`;
const sources = ["example/web/src", "src/describe/client", "src/describe/tanstack-query"];
const files = ["index.html", "package-lock.json", "package.json", "vite.config.ts"];

const isBuilt = () => {
  const page = `${web}dist/index.html`;
  if (!existsSync(page)) return false;
  const built = statSync(page).mtimeMs;
  return [
    ...files.map((file) => `${web}${file}`),
    ...sources.flatMap((folder) =>
      readdirSync(`${root}${folder}`).map((file) => `${root}${folder}/${file}`),
    ),
  ].every((file) => statSync(file).mtimeMs < built);
};

/** Runs a script of Node.js; resolves to whether it succeeds. */
const run = (cwd, script, ...args) =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, [script, ...args], {
      cwd,
      stdio: ["ignore", "ignore", "inherit"],
      env: { ...process.env, NODE_ENV: "production" },
    });
    const kill = () => child.kill();
    process.once("exit", kill);
    child.once("error", () => resolve(false));
    child.once("close", (code) => {
      process.off("exit", kill);
      resolve(code === 0);
    });
  });

/** Installs what the page needs, and builds it; resolves to whether there is a page then. */
export const buildPage = async () => {
  if (isBuilt()) return true;
  console.error(
    "Building the page of the shop, example/web; this takes about a quarter of a minute.",
  );
  const isDone =
    (await run(root, "scripts/ensure-installed.js", "example/web")) &&
    (await run(web, "node_modules/vite/bin/vite.js", "build", "--logLevel", "warn"));
  console.error(
    isDone
      ? "The page is built."
      : "The page could not be built; the API runs without it. To try again: cd example/web && npm ci && npm run build",
  );
  return isDone;
};
