import { parseArgs } from "node:util";
import { defaultHost, toHost, type Host } from "./hosts.ts";
import { suggest } from "./suggest.ts";
import { toTemplate, type Template } from "./templates.ts";
import { UsageError } from "./usage-error.ts";

/** What was typed, checked. */
export interface Arguments {
  readonly project: string | undefined;
  readonly template: Template | undefined;
  readonly host: Host;
  readonly install: boolean;
  readonly git: boolean;
  readonly json: boolean;
  readonly help: boolean;
  readonly version: boolean;
  /** Whether an option was given; then nothing is asked. */
  readonly hasOptions: boolean;
}

/** The options as `parseArgs` takes them, with their part of the help. */
export const options = {
  template: { type: "string", short: "t", hint: "<name>", description: "the template; see below" },
  host: { type: "string", hint: "<name>", description: "what runs the server; see below" },
  install: { type: "string", hint: "false", description: "does not install the packages" },
  "no-install": { type: "boolean", description: "the same" },
  git: { type: "string", hint: "false", description: "does not run git init" },
  "no-git": { type: "boolean", description: "the same" },
  json: { type: "boolean", description: "prints the outcome as JSON" },
  help: { type: "boolean", short: "h", description: "prints this help" },
  version: { type: "boolean", short: "v", description: "prints the version" },
} as const;

type Name = keyof typeof options;

/** A value of each option that needs one. */
const examples: { readonly [name in Name]?: string } = { template: "minimal", host: "bun" };

const names = Object.keys(options) as readonly Name[];

/** @throws {UsageError} when an option is unknown, has a wrong value, or more than one project is named. */
export const parseArguments = (args: readonly string[]): Arguments => {
  const { values, positionals, tokens } = parseArgs({
    ...{ args: [...args], options, tokens: true, allowPositionals: true },
    // the messages of `strict` suggest no names
    strict: false,
  });
  for (const token of tokens) {
    if (token.kind !== "option") continue;
    const name = names.find((known) => known === token.name);
    if (!name) {
      const known = names.map((one) => `--${one}`);
      throw new UsageError(
        `There is no option \`${token.rawName}\`.${suggest(token.rawName, known)} The options are ${known.join(", ")}.`,
      );
    }
    const { value, inlineValue } = token;
    if (options[name].type === "boolean" && value !== undefined)
      throw new UsageError(`--${name} takes no value; got ${value}. Write --${name} alone.`);
    // another option after the name is not its value
    const example = examples[name];
    if (example && (!value || (!inlineValue && value.startsWith("-"))))
      throw new UsageError(`--${name} needs a value, as in \`--${name} ${example}\`.`);
  }
  const [project, ...others] = positionals;
  if (others.length > 0)
    throw new UsageError(
      `One name is taken; got ${positionals.join(" ")}. Put a name with spaces in quotes.`,
    );
  const { template, host } = values;
  return {
    project,
    template: typeof template === "string" ? toTemplate(template) : undefined,
    host: typeof host === "string" ? toHost(host) : defaultHost,
    install: toSwitch("install", values.install) && values["no-install"] !== true,
    git: toSwitch("git", values.git) && values["no-git"] !== true,
    json: values.json === true,
    help: values.help === true,
    version: values.version === true,
    hasOptions: tokens.some(({ kind }) => kind === "option"),
  };
};

const toSwitch = (name: "git" | "install", value: string | boolean = true): boolean => {
  if (String(value) === "true" || value === "false") return value !== "false";
  throw new UsageError(`--${name} must be true or false; got ${value}.`);
};

/**
 * Refuses options that npm has kept for itself, because it passes on only what follows `--`.
 *
 * @throws {UsageError} with the call that passes them on.
 */
export const checkSwallowed = (
  { template, host }: Arguments,
  environment: Readonly<Record<string, string | undefined>>,
): void => {
  const given = { template: template !== undefined, host: host !== defaultHost };
  for (const [name, isGiven] of Object.entries(given))
    if (!isGiven && environment[`npm_config_${name}`])
      throw new UsageError(
        `npm has kept --${name} for itself. Put \`--\` before the options, as in \`npm create sallyport@latest my-api -- --template minimal\`.`,
      );
};
