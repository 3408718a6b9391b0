// Removes what only this repository uses from package.json before it is packed; `--restore` puts it back.
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const file = fileURLToPath(new URL("../package.json", import.meta.url));
const whole = `${file}.whole`;

if (process.argv.includes("--restore")) {
  if (existsSync(whole)) renameSync(whole, file);
} else {
  const text = readFileSync(file, "utf8");
  // yarn warns users of the workspaces of a package
  const manifest = JSON.parse(text);
  // yarn warns users of the workspaces of a package
  for (const name of ["workspaces", "scripts", "devDependencies"]) delete manifest[name];
  writeFileSync(whole, text);
  writeFileSync(file, `${JSON.stringify(manifest, null, 2)}\n`);
}
