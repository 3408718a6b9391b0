import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { toDifference } from "./difference.ts";
import { writeError } from "./output.ts";

/** Writes a file, and creates its directories. */
export const writeFile = (file: string, text: string): void => {
  mkdirSync(dirname(resolve(file)), { recursive: true });
  writeFileSync(file, text);
};

/** Checks whether a file has the given content, and prints the difference if it does not. Returns an exit code. */
export const checkFile = async (file: string, text: string): Promise<number> => {
  const hint = "Run the command without --check to write it.";
  if (!existsSync(file)) {
    await writeError(`${file} does not exist. ${hint}\n`);
    return 1;
  }
  // editors on other systems may use different line endings
  const known = readFileSync(file, "utf8").replaceAll("\r\n", "\n");
  if (known === text) return 0;
  await writeError(`${file} is out of date. ${hint}\n\n${toDifference(known, text)}\n`);
  return 1;
};
