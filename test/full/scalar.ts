import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The directory in which Scalar is installed. */
export const scalarHome = fileURLToPath(
  new URL("../../node_modules/.cache/scalar", import.meta.url),
);
const fixture = fileURLToPath(new URL("../fixtures/scalar", import.meta.url));

/** Installs Scalar from its lock file unless it is installed. */
export const ensureScalar = (): void => {
  if (existsSync(`${scalarHome}/node_modules/@scalar/api-reference`)) return;
  mkdirSync(scalarHome, { recursive: true });
  for (const name of ["package.json", "package-lock.json"])
    copyFileSync(`${fixture}/${name}`, `${scalarHome}/${name}`);
  const install = ["ci", "--no-audit", "--no-fund", "--ignore-scripts"];
  execFileSync("npm", install, { cwd: scalarHome, stdio: "inherit" });
};
