// Installs the dependencies only if something is missing, so that `npm start` and `npm test` work right after a clone:
// those of the repository, or of the given folder.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";

const [, , folder] = process.argv;
const root = new URL(folder === undefined ? "../" : `../${folder}/`, import.meta.url);
const readPackages = (path) => JSON.parse(readFileSync(new URL(path, root), "utf8")).packages ?? {};

const isComplete = () => {
  if (!existsSync(new URL("node_modules/.package-lock.json", root))) return false;
  const installed = readPackages("node_modules/.package-lock.json");
  return Object.entries(readPackages("package-lock.json")).every(
    ([place, { version, optional, link, devOptional }]) =>
      !place.startsWith("node_modules/") ||
      optional ||
      devOptional ||
      link ||
      installed[place]?.version === version,
  );
};

if (!isComplete()) {
  console.log("Installing the dependencies; this takes about half a minute...");
  const npm = (stdio, ...args) =>
    // development dependencies are needed with NODE_ENV=production, too
    spawnSync("npm", [...args, "--include=dev", "--no-audit", "--no-fund", "--loglevel=error"], {
      cwd: root,
      stdio,
      shell: process.platform === "win32",
    });
  // `npm ci` rejects the lock file if the registry lacks a package for another platform
  if (npm("ignore", "ci").status !== 0) {
    const { status, error } = npm("inherit", "install", "--no-save");
    if (error) console.error(`Could not run npm: ${error.message}`);
    process.exit(status ?? 1);
  }
}
