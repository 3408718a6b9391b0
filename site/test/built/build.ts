import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Builds the site before the tests that open its pages. */
export const setup = (): void => {
  const site = fileURLToPath(new URL("../../", import.meta.url));
  const vitepress = dirname(createRequire(import.meta.url).resolve("vitepress/package.json"));
  const program = join(vitepress, "bin/vitepress.js");
  execFileSync(process.execPath, [program, "build"], { cwd: site, stdio: "pipe" });
};
