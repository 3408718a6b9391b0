import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const modules = new URL("../node_modules/", import.meta.url);

/** The command that runs a program of a package, without a shell, which Windows would need for those in `.bin`. */
export const tool = (name, ofPackage = name) => {
  const { bin } = JSON.parse(readFileSync(new URL(`${ofPackage}/package.json`, modules), "utf8"));
  return [process.execPath, fileURLToPath(new URL(`${ofPackage}/${bin[name]}`, modules))];
};
