import { fork, spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, afterEach, beforeAll } from "vitest";

export const root = fileURLToPath(new URL("../../", import.meta.url));
export const example = `${root}test/fixtures/users-api`;
const tsx = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** Creates a directory with the given files. */
export const toFolder = (files: Readonly<Record<string, string>>): string => {
  const folder = mkdtempSync(join(tmpdir(), "sallyport-command-line-"));
  folders.push(folder);
  for (const [name, text] of Object.entries({ "package.json": '{ "type": "module" }', ...files })) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
};

const env = { ...process.env, NODE_NO_WARNINGS: "1", NO_COLOR: "1" };
const imports = ["--import", tsx];
let host: ChildProcess | undefined;

beforeAll(() => {
  const program = fileURLToPath(new URL("command-line-host.mjs", import.meta.url));
  // imports TypeScript like a process started with tsx
  const ownEnv = { ...env, NODE_OPTIONS: "", VITEST: "" };
  host = fork(program, { execArgv: imports, env: ownEnv });
});

afterAll(() => host?.kill());

/** The output of a command and its exit code. */
interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command in a process shared by all commands, which saves starting two processes each time. */
export const run = async (cwd: string, ...args: readonly string[]): Promise<Ended> => {
  if (!host) throw new Error("There is no host");
  host.send({ cwd, args });
  const [ended] = (await once(host, "message")) as [Ended];
  return ended;
};

const program = [...imports, `${root}src/front/cli/main.ts`];

/** Starts a command in its own process. */
export const startProcess = (cwd: string, ...args: readonly string[]) =>
  spawn(process.execPath, [...program, ...args], { cwd, env, stdio: ["ignore", "ignore", "pipe"] });

/** Runs a command in its own process. */
export const runProcess = (cwd: string, ...args: readonly string[]): Ended => {
  const options = { cwd, encoding: "utf8", env } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [...program, ...args], options);
  return { status, stdout, stderr };
};

export const source = `${root}src/index.ts`;
export const api = (more = ""): string => `
import { defaultEndpointsFactory as factory, Middleware } from ${JSON.stringify(source)};
const guard = new Middleware({ security: { type: "basic" }, handler: () => ({}) });
const hello = factory.addMiddleware(guard).build({ tag: "a", handler: () => ({}) });
export const routing = { hello, "post /:id": factory.build({ handler: () => ({}) }) };
${more}`;
