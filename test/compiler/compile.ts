import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../../", import.meta.url));
export const compiler = join(root, "node_modules/typescript/bin/tsc");

/** A user's program in its own directory. */
export interface Program {
  readonly folder: string;
  /** The path of the program's only file. */
  readonly file: string;
  readonly text: string;
}

/**
 * Writes a program that imports `sallyport` from its source, and the client from the given copy of the source.
 *
 * @param options further options of the compiler
 */
export const writeProgram = (
  name: string,
  text: string,
  sourceOfClient = join(root, "src"),
  options: object = {},
): Program => {
  // within the repository, where its packages are found
  const folder = join(root, "node_modules/.cache/sallyport-compiler", name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const compilerOptions = {
    ...{ module: "nodenext", target: "es2023", lib: ["es2023"], types: ["node"], strict: true },
    ...{ exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, skipLibCheck: true },
    ...{ noEmit: true, allowImportingTsExtensions: true },
    paths: {
      sallyport: [join(root, "src/index.ts")],
      "sallyport/testing": [join(root, "src/front/testing/index.ts")],
      "sallyport/tanstack-query": [join(root, "src/describe/tanstack-query/index.ts")],
      "sallyport/client": [join(sourceOfClient, "describe/client/index.ts")],
    },
    ...options,
  };
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({ compilerOptions, files: ["program.ts"] }),
  );
  const file = join(folder, "program.ts");
  writeFileSync(file, text);
  return { folder, file, text };
};

/** One error as the compiler prints it. */
export interface PrintedError {
  /** The line number in the program, counted from 1. */
  readonly line: number;
  /** The message without the position; all lines but the first are indented. */
  readonly message: string;
}

/** Compiles a program and returns its errors. */
export const compile = ({ folder }: Program): readonly PrintedError[] => {
  const { stdout } = spawnSync(process.execPath, [compiler, "--pretty", "false"], {
    cwd: folder,
    encoding: "utf8",
  });
  const errors = stdout.trimEnd().split(/\n(?! )/);
  return errors
    .filter((error) => error !== "")
    .map((error) => {
      const [, line, message] = /^program\.ts\((\d+),\d+\): error TS\d+: (.*)$/s.exec(error) ?? [];
      if (message === undefined) throw new Error(error);
      return { line: Number(line), message };
    });
};
