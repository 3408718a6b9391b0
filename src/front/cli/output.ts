import { existsSync, readFileSync } from "node:fs";
import { getMessageFromError } from "../../wire/reply/http-error.ts";
import { CliError, toUsageError } from "./command.ts";

export const writeOut = (text: string): Promise<void> => write(process.stdout, text);

export const writeError = (text: string): Promise<void> => write(process.stderr, text);

const write = (stream: NodeJS.WriteStream, text: string): Promise<void> =>
  new Promise((resolve) => {
    stream.write(text, () => resolve());
  });

/** @throws {@link CliError} when the file cannot be used. */
export const useFile = <Result>(verb: string, file: string, work: () => Result): Result => {
  try {
    return work();
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw toUsageError(`--out: cannot ${verb} ${file}: ${getMessageFromError(error)}`);
  }
};

/** Checks whether a file has the given content, and prints the first difference if not. Returns an exit code. */
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

/** Shows the first line that differs, after two lines of context. */
const toDifference = (before: string, after: string): string => {
  const [old, own] = [before.split("\n"), after.split("\n")];
  let at = 0;
  while (old[at] === own[at]) at++;
  return [
    `@@ line ${at + 1} @@`,
    ...old.slice(Math.max(0, at - 2), at).map((line) => `  ${line}`),
    ...old.slice(at, at + 1).map((line) => `- ${line}`),
    ...own.slice(at, at + 1).map((line) => `+ ${line}`),
  ].join("\n");
};
