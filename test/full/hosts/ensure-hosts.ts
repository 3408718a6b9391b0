import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export type Host = "Bun" | "Deno";

const cache = fileURLToPath(new URL("../../../node_modules/.cache/hosts", import.meta.url));
const packages: Readonly<Record<Host, readonly [name: string, scope: string, path: string]>> = {
  Bun: ["bun@1.4", "@oven", "bin/bun"],
  Deno: ["deno@2.9", "@deno", "deno"],
};

/** Returns the path of the binary that npm has installed for this system, for a package with one binary per system. */
const findBinary = (host: Host): string => {
  const [, scope, path] = packages[host];
  const folder = `${cache}/node_modules/${scope}`;
  const [system = ""] = existsSync(folder) ? readdirSync(folder) : [];
  return `${folder}/${system}/${path}`;
};

/** Returns the path of the binary of a host; installs both from the npm registry if it is missing. */
export const ensureHost = (host: Host): string => {
  if (!existsSync(findBinary(host))) {
    mkdirSync(cache, { recursive: true });
    writeFileSync(`${cache}/package.json`, '{ "private": true }');
    const install = ["install", "--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts"];
    const names = Object.values(packages).map(([name]) => name);
    execFileSync("npm", [...install, ...names], { cwd: cache, stdio: "inherit" });
  }
  return findBinary(host);
};
