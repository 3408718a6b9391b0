import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { stripVTControlCharacters } from "node:util";
import { renderUsage, runCommand, type CommandDef } from "citty";
import { describeUnknown } from "../checks/unknown-names.ts";
import { getMessageFromError, readSafely } from "../results/http-error.ts";
import { CliError } from "./cli-error.ts";
import { clientCommand } from "./client-command.ts";
import { openApiCommand } from "./openapi-command.ts";
import { writeError, writeOut } from "./output.ts";
import { routesCommand } from "./routes-command.ts";

const commands: Readonly<Record<string, CommandDef>> = {
  client: clientCommand as unknown as CommandDef,
  openapi: openApiCommand as unknown as CommandDef,
  routes: routesCommand as unknown as CommandDef,
};

const main: CommandDef = {
  meta: {
    name: "sallyport",
    description:
      "Lists the routes of an API made with sallyport, and writes its OpenAPI document and its client.",
  },
  subCommands: commands,
};

/** The names of errors that are printed without a stack, because they are not defects of the command. */
const ownErrors: ReadonlySet<unknown> = new Set([
  ...["CliError", "ConfigError", "DefinitionError", "OpenApiError", "RoutingError"],
]);

/**
 * Runs a command.
 *
 * @returns the exit code: 0, 1 if the API has an error or a file is out of date, 2 for incorrect usage
 */
export const runMain = async (args: readonly string[]): Promise<number> => {
  try {
    return await run(args);
  } catch (error) {
    const isOwn = ownErrors.has(readSafely(error, "name"));
    const message = getMessageFromError(error);
    const stack = readSafely(error, "stack");
    const text = isOwn || typeof stack !== "string" ? message : stack;
    await writeError(`sallyport: ${text}\n`);
    return readSafely(error, "code") === "SLP_CLI_USAGE" ? 2 : 1;
  }
};

const run = async (args: readonly string[]): Promise<number> => {
  const [name, ...rest] = args;
  if (name === undefined || name === "--help" || name === "-h" || name === "help") {
    await writeOut(toHelp(await renderUsage(main)));
    return name === undefined ? 2 : 0;
  }
  if (name === "--version" || name === "-v") {
    await writeOut(`${readVersion()}\n`);
    return 0;
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) {
    throw new CliError(
      "SLP_CLI_USAGE",
      `${describeUnknown("command", name, Object.keys(commands))} See \`sallyport --help\`.`,
    );
  }
  if (rest.includes("--help") || rest.includes("-h")) {
    await writeOut(toHelp(await renderUsage(command, main)));
    return 0;
  }
  assertFlags(name, command, rest);
  const { result } = await runCommand(command, { rawArgs: [...rest] });
  return typeof result === "number" ? result : 0;
};

/** Removes the colours from a usage text unless it is shown in a terminal. */
const toHelp = (usage: string): string =>
  `${process.stdout.isTTY ? usage : stripVTControlCharacters(usage)}\n`;

interface Argument {
  readonly type?: string;
  readonly valueHint?: string;
}

const assertFlags = (name: string, { args }: CommandDef, given: readonly string[]): void => {
  const definitions = Object.entries(args as Readonly<Record<string, Argument>>);
  const flags = definitions.flatMap(([flag, { type }]) => (type === "positional" ? [] : flag));
  for (const one of given) {
    if (!one.startsWith("-")) continue;
    const flag = (one.split("=", 1)[0] ?? one).replace(/^--?(?:no-)?/, "");
    if (flags.includes(flag)) continue;
    throw new CliError(
      "SLP_CLI_USAGE",
      describeUnknown("option", flag, flags, { where: name, prefix: "--" }),
    );
  }
  assertValues(definitions, given);
  const places = definitions.filter(([, { type }]) => type === "positional").length;
  const positionals = given.filter(
    (one, at) => !one.startsWith("-") && !isValue(definitions, given[at - 1]),
  );
  if (positionals.length > places)
    throw new CliError(
      "SLP_CLI_USAGE",
      `\`sallyport ${name}\` takes one entry; got ${positionals.join(" ")}.`,
    );
};

/** Checks that each option that takes a value has one; another option after its name is not its value. */
const assertValues = (
  definitions: readonly (readonly [string, Argument])[],
  given: readonly string[],
): void => {
  for (const [name, { type, valueHint = "value" }] of definitions) {
    if (type !== "string") continue;
    const lacksValue = given.some((one, at) =>
      one === `--${name}` ? (given[at + 1] ?? "-").startsWith("-") : one === `--${name}=`,
    );
    if (lacksValue)
      throw new CliError(
        "SLP_CLI_USAGE",
        `--${name} needs a value, as in \`--${name} <${valueHint}>\`.`,
      );
  }
};

/** Checks whether the argument after a flag is its value. */
const isValue = (
  definitions: readonly (readonly [string, Argument])[],
  flag: string | undefined,
): boolean => {
  const type = definitions.find(([name]) => flag === `--${name}`)?.[1].type;
  return type === "string" || type === "enum";
};

const readVersion = (): string => {
  const file = createRequire(import.meta.url).resolve("sallyport/package.json");
  const { version } = JSON.parse(readFileSync(file, "utf8")) as { readonly version: string };
  return version;
};
