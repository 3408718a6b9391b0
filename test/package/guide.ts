// Writes the code examples from the documentation to directories where they are compiled and run.
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { findFreePort } from "../free-port.ts";

export const root = fileURLToPath(new URL("../../", import.meta.url));

/** Reads a page of the documentation. */
export const readPage = (page: string): string => readFileSync(join(root, page), "utf8");

const fileBlock = /```(?:ts|json) file=(\S+).*\n([\s\S]*?)```/g;

/** Returns the files that a page shows, by name. */
export const readFiles = (page: string): ReadonlyMap<string, string> =>
  new Map([...readPage(page).matchAll(fileBlock)].map(([, name = "", code = ""]) => [name, code]));

/** Returns all files that a reader of a page with steps has after a step, by name. */
export const readFilesUpTo = (text: string, step: number): ReadonlyMap<string, string> =>
  new Map(
    [...text.matchAll(/```ts file=(\S+) step=(\d)\n([\s\S]*?)```/g)]
      .filter(([, , own]) => Number(own) <= step)
      .map(([, name = "", , code = ""]) => [name, code]),
  );

/** A directory with files that can import the packages of this repository. */
export interface GuideFolder {
  readonly path: string;
  /** Runs Node.js in the directory. */
  run(...args: readonly string[]): { readonly status: number | null; readonly output: string };
  /** Starts a program in the directory; `remove` ends it. */
  start(args: readonly string[], env?: NodeJS.ProcessEnv): ChildProcess;
  /** Writes a file in the directory. */
  write(name: string, code: string): void;
  /** Ends the programs that run in the directory, and deletes it. */
  remove(): Promise<void>;
}

/** The arguments with which Node.js runs TypeScript: none, as in the guides, or those that load tsx on Node.js 20. */
export const typescript: readonly string[] = Reflect.get(process.features, "typescript")
  ? []
  : ["--import", "tsx"];

/** Returns a free port, as the value of an environment variable. */
export const findPort = async (): Promise<string> => String(await findFreePort());

/** Compiles files of a directory with the options of docs/getting-started.md, without any output. */
export const compileFiles = (
  folder: GuideFolder,
  files: readonly string[],
  { skipLibCheck = false } = {},
): { readonly status: number | null; readonly output: string } => {
  folder.write("quick-start.json", readFiles("docs/getting-started.md").get("tsconfig.json") ?? "");
  const compilerOptions = { noEmit: true, skipLibCheck };
  const config = { extends: "./quick-start.json", compilerOptions, files };
  folder.write("tsconfig.json", JSON.stringify(config));
  return folder.run("node_modules/typescript/bin/tsc", "--pretty", "false");
};

/** Runs the commands that a page shows, each with its output line below it, once the server listens on the port. */
export const runCommands = async (text: string, port: string): Promise<void> => {
  const exchanges = [...text.matchAll(/^\$ (curl .*)\n(.*)$/gm)];
  expect(exchanges.length).toBeGreaterThan(1);
  for (const [index, [, command = "", answer]] of exchanges.entries()) {
    const own = ["-c", command.replace("8090", port)];
    const run = () => spawnSync("sh", own, { encoding: "utf8" }).stdout;
    // the server may not listen yet; later commands may change something, so they run once
    if (index === 0) await expect.poll(run, { timeout: 60_000 }).toBe(answer);
    else expect(run()).toBe(answer);
  }
};

/** Creates a directory with files, outside the repository: inside it, vitest would not find the tests among these files. */
export const createGuideFolder = (
  files: Iterable<readonly [name: string, code: string]>,
): GuideFolder => {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "sallyport-guide-")));
  const write = (name: string, code: string): void => {
    mkdirSync(join(path, name, ".."), { recursive: true });
    writeFileSync(join(path, name), code);
  };
  write("package.json", '{ "type": "module" }');
  symlinkSync(join(root, "node_modules"), join(path, "node_modules"), "junction");
  for (const [name, code] of files) write(name, code);
  const children: ChildProcess[] = [];
  const env = {
    ...process.env,
    NODE_OPTIONS: "",
    VITEST: "",
    NO_COLOR: "1",
    NODE_NO_WARNINGS: "1",
  };
  return {
    path,
    write,
    run: (...args) => {
      const options = { cwd: path, encoding: "utf8", env } as const;
      const { stdout, stderr, status } = spawnSync(process.execPath, args, options);
      return { status, output: stdout + stderr };
    },
    start: (args, more) => {
      const child = spawn(process.execPath, args, {
        cwd: path,
        stdio: ["ignore", "pipe", "inherit"],
        env: { ...env, ...more },
      });
      children.push(child);
      return child;
    },
    remove: async () => {
      for (const child of children)
        if (child.exitCode === null && child.signalCode === null) {
          child.kill("SIGKILL");
          await once(child, "exit");
        }
      rmSync(path, { recursive: true, force: true });
    },
  };
};
