import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureInstalled } from "../install.ts";

const own = fileURLToPath(new URL("./", import.meta.url));
const root = fileURLToPath(new URL("../../../", import.meta.url));

/** The directory in which the packages are installed; the packages of this project stay unchanged. */
export const home = join(root, "node_modules/.cache/packages");

const lock = readFileSync(join(own, "package-lock.json"), "utf8");

/**
 * Installs the packages in the lock file unless they are already there, and copies this project and the programs next to
 * them.
 */
export const ensurePackages = (): void => {
  ensureInstalled(own, home);
  const target = join(home, "node_modules/sallyport");
  rmSync(target, { recursive: true, force: true });
  for (const name of ["dist", "package.json"])
    cpSync(join(root, name), join(target, name), { recursive: true });
  for (const name of ["programs", "types", "express-suite"]) {
    rmSync(join(home, name), { recursive: true, force: true });
    cpSync(join(own, name), join(home, name), { recursive: true });
  }
};

/** Returns the installed version of a package. */
export const toVersion = (name: string): string => {
  const { packages } = JSON.parse(lock) as {
    readonly packages: Readonly<Record<string, { readonly version: string }>>;
  };
  const installed = packages[`node_modules/${name}`];
  if (!installed) throw new Error(`${name} is not in package-lock.json`);
  return installed.version;
};

/** The output of a program, and how it ended. */
export interface Ended {
  readonly status: number | null;
  readonly output: string;
  readonly errors: string;
}

/** The options for running Node.js. */
export interface RunOptions {
  /** @default the directory where the packages are installed */
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** @default the version that runs the tests */
  readonly node?: string;
}

/** Runs Node.js. */
export const runNode = (
  args: readonly string[],
  { cwd = home, env = {}, node = process.execPath }: RunOptions = {},
): Ended => {
  const { status, stdout, stderr } = spawnSync(node, args, {
    cwd,
    encoding: "utf8",
    maxBuffer: 50_000_000,
    timeout: 600_000,
    env: { ...process.env, NODE_ENV: "development", NEXT_TELEMETRY_DISABLED: "1", ...env },
  });
  return { status, output: stdout, errors: stderr };
};

/** Runs a program in the directory `programs`. */
export const runProgram = (
  name: string,
  args: readonly string[] = [],
  instrument?: string,
  options?: RunOptions,
): Ended => {
  const imports = instrument === undefined ? [] : ["--import", `./programs/${instrument}`];
  const all = ["--disable-warning=SLP_WARN_RUNTIME", ...imports, `programs/${name}`, ...args];
  return runNode(all, options);
};

/** Compiles installed files with strict options, and returns the compiler's output. */
export const compile = (files: readonly string[], options: object): string => {
  const path = join(home, "tsconfig.json");
  const compilerOptions = {
    ...{ module: "nodenext", target: "es2023", lib: ["es2023"], types: ["node"], strict: true },
    ...{ exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
    ...options,
  };
  writeFileSync(path, JSON.stringify({ compilerOptions, files }));
  return runNode([join(root, "node_modules/typescript/bin/tsc"), "-p", path]).output;
};

/** Writes a file that belongs to the recipes. */
export const writeRecipe = (name: string, code: string): string => {
  const folder = join(home, "recipes");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), code);
  return `recipes/${name}`;
};
