import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { checkSwallowed, parseArguments, type Arguments } from "./arguments.ts";
import { ask } from "./ask.ts";
import { help } from "./help.ts";
import { toPackageManager, type PackageManager } from "./package-managers.ts";
import { toProjectName } from "./project-name.ts";
import { defaultTemplate } from "./templates.ts";
import { UsageError } from "./usage-error.ts";
import { checkFolder, version, writeProject } from "./write-project.ts";

/** What the command uses of its process. */
export interface Surroundings {
  readonly folder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly output: NodeJS.WritableStream & { readonly isTTY?: boolean };
  readonly errors: NodeJS.WritableStream;
}

/** Runs the command; returns the exit code: 1 if something has failed, and 2 if the arguments are wrong. */
export const run = async (args: readonly string[], around: Surroundings): Promise<number> => {
  try {
    const given = parseArguments(args);
    if (given.help || given.version) {
      around.output.write(given.help ? help : `${version}\n`);
      return 0;
    }
    checkSwallowed(given, around.environment);
    const isAsked =
      around.input.isTTY === true && around.output.isTTY === true && !given.hasOptions;
    return create(isAsked ? await ask(given, around.input, around.output) : given, around);
  } catch (error) {
    if (error instanceof UsageError) {
      around.errors.write(`${error.message}\n`);
      return error.exitCode;
    }
    // one of the system, such as ENOTDIR
    if (!(error instanceof Error && "syscall" in error)) throw error;
    around.errors.write(
      `The project cannot be created: ${error.message}. Give another folder, or correct the cause.\n`,
    );
    return 1;
  }
};

const create = (
  { project, template = defaultTemplate, ...given }: Arguments,
  around: Surroundings,
): number => {
  if (project === undefined)
    throw new UsageError(
      "The name is missing. Give it, as in `npm create sallyport@latest my-api`.",
    );
  const names = toProjectName(project, around.folder);
  const { folder, name } = names;
  const { host } = given;
  const path = resolve(around.folder, folder);
  checkFolder(path, folder);
  const manager = toPackageManager(around.environment["npm_config_user_agent"]);
  writeProject(path, names, template, manager, host);
  const git = given.git && initialise(path, around);
  const installed = given.install && install(path, manager, given.json, around);
  const next = [
    ...(path === around.folder ? [] : [`cd ${quote(folder)}`]),
    ...(installed ? [] : [manager.install]),
    `${manager.run} dev`,
  ];
  const chosen = {
    ...{ name, folder: path, template, host: host.name, packageManager: manager.name },
    ...{ git, installed },
  };
  if (given.json) around.output.write(`${JSON.stringify({ ...chosen, next }, undefined, 2)}\n`);
  else {
    const lines = Object.entries(chosen).map(
      ([key, value]) => `  ${key.padEnd(15)} ${typeof value === "boolean" ? toWord(value) : value}`,
    );
    const steps = next.map((step) => `  ${step}`);
    around.output.write(`${["Created:", ...lines, "Next:", ...steps].join("\n")}\n`);
  }
  if (!given.install || installed) return 0;
  around.errors.write(
    `\`${manager.install}\` has failed. The project is complete but for its packages: run \`${next.slice(0, -1).join(" && ")}\`.\n`,
  );
  return 1;
};

/** Quotes what a shell would not take as it is; single quotes are none to that of Windows. */
const quote = (text: string): string => {
  const plain =
    process.platform === "win32" ? /^[\p{L}\p{N}_@./\\:+-]+$/u : /^[\p{L}\p{N}_@./:+-]+$/u;
  if (plain.test(text)) return text;
  return process.platform === "win32" ? `"${text}"` : `'${text.replaceAll("'", "'\\''")}'`;
};

const toWord = (value: boolean): string => (value ? "yes" : "no");

/** Runs `git init`, unless the folder is in a repository; returns whether it did. */
const initialise = (path: string, { environment }: Surroundings): boolean => {
  const git = (...args: readonly string[]): boolean =>
    spawnSync("git", args, { cwd: path, env: environment, stdio: "ignore" }).status === 0;
  return !git("rev-parse", "--is-inside-work-tree") && git("init", "--quiet");
};

const install = (
  path: string,
  manager: PackageManager,
  json: boolean,
  { environment }: Surroundings,
): boolean => {
  // with NODE_ENV=production, what development needs would be left out
  const { NODE_ENV: _mode, ...env } = environment;
  const { status } = spawnSync(manager.install, {
    ...{ cwd: path, env, shell: true },
    // what the package manager prints is no JSON
    stdio: json ? ["ignore", 2, 2] : "inherit",
  });
  return status === 0;
};
