import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { getMessageFromError, readSafely } from "../../wire/reply/http-error.ts";
import { CliError, type Command } from "./command.ts";
import { readDocument } from "./generating-commands.ts";
import { loadModule, useEntry } from "./load-entry.ts";
import { writeOut } from "./output.ts";

/** The commands of `@sallyport/contract`, with their descriptions. */
export const contractCommands: Readonly<Record<string, string>> = {
  lock: "Locks what clients depend on, and tells what a change breaks; needs @sallyport/contract.",
  mock: "Serves the API without its handlers, with generated outputs; needs @sallyport/contract.",
  verify:
    "Calls each operation, and checks that it keeps to the document; needs @sallyport/contract.",
};

const packageName = "@sallyport/contract";

/** What the commands of the package are given. */
interface Io {
  readonly out: (text: string) => void;
  readonly useEntry: typeof useEntry;
  readonly readDocument: typeof readDocument;
  readonly load: typeof loadModule;
}

interface ContractCommand extends Omit<Command, "run"> {
  readonly run: (...args: [...Parameters<Command["run"]>, io: Io]) => Promise<number>;
}

/** What the package exports for the command line. */
interface Contract {
  readonly commands: Readonly<Record<string, ContractCommand | undefined>>;
}

/** Loads the package of the application with the commands. */
export type LoadContract = (command: string) => Promise<object>;

/** Returns a command of the package as one of this command line. */
export const findCommand = async (name: string, load: LoadContract): Promise<Command> => {
  const { commands } = (await load(name)) as Contract;
  const command = commands[name] as ContractCommand;
  return {
    ...command,
    run: async (values, positionals) => {
      const written: Promise<void>[] = [];
      const out = (text: string): void => void written.push(writeOut(text));
      try {
        return await command.run(values, positionals, {
          out,
          useEntry,
          readDocument,
          load: loadModule,
        });
      } finally {
        await Promise.all(written);
      }
    },
  };
};

/** @throws {@link CliError} when the package is not installed, or cannot be found. */
export const loadContract: LoadContract = async (command) => {
  let path: string;
  try {
    path = createRequire(join(process.cwd(), "package.json")).resolve(packageName);
  } catch (error) {
    throw new CliError(
      "SLP_CLI_PACKAGE",
      readSafely(error, "code") === "MODULE_NOT_FOUND"
        ? `\`sallyport ${command}\` needs ${packageName}. Run: npm install --save-dev ${packageName}`
        : `${packageName} cannot be found: ${getMessageFromError(error)}`,
    );
  }
  return (await import(pathToFileURL(path).href)) as object;
};
