import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Installs the packages in a directory's lock file into another directory, unless they are already there. */
export const ensureInstalled = (own: string, home: string): void => {
  const lock = readFileSync(join(own, "package-lock.json"), "utf8");
  // this file is written last, so an interrupted installation is repeated
  const stamp = join(home, "installed-lock.json");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === lock) return;
  rmSync(home, { recursive: true, force: true });
  mkdirSync(home, { recursive: true });
  for (const name of ["package.json", "package-lock.json"])
    cpSync(join(own, name), join(home, name));
  // not `npm ci`, which rejects a lock file that lacks another system's optional packages
  const install = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  execFileSync("npm", install, { cwd: home, stdio: "inherit" });
  writeFileSync(stamp, lock);
};
