// Before packing, removes the fields from package.json that only this repository uses; `--restore` puts them back.
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const file = fileURLToPath(new URL("../package.json", import.meta.url));
const whole = `${file}.whole`;

if (process.argv.includes("--restore")) {
  if (existsSync(whole)) renameSync(whole, file);
} else {
  const text = readFileSync(file, "utf8");
  const manifest = JSON.parse(text);
  // yarn warns the users of a package that has workspaces
  for (const name of ["workspaces", "scripts", "devDependencies"]) delete manifest[name];
  writeFileSync(whole, text);
  writeFileSync(file, `${JSON.stringify(manifest, null, 2)}\n`);
}
