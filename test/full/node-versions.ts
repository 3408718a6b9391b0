import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("../../node_modules/.cache/node-versions", import.meta.url));

/** The lowest supported version of Node.js, and the later major versions. */
const versions = ["20.19", "22", "24", "26"] as const;

/** The path of the binary within the package `node`. */
const program = process.platform === "win32" ? "bin/node.exe" : "bin/node";

/** Returns the path of the binary of a version of Node.js; installs it from the npm registry if it is missing. */
export const ensureNode = (version: string): string => {
  const [major, minor] = process.versions.node.split(".");
  if (version === major || version === `${major}.${minor}`) return process.execPath;
  const home = `${folder}/${version}`;
  const path = `${home}/node_modules/node/${program}`;
  if (!existsSync(path)) {
    mkdirSync(home, { recursive: true });
    writeFileSync(`${home}/package.json`, '{ "private": true }');
    const install = ["install", "--no-audit", "--no-fund", "--no-package-lock"];
    execFileSync("npm", [...install, `node@${version}`], { cwd: home, stdio: "inherit" });
  }
  return path;
};

/** Returns the path of the binary for each supported version of Node.js; installs missing ones from the npm registry. */
export const ensureNodes = (): ReadonlyMap<string, string> =>
  new Map(versions.map((version) => [version, ensureNode(version)]));
