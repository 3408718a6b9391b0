// Builds the package and runs the example application in this same process, so that signals reach it.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { register } from "tsx/esm/api";

const build = fileURLToPath(new URL("build.js", import.meta.url));
const { status } = spawnSync(process.execPath, [build], { stdio: "inherit" });
if (status !== 0) process.exit(status ?? 1);
register();
await import("../example/src/main.ts");
