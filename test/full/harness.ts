import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Prints a measurement, even if the test passes. */
export const report = (text: string): void => void process.stdout.write(`\n  ${text}\n`);

/** Returns the number of repetitions for a run, which an environment variable may change. */
export const toCount = (variable: string, count: number): number =>
  Number(process.env[variable] ?? count);

/** Waits for the given time. */
export const sleep = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Runs tasks 0 to `count - 1`, the given number at a time. */
export const doAll = async (
  count: number,
  atOnce: number,
  task: (index: number) => Promise<void>,
): Promise<void> => {
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < count) await task(next++);
  };
  await Promise.all(Array.from({ length: atOnce }, work));
};

/** Returns the 99th percentile. */
export const toP99 = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length * 0.99)] ?? Number.NaN;

/** A program in this directory that runs as its own process. */
export interface Program {
  readonly child: ChildProcess;
  readonly port: number;
  /** Returns everything that the program has printed so far; complete once `ended` resolves. */
  printed: () => string;
  /** Resolves to the exit code, or to the signal that ended the program, once all output has arrived. */
  readonly ended: Promise<number | string | null>;
}

/** Builds the package if the build is missing, because the programs import it. */
export const ensureBuilt = (): void => {
  if (!existsSync(`${root}dist/index.js`))
    spawnSync(process.execPath, ["scripts/build.js"], { cwd: root, stdio: "inherit" });
};

/** Starts a program that prints its port, and kills it after a minute or the given time. */
export const startProgram = async (
  name: string,
  args: readonly string[] = [],
  milliseconds = 60_000,
): Promise<Program> => {
  const path = fileURLToPath(new URL(name, import.meta.url));
  const child = spawn(process.execPath, ["--disable-warning=SLP_WARN_RUNTIME", path, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
    timeout: milliseconds,
    killSignal: "SIGKILL",
  });
  let printed = "";
  const ended = once(child, "close").then(
    ([code, signal]: (number | string | null)[]) => code ?? signal ?? null,
  );
  const started = new Promise<number>((resolve, reject) => {
    child.stdout.on("data", (chunk: Buffer) => {
      printed += chunk.toString();
      const port = /^port (\d+)\n/.exec(printed)?.[1];
      if (port !== undefined) resolve(Number(port));
    });
    void ended.then((code) => reject(new Error(`${name} ended with ${code} before it listened`)));
  });
  return { child, port: await started, printed: () => printed, ended };
};
