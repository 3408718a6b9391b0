import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { describeUnknown } from "../../basics/messages/unknown-names.ts";
import { getMessageFromError, readSafely } from "../../wire/reply/http-error.ts";
import { runCommand, toUsageError, type Command } from "./command.ts";
import {
  contractCommands,
  findCommand,
  loadContract,
  type LoadContract,
} from "./contract-commands.ts";
import { clientCommand, openApiCommand } from "./generating-commands.ts";
import { writeError, writeOut } from "./output.ts";
import { routesCommand } from "./routes-command.ts";

const commands: Readonly<Record<string, Command>> = {
  client: clientCommand,
  openapi: openApiCommand,
  routes: routesCommand,
};

/** The descriptions of all commands by name. */
const descriptions: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ...Object.entries(commands).map(([name, { description }]) => [name, description] as const),
    ...Object.entries(contractCommands),
  ].toSorted(([one], [other]) => (one < other ? -1 : 1)),
);

/** The names of errors that are printed without a stack, because they are not defects of the command. */
const ownErrors: ReadonlySet<unknown> = new Set([
  ...[
    "CliError",
    "ConfigError",
    "ContractError",
    "DefinitionError",
    "OpenApiError",
    "RoutingError",
  ],
]);

/**
 * Runs a command; returns 0, 1 if the API has an error or a file is out of date, 2 for incorrect usage.
 *
 * @param load loads `@sallyport/contract`
 */
export const runMain = async (
  args: readonly string[],
  load: LoadContract = loadContract,
): Promise<number> => {
  try {
    return await run(args, load);
  } catch (error) {
    const isOwn = ownErrors.has(readSafely(error, "name"));
    const message = getMessageFromError(error);
    const stack = readSafely(error, "stack");
    const text = isOwn || typeof stack !== "string" ? message : stack;
    await writeError(`sallyport: ${text}\n`);
    return readSafely(error, "code") === "SLP_CLI_USAGE" ? 2 : 1;
  }
};

const run = async (args: readonly string[], load: LoadContract): Promise<number> => {
  const [name, ...rest] = args;
  if (name === undefined || name === "--help" || name === "-h" || name === "help") {
    await writeOut(toHelp());
    return name === undefined ? 2 : 0;
  }
  if (name === "--version" || name === "-v") {
    await writeOut(`${readVersion()}\n`);
    return 0;
  }
  if (!Object.hasOwn(descriptions, name))
    throw toUsageError(
      `${describeUnknown("command", name, Object.keys(descriptions))} See \`sallyport --help\`.`,
    );
  const command = commands[name] ?? (await findCommand(name, load));
  if (rest.includes("--help") || rest.includes("-h")) {
    await writeOut(toCommandHelp(name, command));
    return 0;
  }
  return runCommand(name, command, rest);
};

const toHelp = (): string => `\
Lists the routes of an API made with sallyport, and writes its OpenAPI document and its client. (sallyport)

USAGE sallyport ${Object.keys(descriptions).join("|")}

COMMANDS

${toColumns(Object.entries(descriptions))}

Use sallyport <command> --help for more information about a command.
`;

const toCommandHelp = (
  command: string,
  { description, usage = ["[OPTIONS] [ENTRY]"], options }: Command,
): string => `\
${description} (sallyport ${command})

${usage.map((one) => `USAGE sallyport ${command} ${one}`).join("\n")}

ARGUMENTS

  ENTRY    The module that exports \`routing\` and \`config\`

OPTIONS

${toColumns(
  Object.entries(options).map(([name, option]) => [
    `--${name}${option.hint === undefined ? "" : `=<${option.hint}>`}`,
    option.description,
  ]),
)}
`;

const toColumns = (rows: readonly (readonly [name: string, description: string])[]): string => {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows
    .map(([name, description]) => `  ${name.padStart(width)}    ${description}`)
    .join("\n");
};

const readVersion = (): string => {
  const file = createRequire(import.meta.url).resolve("sallyport/package.json");
  const { version } = JSON.parse(readFileSync(file, "utf8")) as { readonly version: string };
  return version;
};
