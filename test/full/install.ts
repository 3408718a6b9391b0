import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Installs what the lock file of a folder names into another one, unless it is there. */
export const ensureInstalled = (own: string, home: string): void => {
  const lock = readFileSync(join(own, "package-lock.json"), "utf8");
  // written last: an installation that was broken off is done again
  const stamp = join(home, "installed-lock.json");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === lock) return;
  rmSync(home, { recursive: true, force: true });
  mkdirSync(home, { recursive: true });
  for (const name of ["package.json", "package-lock.json"])
    cpSync(join(own, name), join(home, name));
  // not `npm ci`, which refuses a lock file that lacks the optional parts of another system
  const install = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  execFileSync("npm", install, { cwd: home, stdio: "inherit" });
  writeFileSync(stamp, lock);
};
