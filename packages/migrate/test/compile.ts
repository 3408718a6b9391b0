import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const fixtures = fileURLToPath(new URL("fixtures/", import.meta.url));

/** The compiler takes seconds of both cores, which other processes may use. */
export const compileTimeout = 240_000;

/** Creates a directory from which code finds the packages of the repository; tools ignore it. */
export const createDirectory = (): string => {
  const parent = join(fixtures, "out");
  mkdirSync(parent, { recursive: true });
  return mkdtempSync(join(parent, "test-"));
};

export const removeDirectory = (directory: string): void =>
  rmSync(directory, { recursive: true, force: true });

export const copyApp = (name: string, directory: string): string => {
  const target = join(directory, name);
  cpSync(join(fixtures, "apps", name), target, { recursive: true });
  return target;
};

export const writeFiles = (directory: string, files: Readonly<Record<string, string>>): void => {
  for (const [name, text] of Object.entries(files)) {
    const file = join(directory, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
};

export const readText = (file: string): string => readFileSync(file, "utf8");

/** Compiles all code in a directory against the sources of sallyport, and returns the compiler's messages. */
export const compile = async (
  directory: string,
  options: Readonly<Record<string, unknown>> = {},
): Promise<readonly string[]> => {
  const config = join(directory, "tsconfig.check.json");
  const extended = relative(directory, join(root, "tsconfig.json"));
  writeFileSync(
    config,
    JSON.stringify({
      extends: extended,
      compilerOptions: {
        noUnusedLocals: false,
        noUnusedParameters: false,
        erasableSyntaxOnly: false,
        ...options,
      },
      include: ["."],
      exclude: [],
    }),
  );
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const output = await new Promise<string>((resolve) => {
    execFile(
      process.execPath,
      [tsc, "-p", config, "--pretty", "false"],
      { cwd: directory },
      (_, stdout) => resolve(stdout),
    );
  });
  return output.split("\n").filter((line) => /error TS/.test(line));
};
