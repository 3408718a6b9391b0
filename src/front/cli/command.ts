import { parseArgs } from "node:util";
import { describeUnknown } from "../../basics/messages/unknown-names.ts";

/** An error that a user of the command line can fix; shown without a stack. */
export class CliError extends Error {
  override readonly name = "CliError";
  readonly code:
    | "SLP_CLI_ENTRY"
    | "SLP_CLI_OVERWRITE"
    | "SLP_CLI_PACKAGE"
    | "SLP_CLI_STARTS_SERVER"
    | "SLP_CLI_USAGE";

  constructor(code: CliError["code"], message: string) {
    super(message);
    this.code = code;
  }
}

export const toUsageError = (message: string): CliError => new CliError("SLP_CLI_USAGE", message);

type Options = Readonly<Record<string, Option>>;

interface Option {
  readonly type: "string" | "boolean";
  /** What stands for the value in the help. */
  readonly hint?: string;
  readonly description: string;
}

type Values<Own extends Options> = {
  readonly [Name in keyof Own]?: Own[Name]["type"] extends "string" ? string : boolean;
};

interface CommandOf<Own extends Options> {
  readonly description: string;
  /** What follows the name of the command in its help, one line for each way; by default, options and an entry. */
  readonly usage?: readonly string[];
  readonly options: Own;
  /** Runs the command; returns the exit code. Without `usage`, the entry is the only positional argument, if any. */
  readonly run: (values: Values<Own>, positionals: readonly string[]) => Promise<number>;
}

export type Command = CommandOf<Options>;

export const defineCommand = <const Own extends Options>(command: CommandOf<Own>): Command =>
  command as unknown as Command;

/** @throws {@link CliError} when an argument is unknown, has no value or has one too many. */
export const runCommand = (
  name: string,
  { usage, options, run }: Command,
  args: readonly string[],
): Promise<number> => {
  const { values, positionals, tokens } = parseArgs({
    ...{ args: [...args], options, tokens: true, allowPositionals: true },
    // the messages of `strict` neither suggest names nor say how an option is used
    strict: false,
  });
  const seen = new Set<string>();
  for (const token of tokens) {
    if (token.kind !== "option") continue;
    const { name: flag, value } = token;
    const option = Object.hasOwn(options, flag) ? options[flag] : undefined;
    if (!option)
      throw toUsageError(
        describeUnknown("option", flag, Object.keys(options), { where: name, prefix: "--" }),
      );
    if (option.type === "boolean") {
      if (value !== undefined) throw toUsageError(`--${flag} takes no value; got ${value}.`);
    } else if (!value || (!token.inlineValue && value.startsWith("-")))
      // another option after the name is not its value
      throw toUsageError(`--${flag} needs a value, as in \`--${flag} <${option.hint}>\`.`);
    if (seen.has(flag)) throw toUsageError(`--${flag} is given twice. Give it once.`);
    seen.add(flag);
  }
  if (usage === undefined && positionals.length > 1)
    throw toUsageError(`\`sallyport ${name}\` takes one entry; got ${positionals.join(" ")}.`);
  return run(values as Values<Options>, positionals);
};
