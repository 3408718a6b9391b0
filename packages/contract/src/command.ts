import { parseArgs } from "node:util";
import { toUsageError } from "./errors.ts";

/** Where a command writes, and how it starts `sallyport`. */
export interface Io {
  /** Writes to standard output. */
  readonly out: (text: string) => void;
  /** Writes to standard error. */
  readonly err: (text: string) => void;
  /**
   * The program that runs `sallyport`, with its first arguments.
   *
   * @default Node.js with the `sallyport` that is installed
   */
  readonly sallyport?: readonly string[];
  /** Loads the module that exports `routing` and `config`, and returns the exit code of what uses them. */
  readonly useEntry?:
    | ((
        path: string | undefined,
        use: (entry: { readonly routing: object; readonly config: object }) => Promise<number>,
      ) => Promise<number>)
    | undefined;
  /** Loads another module of the application, such as one with options. */
  readonly load?: ((path: string) => Promise<unknown>) | undefined;
}

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
  /** What follows the name of the command in its help. */
  readonly usage: readonly string[];
  readonly options: Own;
  /** Runs the command; returns the exit code. */
  readonly run: (values: Values<Own>, positionals: readonly string[], io: Io) => Promise<number>;
}

export type Command = CommandOf<Options>;

export const defineCommand = <const Own extends Options>(command: CommandOf<Own>): Command =>
  command as unknown as Command;

/** @throws {@link ContractError} when an option is unknown, or has no value or one too many. */
export const runCommand = (
  name: string,
  { options, run }: Command,
  args: readonly string[],
  io: Io,
): Promise<number> => {
  const { values, positionals, tokens } = parseArgs({
    ...{ args: [...args], options, tokens: true, allowPositionals: true },
    // the messages of `strict` do not say how an option is used
    strict: false,
  });
  for (const token of tokens) {
    if (token.kind !== "option") continue;
    const { name: flag, value } = token;
    const option = Object.hasOwn(options, flag) ? options[flag] : undefined;
    if (!option) {
      const known = Object.keys(options).map((one) => `--${one}`);
      throw toUsageError(`${name}: there is no option --${flag}. Use ${known.join(", ")}.`);
    }
    if (option.type === "boolean") {
      if (value !== undefined) throw toUsageError(`--${flag} takes no value; got ${value}.`);
    } else if (!value || (!token.inlineValue && value.startsWith("-")))
      // another option after the name is not its value
      throw toUsageError(`--${flag} needs a value, as in \`--${flag} <${option.hint}>\`.`);
  }
  return run(values as Values<Options>, positionals, io);
};
