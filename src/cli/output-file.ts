import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { getMessageFromError } from "../results/http-error.ts";
import { CliError } from "./cli-error.ts";
import { toDifference } from "./difference.ts";
import { writeError } from "./output.ts";

/**
 * Writes a file, and creates its directories.
 *
 * @throws {@link CliError} when the file cannot be written.
 */
export const writeFile = (file: string, text: string): void =>
  useFile("write", file, () => {
    mkdirSync(dirname(resolve(file)), { recursive: true });
    writeFileSync(file, text);
  });

const useFile = <Result>(verb: string, file: string, work: () => Result): Result => {
  try {
    return work();
  } catch (error) {
    throw new CliError(
      "SLP_CLI_USAGE",
      `--out: cannot ${verb} ${file}: ${getMessageFromError(error)}`,
      error,
    );
  }
};

/**
 * Checks whether a file has the given content, and prints the difference if it does not. Returns an exit code.
 *
 * @throws {@link CliError} when the file cannot be read.
 */
export const checkFile = async (file: string, text: string): Promise<number> => {
  const hint = "Run the command without --check to write it.";
  if (!existsSync(file)) {
    await writeError(`${file} does not exist. ${hint}\n`);
    return 1;
  }
  // editors on other systems may use different line endings
  const known = useFile("read", file, () => readFileSync(file, "utf8")).replaceAll("\r\n", "\n");
  if (known === text) return 0;
  await writeError(`${file} is out of date. ${hint}\n\n${toDifference(known, text)}\n`);
  return 1;
};
