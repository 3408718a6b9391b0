import cluster from "node:cluster";
import { setTimeout as wait } from "node:timers/promises";
import { defaults } from "../../basics/defaults.ts";
import { ConfigError } from "../../basics/errors.ts";
import { aLogger } from "../../basics/logger/a-logger.ts";
import type { ConsoleLoggerOptions } from "../../basics/logger/console-logger.ts";
import { toServerLogger } from "../../basics/logger/guard-logger.ts";
import type { Logger } from "../../basics/logger/logger.ts";
import {
  aFunction,
  aPositiveInteger,
  aPositiveTimeout,
  be,
  checkOptions,
  toConfigError,
} from "../../basics/messages/option-checks.ts";
import { readyMessage, runPrimary, stopMessage } from "./primary.ts";

/** Options for {@link runCluster}. */
export interface ClusterOptions {
  /**
   * How many processes serve.
   *
   * @default what `availableParallelism()` of `node:os` returns
   */
  readonly workers?: number | undefined;
  /**
   * The signal on which new workers replace the running ones, one by one; null for none.
   *
   * @default "SIGHUP"; null on Windows, where it means that the console is closed
   */
  readonly restart?: NodeJS.Signals | null | undefined;
  /**
   * How long a worker may take to start, and to end once it is told to, in milliseconds; then it is killed. The shutdown
   * of its server must fit in.
   *
   * @default 60000
   */
  readonly timeout?: number | undefined;
  /** Options of the built-in logger, or your own logger, for the lines of the first process about its workers. */
  readonly logger?: ConsoleLoggerOptions | Logger | undefined;
}

/** The signals with another meaning here, and those that no process can handle. */
const otherSignals = ["SIGINT", "SIGTERM", "SIGKILL", "SIGSTOP"];

const isRestartSignal = (value: unknown): boolean =>
  typeof value === "string" &&
  value in process.getBuiltinModule("node:os").constants.signals &&
  !otherSignals.includes(value);

const optionChecks = {
  workers: aPositiveInteger,
  restart: be(
    `the name of a signal other than ${otherSignals.join(", ")}, or null for none`,
    (value) => value === null || isRestartSignal(value),
  ),
  timeout: aPositiveTimeout,
  logger: aLogger,
};

/** How long a message to end waits for the signal that a terminal sends to all processes, in milliseconds. */
const signalGrace = 100;

/** Runs the server in a worker. A second signal would end it at once, so the message to end counts only if none has come. */
const runWorker = async (start: () => unknown, restart: NodeJS.Signals | null): Promise<void> => {
  let isEnding = false;
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.on(signal, () => {
      if (process.listenerCount(signal) > 1) isEnding = true;
      // nothing has been served yet
      else if (signal === "SIGTERM") process.exit(0);
    });
  // it means the primary, even if a terminal sends it to all processes
  if (restart) process.on(restart, () => undefined);
  process.on("message", (message) => {
    if (message !== stopMessage) return;
    void wait(signalGrace).then(() => isEnding || process.emit("SIGTERM", "SIGTERM"));
  });
  await start();
  if (process.listenerCount("SIGTERM") === 1)
    throw new ConfigError(
      "SLP_CONFIG_MISSING",
      "The `gracefulShutdown` option is missing; `runCluster` needs it, so that a worker can finish its requests before it ends. Set `gracefulShutdown: true`.",
    );
  process.send?.(readyMessage);
};

/**
 * Runs a server in several processes behind one port. The first process, the primary, starts the others with the same
 * program, and restarts those that die; they call `start`, which starts the server. A signal to end, or to restart, is
 * sent to the primary, and no request is lost.
 *
 * @param start starts the server; what it returns is awaited
 * @returns in the primary, once all workers listen; in a worker, once its server has started
 * @throws ConfigError when an option is invalid, when a worker cannot start, and in a worker when its server has no
 * `gracefulShutdown`.
 * @example
 * await runCluster({ workers: 4 }, () => createServer(config, routing));
 * @see https://nodejs.org/api/cluster.html
 */
export const runCluster = async (options: ClusterOptions, start: () => unknown): Promise<void> => {
  checkOptions("runCluster", options, optionChecks, toConfigError);
  checkOptions("runCluster", { start }, { start: aFunction }, toConfigError);
  const usual = process.platform === "win32" ? null : defaults.cluster.restart;
  const { restart = usual, timeout = defaults.cluster.timeout } = options;
  if (cluster.isWorker) {
    await runWorker(start, restart);
    return;
  }
  const { workers = process.getBuiltinModule("node:os").availableParallelism() } = options;
  await runPrimary(workers, restart, timeout, toServerLogger(options.logger));
};
