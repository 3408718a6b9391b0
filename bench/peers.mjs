// Installs the peers, and the Node.js that runs them, into their own directory when they are first needed.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("peers", import.meta.url));

const install = () => {
  if (existsSync(`${folder}/node_modules`)) return;
  process.stdout.write("Installing the peers and Node.js 24 …\n");
  execFileSync("npm", ["install", "--no-audit", "--no-fund", "--no-package-lock"], {
    cwd: folder,
    stdio: "inherit",
  });
};

const dist = fileURLToPath(new URL("../dist/index.js", import.meta.url));

/** Returns the Node.js binary to measure on: `24`, installed with the peers, or `current`. */
export const findNode = (wanted) => {
  if (wanted !== "24" && wanted !== "current")
    throw new Error(`--node: must be 24 or current; got ${wanted}.`);
  if (!existsSync(dist))
    throw new Error("There is no build to measure; run `npm run build` first.");
  install();
  return wanted === "24" ? `${folder}/node_modules/node/bin/node` : process.execPath;
};
