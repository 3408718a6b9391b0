import type { Server } from "node:http";
import { setImmediate } from "node:timers/promises";
import type { MaybePromise } from "../../endpoint/handler-arguments.ts";
import type { Logger } from "../../logger/logger.ts";
import { endIdleConnections } from "./connections.ts";

/** Options for the graceful shutdown. */
export interface ShutdownOptions {
  /**
   * How long running requests may take to finish, in milliseconds, before their connections are closed.
   *
   * @default 15000
   */
  readonly timeout?: number | undefined;
  /**
   * The signals that start the shutdown; a second signal ends the process immediately.
   *
   * @default ["SIGINT", "SIGTERM"]
   */
  readonly events?: readonly NodeJS.Signals[] | undefined;
  /** Runs after the last request and before the process ends, for example to close a database. */
  readonly beforeExit?: (() => MaybePromise<void>) | undefined;
}

/** The default of the option `timeout`, in milliseconds. */
const defaultTimeout = 15_000;

const sweepInterval = 10;

/**
 * Creates a function that closes servers without losing a request: new connections are refused, idle ones are ended,
 * and running requests finish with `Connection: close`. After the timeout, the remaining connections are closed.
 *
 * @param onClosing called first; makes each further response end its connection
 * @returns the function, which returns the same promise each time
 */
export const createClosing = (
  servers: readonly Server[],
  onClosing: () => void,
  logger: Logger,
  timeout = defaultTimeout,
): (() => Promise<void>) => {
  let closing: Promise<void> | undefined;
  return () => (closing ??= closeAll(servers, onClosing, logger, timeout));
};

const closeAll = async (
  servers: readonly Server[],
  onClosing: () => void,
  logger: Logger,
  timeout: number,
): Promise<void> => {
  onClosing();
  // requests that have arrived on idle connections are read first, because closing the connections would discard them
  await setImmediate();
  await setImmediate();
  const deadline = setTimeout(() => {
    logger.warn("Requests are still running at the shutdown deadline; closing their connections", {
      timeout,
    });
    for (const server of servers) server.closeAllConnections();
  }, timeout);
  // a response that began before the shutdown keeps its connection open; the connection becomes idle after the response
  const sweep = setInterval(() => {
    for (const server of servers) endIdleConnections(server);
  }, sweepInterval);
  const closed = servers
    .filter((server) => server.listening)
    .map((server) => new Promise((resolve) => server.close(resolve)));
  for (const server of servers) endIdleConnections(server);
  await Promise.all(closed);
  clearTimeout(deadline);
  clearInterval(sweep);
};

/**
 * On a signal, closes the servers, runs `beforeExit`, and ends the process with code 0, or with code 1 if something
 * fails.
 *
 * @throws Node's error when the operating system refuses a signal; no signal is handled then.
 */
export const shutDownOnSignals = (
  close: () => Promise<void>,
  logger: Logger,
  { events = ["SIGINT", "SIGTERM"], beforeExit }: ShutdownOptions,
): void => {
  let isShuttingDown = false;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (isShuttingDown) process.exit(1);
    isShuttingDown = true;
    logger.info(`Received ${signal}, shutting down`);
    void shutDown(close, logger, beforeExit);
  };
  try {
    for (const event of events) process.on(event, onSignal);
  } catch (error) {
    for (const event of events) process.off(event, onSignal);
    throw error;
  }
};

const shutDown = async (
  close: () => Promise<void>,
  logger: Logger,
  beforeExit: ShutdownOptions["beforeExit"],
): Promise<void> => {
  let code = 0;
  try {
    await close();
    await beforeExit?.();
  } catch (error) {
    logger.error("The shutdown failed", { error });
    code = 1;
  }
  process.exit(code);
};
