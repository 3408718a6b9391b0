import { existsSync, readFileSync } from "node:fs";
import { getMessageFromError } from "../reply/http-error.ts";
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

/** Checks whether a file has the given content, and prints the difference if not. Returns an exit code. */
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

/** The maximum number of lines to show; further lines are only counted. */
const maxLines = 60;

/** Shows which lines of a text were removed (-) and added (+), each group after two lines of context. */
const toDifference = (before: string, after: string): string => {
  const [old, own] = [before.split("\n"), after.split("\n")];
  const lines: string[] = [];
  for (let [at, to] = [0, 0]; at < old.length || to < own.length; at++, to++) {
    if (old[at] === own[to]) continue;
    const [gone, come] = findNext(old, own, at, to);
    lines.push(
      `@@ line ${at + 1} @@`,
      ...old.slice(Math.max(0, at - 2), at).map((line) => `  ${line}`),
      ...old.slice(at, gone).map((line) => `- ${line}`),
      ...own.slice(to, come).map((line) => `+ ${line}`),
    );
    [at, to] = [gone, come];
  }
  const more = lines.length - maxLines;
  if (more > 0) lines.splice(maxLines, more, `... and ${more} more lines`);
  return lines.join("\n");
};

const findNext = (
  old: readonly string[],
  own: readonly string[],
  at: number,
  to: number,
): readonly [number, number] => {
  // beyond their ends, both are undefined
  for (let distance = 1; ; distance++)
    for (let gone = at; gone <= at + distance; gone++) {
      const come = to + distance - (gone - at);
      // a single line, such as a brace, may be the same by chance
      if (old[gone] === own[come] && old[gone + 1] === own[come + 1]) return [gone, come];
    }
};
