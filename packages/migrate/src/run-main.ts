import { parseArgs } from "node:util";
import { resolve } from "node:path";
import { UsageError } from "./usage-error.ts";

/** Where the command runs and prints. */
export interface Terminal {
  readonly directory: string;
  readonly write: (text: string) => void;
  readonly writeError: (text: string) => void;
}

const help = `\
Moves an application from express-zod-api to sallyport, or writes endpoints from an OpenAPI document or contracts of ts-rest.

USAGE

  npx @sallyport/migrate [DIRECTORY] [--dry-run] [--diff] [--force] [--offline]
  npx @sallyport/migrate openapi <DOCUMENT> --out <DIRECTORY> [--force]
  npx @sallyport/migrate ts-rest <MODULE> --out <DIRECTORY> [--force]

ARGUMENTS

  DIRECTORY    The root of the application, with tsconfig.json and package.json; by default, the working directory
  DOCUMENT     An OpenAPI document, version 3.0, 3.1 or 3.2, as YAML or JSON
  MODULE       A module that exports contracts of ts-rest, with schemas of Zod 4; it is loaded

OPTIONS

  --dry-run    Prints the report, and writes nothing
  --diff       Prints the changes, too
  --offline    Does not ask npm whether the packages fit together
  --out        The directory for the endpoints
  --force      Replaces files that exist; rewrites an application with changes that are not committed
  --help       Prints this help

EXIT CODES

  0    Done; places that need a person are marked with TODO(sallyport-migrate)
  1    The application, the document or the module cannot be read, the report tells what keeps the application from
       working, the endpoints differ from the document without a mark, or a route of a contract is not served
  2    The arguments are wrong
`;

const options = {
  "dry-run": { type: "boolean" },
  diff: { type: "boolean" },
  offline: { type: "boolean" },
  out: { type: "string" },
  force: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

const parse = (args: readonly string[]) => {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    const text = error instanceof Error ? error.message.split(". To specify")[0] : String(error);
    throw new UsageError(
      `${text}. The options are --dry-run, --diff, --offline, --out, --force and --help.`,
      2,
    );
  }
};

const refuse = (
  values: Readonly<Record<string, unknown>>,
  names: readonly string[],
  command: string,
) => {
  for (const name of names)
    if (values[name] !== undefined)
      throw new UsageError(`--${name} is no option of \`${command}\`. See --help.`, 2);
};

const run = async (args: readonly string[], terminal: Terminal): Promise<number> => {
  const { values, positionals } = parse(args);
  if (values.help) {
    terminal.write(help);
    return 0;
  }
  const [first, document, ...more] = positionals;
  if (first === "openapi" || first === "ts-rest") {
    const command = `migrate ${first}`;
    refuse(values, ["dry-run", "diff", "offline"], command);
    const [what, example] =
      first === "openapi" ? ["document", "api.yaml"] : ["module", "contract.ts"];
    if (document === undefined || more.length > 0)
      throw new UsageError(
        `\`${command}\` takes one ${what}, as in \`${command} ${example} --out src\`.`,
        2,
      );
    if (values.out === undefined)
      throw new UsageError(
        "--out is missing: name the directory for the endpoints, as in `--out src`.",
        2,
      );
    const file = resolve(terminal.directory, document);
    const out = resolve(terminal.directory, values.out);
    const { directory } = terminal;
    const chosen = { isForced: values.force ?? false, directory };
    if (first === "ts-rest") {
      const { writeEndpoints } = await import("./ts-rest/write-endpoints.ts");
      const { text, isComplete } = await writeEndpoints(file, out, chosen);
      terminal.write(text);
      return isComplete ? 0 : 1;
    }
    const { writeStubs } = await import("./openapi/write-stubs.ts");
    const { text, isProven } = await writeStubs(file, out, chosen);
    terminal.write(text);
    return isProven ? 0 : 1;
  }
  refuse(values, ["out"], "migrate");
  if (document !== undefined)
    throw new UsageError(`\`migrate\` takes one directory; got ${positionals.join(" ")}.`, 2);
  const { runMigration } = await import("./express-zod-api/run-migration.ts");
  const chosen = {
    isDryRun: values["dry-run"] ?? false,
    showsDiff: values.diff ?? false,
    isForced: values.force ?? false,
    isOffline: values.offline ?? false,
  };
  return runMigration(resolve(terminal.directory, first ?? "."), chosen, terminal.write);
};

/** Runs the command; returns the exit code. */
export const runMain = async (args: readonly string[], terminal: Terminal): Promise<number> => {
  try {
    return await run(args, terminal);
  } catch (error) {
    if (error instanceof UsageError) {
      terminal.writeError(`migrate: ${error.message}\n`);
      return error.exitCode;
    }
    terminal.writeError(
      `migrate: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    );
    return 1;
  }
};
