import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const modules = new URL("../node_modules/", import.meta.url);

/** Returns the command that runs a package's program directly; on Windows, the programs in `.bin` would need a shell. */
export const tool = (name, ofPackage = name) => {
  const { bin } = JSON.parse(readFileSync(new URL(`${ofPackage}/package.json`, modules), "utf8"));
  return [process.execPath, fileURLToPath(new URL(`${ofPackage}/${bin[name]}`, modules))];
};
