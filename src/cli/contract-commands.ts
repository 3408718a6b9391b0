import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { getMessageFromError, readSafely } from "../reply/http-error.ts";
import { CliError } from "./command.ts";
import { loadModule, useEntry } from "./load-entry.ts";
import { writeError, writeOut } from "./output.ts";

/** The commands of `@sallyport/contract`, with their descriptions. */
export const contractCommands: Readonly<Record<string, string>> = {
  lock: "Locks what clients depend on, and tells what a change breaks; needs @sallyport/contract.",
  mock: "Serves the API without its handlers, with generated outputs; needs @sallyport/contract.",
  verify:
    "Calls each operation, and checks that it keeps to the document; needs @sallyport/contract.",
};

const name = "@sallyport/contract";

/** What this package exports for the command line. */
interface Contract {
  readonly runCli: (
    args: readonly string[],
    io: {
      readonly out: (text: string) => void;
      readonly err: (text: string) => void;
      readonly sallyport: readonly string[];
      readonly useEntry: typeof useEntry;
      readonly load: typeof loadModule;
    },
  ) => Promise<number>;
}

/**
 * Runs a command of `@sallyport/contract`; returns its exit code.
 *
 * @throws {@link CliError} when the package is not installed, or cannot be looked for.
 */
export const runContract = async (args: readonly string[]): Promise<number> => {
  const path = findContract();
  if (path === undefined)
    throw new CliError(
      "SLP_CLI_PACKAGE",
      `\`sallyport ${args[0]}\` needs ${name}. Run: npm install --save-dev ${name}`,
    );
  const { runCli } = (await import(pathToFileURL(path).href)) as Contract;
  const written: Promise<void>[] = [];
  const code = await runCli(args, {
    out: (text) => written.push(writeOut(text)),
    err: (text) => written.push(writeError(text)),
    sallyport: [process.execPath, ...process.execArgv, ...process.argv.slice(1, 2)],
    useEntry,
    load: loadModule,
  });
  await Promise.all(written);
  return code;
};

/**
 * Finds the package among those of the application.
 *
 * @throws {@link CliError} when a package.json cannot be parsed.
 */
const findContract = (): string | undefined => {
  try {
    return createRequire(join(process.cwd(), "package.json")).resolve(name);
  } catch (error) {
    if (readSafely(error, "code") === "MODULE_NOT_FOUND") return undefined;
    throw new CliError("SLP_CLI_PACKAGE", `${name} cannot be found: ${getMessageFromError(error)}`);
  }
};
