/** What the command line of `sallyport` gives to the commands of this package. */
export interface Io {
  /** Writes to standard output. */
  readonly out: (text: string) => void;
  /** Loads the module that exports `routing` and `config`, and returns what `use` makes of it. */
  readonly useEntry: <Result>(
    path: string | undefined,
    use: (entry: { readonly routing: object; readonly config: object }) => Promise<Result>,
  ) => Promise<Result>;
  /** Returns the OpenAPI document of the API, or one of several, by its path. */
  readonly readDocument: (path: string | undefined, docs?: string) => Promise<unknown>;
  /** Loads another module of the application, such as one with options. */
  readonly load: (path: string) => Promise<unknown>;
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
  /** What follows the name of the command in its help; without it, the command takes options and one entry. */
  readonly usage?: readonly string[];
  readonly options: Own;
  /** Runs the command; returns the exit code. */
  readonly run: (values: Values<Own>, positionals: readonly string[], io: Io) => Promise<number>;
}

/** A command that the command line of `sallyport` runs. */
export type Command = CommandOf<Options>;

export const defineCommand = <const Own extends Options>(command: CommandOf<Own>): Command =>
  command as unknown as Command;
