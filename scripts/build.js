// Builds `dist` from `src`: plain JavaScript with declarations and source maps. Nothing is bundled except the client's source,
// which generated clients contain.
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = fileURLToPath(new URL("../", import.meta.url));
rmSync(`${root}dist`, { recursive: true, force: true });
const { status } = spawnSync(
  process.execPath,
  [`${root}node_modules/typescript/bin/tsc`, "-p", "tsconfig.build.json"],
  { cwd: root, stdio: "inherit" },
);
if (status !== 0) process.exit(status ?? 1);
const folder = pathToFileURL(`${root}dist/generate-client/`);
const { writeParts } = await import(new URL("runtime-source.js", folder).href);
writeParts(pathToFileURL(`${root}src/client/`), folder);
