import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("../../node_modules/.cache/node-versions", import.meta.url));

/** The versions that users have, besides the one that runs the tests. */
const others = ["22", "24", "26"] as const;

/**
 * Returns each supported major version of Node.js with its program; missing ones are installed from the npm registry.
 */
export const ensureNodes = (): ReadonlyMap<string, string> => {
  const nodes = new Map([[process.versions.node.split(".")[0] as string, process.execPath]]);
  for (const version of others) {
    const home = `${folder}/${version}`;
    const path = `${home}/node_modules/node/bin/node`;
    if (!existsSync(path)) {
      mkdirSync(home, { recursive: true });
      writeFileSync(`${home}/package.json`, '{ "private": true }');
      const install = ["install", "--no-audit", "--no-fund", "--no-package-lock"];
      execFileSync("npm", [...install, `node@${version}`], { cwd: home, stdio: "inherit" });
    }
    if (!nodes.has(version)) nodes.set(version, path);
  }
  return nodes;
};
