import type { Command, Io } from "./command.ts";
import { runCommand } from "./command.ts";
import { ContractError, toUsageError } from "./errors.ts";
import { lockCommand } from "./lock/lock-command.ts";
import { mockCommand } from "./mock/mock-command.ts";
import { verifyCommand } from "./verify/verify-command.ts";

const commands: Readonly<Record<string, Command>> = {
  lock: lockCommand,
  mock: mockCommand,
  verify: verifyCommand,
};

/**
 * Runs a command of this package, as `sallyport` does.
 *
 * @param args the name of the command and its arguments
 * @returns 0, 1 if the contract is broken or a file cannot be used, 2 for incorrect usage
 */
export const runCli = async (args: readonly string[], io: Io): Promise<number> => {
  try {
    return await run(args, io);
  } catch (error) {
    if (!(error instanceof ContractError)) throw error;
    io.err(`sallyport: ${error.message}\n`);
    return error.isUsage ? 2 : 1;
  }
};

const run = async ([name, ...rest]: readonly string[], io: Io): Promise<number> => {
  if (name === undefined || name === "--help" || name === "-h") {
    io.out(toHelp());
    return name === undefined ? 2 : 0;
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command)
    throw toUsageError(
      `There is no command \`${name}\`. The commands are ${Object.keys(commands).join(", ")}.`,
    );
  if (rest.includes("--help") || rest.includes("-h")) {
    io.out(toCommandHelp(name, command));
    return 0;
  }
  return runCommand(name, command, rest, io);
};

const toHelp = (): string => `\
Keeps the contract of an API made with sallyport, and mocks the API. (sallyport-contract)

USAGE sallyport ${Object.keys(commands).join("|")}

COMMANDS

${toColumns(Object.entries(commands).map(([name, { description }]) => [name, description]))}

Use sallyport <command> --help for more information about a command.
`;

const toCommandHelp = (name: string, { description, usage, options }: Command): string => `\
${description} (sallyport ${name})

${usage.map((one) => `USAGE sallyport ${name} ${one}`).join("\n")}

OPTIONS

${toColumns(
  Object.entries(options).map(([option, { hint, description: text }]) => [
    `--${option}${hint === undefined ? "" : `=<${hint}>`}`,
    text,
  ]),
)}
`;

const toColumns = (rows: readonly (readonly [name: string, description: string])[]): string => {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows
    .map(([name, description]) => `  ${name.padStart(width)}    ${description}`)
    .join("\n");
};
