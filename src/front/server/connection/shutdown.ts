import type { ServerResponse } from "node:http";
import { setImmediate, setTimeout as wait } from "node:timers/promises";
import { defaults } from "../../../basics/defaults.ts";
import { beforeHead } from "../../../wire/exchange/replace-methods.ts";
import { closeAfterReply } from "../../../wire/reply/close-after-reply.ts";
import { findClusterWorker, leaveCluster } from "./cluster-worker.ts";
import { countWaiting } from "./serve-in-order.ts";
import type { MaybePromise } from "../../../define/endpoint/handler-arguments.ts";
import type { Service } from "../../../serve/pipeline/request-state.ts";
import type { Listener } from "./listener.ts";

/** Options for the graceful shutdown. */
export interface ShutdownOptions {
  /**
   * How long running requests may take to finish, in milliseconds, before their connections are closed.
   *
   * @default 15000
   */
  readonly timeout?: number | undefined;
  /**
   * How long the server goes on accepting requests after the signal, in milliseconds, so that load balancers can notice
   * that it is no longer ready, and clients end their connections. Each response ends its connection.
   *
   * @default 0; 1000 in a worker of `node:cluster`, because its clients stay at the same address
   */
  readonly drain?: number | undefined;
  /**
   * The signals that start the shutdown; a second signal ends the process immediately.
   *
   * @default ["SIGINT", "SIGTERM"]
   */
  readonly events?: readonly NodeJS.Signals[] | undefined;
  /**
   * Runs on a signal only, after `onStop` and the `stop` of all resources, and before the process ends. If it fails, or
   * takes longer than `timeout` and a second, the process ends with code 1.
   */
  readonly beforeExit?: (() => MaybePromise<void>) | undefined;
}

/** How often idle connections are ended during a shutdown, in milliseconds. */
const sweepInterval = 10;

/** How long a connection is still read after its last response during a shutdown, in milliseconds. */
const shutdownLingering = 30;

export interface Closable {
  readonly listeners: readonly Listener[];
  readonly responses: ServerResponse;
  readonly service: Service;
  /** Stops whatever the server has started, and resolves to whether this has succeeded. */
  readonly stop: () => Promise<boolean>;
}

/** Makes each connection end with its last response. Before a shutdown, `writeHead` is not replaced, at no cost. */
const beginDraining = ({ service: { running }, responses }: Closable): void => {
  if (running.isDraining) return;
  running.isDraining = true;
  beforeHead(responses, (response) => {
    const waiting = countWaiting(response.req.socket);
    // requests that arrive after the last one are not served, but must not cause a reset of the connection
    if (waiting === 0) closeAfterReply(response.req, response, undefined, shutdownLingering);
    else if (waiting === undefined && !response.headersSent)
      response.setHeader("Connection", "close");
  });
};

/** How long to wait for a quiet turn of the event loop at most, and the duration of one, in milliseconds. */
const longestWait = 50;
const quietTurn = 0.1;

/**
 * Reads the requests that have arrived, and accepts the connections that wait. Node accepts a single one in each turn of
 * the event loop, and closing the server resets the others. So the server is closed right after two turns in which
 * nothing has happened, or after a while if there are none.
 */
const acceptWaiting = async (listeners: readonly Listener[]): Promise<void> => {
  const count = (): number => listeners.reduce((sum, { opened }) => sum + opened, 0);
  const last = performance.now() + longestWait;
  for (let quiet = 0, begin = 0; quiet < 2 && begin < last;) {
    const known = count();
    begin = performance.now();
    await setImmediate();
    quiet = known === count() && performance.now() - begin < quietTurn ? quiet + 1 : 0;
  }
};

/** Closes servers without losing a request: new connections are refused, idle ones are ended, running requests finish. */
const closeAll = async (closable: Closable, timeout: number): Promise<void> => {
  const { listeners, service } = closable;
  const { running, logger } = service;
  beginDraining(closable);
  running.stop();
  await acceptWaiting(listeners);
  let deadline: NodeJS.Timeout | undefined;
  const expired = new Promise<void>((resolve) => {
    deadline = setTimeout(() => {
      const text = "Requests are still running at the shutdown deadline; closing their connections";
      logger.warn(text, { timeout, routes: running.listRoutes() });
      for (const listener of listeners) listener.destroy();
      resolve();
    }, timeout);
  });
  const endIdle = async (): Promise<void> => {
    // after what has arrived is read, because timers that are late on a busy machine run before
    await setImmediate();
    for (const listener of listeners) listener.endIdle();
  };
  // a response that began before the shutdown keeps its connection open; the connection becomes idle after the response
  const sweep = setInterval(endIdle, sweepInterval);
  const closed = listeners
    .filter(({ server }) => server.listening)
    .map(({ server }) => new Promise((resolve) => server.close(resolve)));
  void endIdle();
  await Promise.race([Promise.all(closed), expired]);
  clearInterval(sweep);
  // a handler may still be running although its client has left
  await Promise.race([running.untilIdle(), expired]);
  clearTimeout(deadline);
};

/** Returns how long each step after the last request may take, in milliseconds. */
export const toStepLimit = (option?: boolean | ShutdownOptions): number => {
  const { timeout = defaults.gracefulShutdown.timeout } = typeof option === "object" ? option : {};
  return Math.min(timeout + 1000, 2 ** 31 - 1);
};

/** Runs a step after the last request; rejects if it takes longer than the limit. */
export const runWithin = async (name: string, limit: number, run: () => unknown): Promise<void> => {
  const ended = new AbortController();
  const fail = async (): Promise<never> => {
    // if only this keeps the process running, it ends by itself
    await wait(limit, undefined, { ref: false, signal: ended.signal });
    throw new Error(`\`${name}\` did not end within ${limit} ms`);
  };
  try {
    await Promise.race([run(), fail()]);
  } finally {
    ended.abort();
  }
};

/** How many shutdowns are in progress; Node calls the handlers of a signal one after the other, before any has ended. */
let unfinished = 0;

/**
 * Returns the function that closes the servers. With the `gracefulShutdown` option, a signal closes them, too: once all
 * servers of the process that handle the signal are closed, the process ends with code 0, or with code 1 if something
 * has failed.
 *
 * @throws Node's error when the operating system refuses a signal; the servers are closed then.
 */
export const prepareShutdown = async (
  closable: Closable,
  option: boolean | ShutdownOptions = false,
): Promise<() => Promise<void>> => {
  const options: ShutdownOptions = option === true ? {} : option || { events: [] };
  const { timeout = defaults.gracefulShutdown.timeout, beforeExit } = options;
  const { events = defaults.gracefulShutdown.events } = options;
  const { logger } = closable.service;
  let closing: Promise<void> | undefined;
  let isShuttingDown = false;
  let hasStopped = true;
  const closeAndForget = async (): Promise<void> => {
    await closeAll(closable, timeout);
    hasStopped = await closable.stop();
    if (isShuttingDown) return;
    for (const event of events) process.off(event, onSignal);
  };
  const close = (): Promise<void> => (closing ??= closeAndForget());
  const onSignal = (signal: NodeJS.Signals): void => {
    if (isShuttingDown) process.exit(1);
    isShuttingDown = true;
    unfinished++;
    logger.info(`Received ${signal}, shutting down`);
    void shutDown();
  };
  const shutDown = async (): Promise<void> => {
    try {
      const { drain: usual, drainInCluster } = defaults.gracefulShutdown;
      const { drain = findClusterWorker() ? drainInCluster : usual } = options;
      if (drain > 0) {
        beginDraining(closable);
        await wait(drain);
      }
      await close();
      if (!hasStopped) process.exitCode = 1;
      if (beforeExit) await runWithin("beforeExit", toStepLimit(options), beforeExit);
    } catch (error) {
      logger.error("The shutdown failed", { error });
      process.exitCode = 1;
    }
    // what this process has just received, such as the last response to a client of its own, is read before it ends
    await setImmediate();
    await setImmediate();
    if (--unfinished > 0) return;
    await leaveCluster();
    process.exit();
  };
  try {
    for (const event of events) process.on(event, onSignal);
  } catch (error) {
    await close();
    throw error;
  }
  return close;
};
