import cluster, { type Worker } from "node:cluster";
import { setTimeout as wait } from "node:timers/promises";
import { ConfigError } from "../errors.ts";
import type { Logger } from "../logger/logger.ts";

/** What the primary sends to a worker that is to end, and a worker to the primary once its server has started. */
export const stopMessage = "sallyport:stop";
export const readyMessage = "sallyport:ready";

/** A worker that dies within this time after it has begun to serve is replaced after a pause, in milliseconds. */
const shortLife = 60_000;
const [shortestPause, longestPause] = [1000, 60_000];

const toPause = (deaths: number): number =>
  deaths > 0 ? Math.min(shortestPause * 2 ** (deaths - 1), longestPause) : 0;

/** Resolves once a worker serves; rejects if it ends before, or does not serve within a time. */
const untilServing = (worker: Worker, timeout: number): Promise<void> =>
  new Promise((resolve, reject) => {
    let why = "";
    const late = setTimeout(() => {
      why = `did not listen within ${timeout} ms`;
      worker.process.kill("SIGKILL");
    }, timeout);
    const check = (): void => {
      if (!isReady || !isListening) return;
      clearTimeout(late);
      resolve();
    };
    let [isReady, isListening] = [false, false];
    worker.on("message", (message) => {
      isReady ||= message === readyMessage;
      check();
    });
    worker.on("listening", () => {
      isListening = true;
      check();
    });
    worker.on("error", reject);
    worker.once("exit", (code: number, signal: string | null) => {
      clearTimeout(late);
      why ||= `ended with ${signal ?? `code ${code}`} before it listened`;
      const text = `Worker ${worker.id} ${why}. What it has printed says why; \`start\` must start a server that listens.`;
      reject(new ConfigError("SLP_CONFIG_WORKER", text));
    });
  });

/** Keeps a number of workers running, and replaces or ends them on signals. */
export const runPrimary = async (
  size: number,
  restart: NodeJS.Signals | null,
  timeout: number,
  logger: Logger,
): Promise<void> => {
  /** The workers that serve, with the time when they began to, and how many before them have had a short life. */
  const serving = new Map<Worker, { readonly since: number; readonly deaths: number }>();
  let starting = 0;
  let isEnding = false;
  let exitCode = 0;

  const startWorker = async (deaths = 0): Promise<void> => {
    starting++;
    try {
      await wait(toPause(deaths));
      if (isEnding) return;
      const worker = cluster.fork();
      await untilServing(worker, timeout);
      serving.set(worker, { since: performance.now(), deaths });
    } finally {
      starting--;
    }
  };

  /** Starts a worker in place of one that has died or could not start, unless another one does. */
  const refill = (deaths: number): void => {
    if (isEnding || serving.size + starting >= size) return;
    startWorker(deaths).catch((error: unknown) => {
      if (!isEnding) logger.error("A worker could not start", { error });
      refill(deaths + 1);
    });
  };

  cluster.on("exit", (worker, code: number, signal: string | null) => {
    const life = serving.get(worker);
    if (!life || isEnding) return;
    serving.delete(worker);
    const deaths = performance.now() - life.since < shortLife ? life.deaths + 1 : 0;
    logger.error("A worker has died", { worker: worker.id, code, signal, pause: toPause(deaths) });
    refill(deaths);
  });

  const stopWorker = async (worker: Worker): Promise<void> => {
    const hasServed = serving.delete(worker);
    if (worker.isDead()) return;
    const late = setTimeout(() => {
      logger.error("A worker has not ended in time, and is killed", { worker: worker.id, timeout });
      worker.process.kill("SIGKILL");
    }, timeout);
    // not the module's `once`, which rejects if a message cannot be sent any more
    const ended = new Promise((resolve) => worker.once("exit", resolve));
    // one that has not served may not read messages yet, and one that has left the cluster ends by itself
    if (hasServed) worker.send(stopMessage, () => undefined);
    else worker.process.kill("SIGTERM");
    const code = await ended;
    clearTimeout(late);
    if (hasServed && code !== 0) exitCode = 1;
  };

  const listWorkers = (): Worker[] =>
    Object.values(cluster.workers ?? {}).flatMap((worker) => worker ?? []);
  const stopAll = (): Promise<unknown> => {
    isEnding = true;
    return Promise.all(listWorkers().map(stopWorker));
  };

  const replaceAll = async (): Promise<void> => {
    logger.info("The workers are being replaced");
    try {
      for (const worker of [...serving.keys()]) {
        // one that has died meanwhile is replaced already
        if (!serving.has(worker)) continue;
        await startWorker();
        if (isEnding) return;
        await stopWorker(worker);
      }
      logger.info("All workers are replaced");
    } catch (error) {
      if (isEnding) return;
      logger.error(
        "The workers that are left are not replaced, because a new one could not start",
        { error },
      );
      refill(0);
    }
  };

  let isRestarting = true;
  let isRestartWanted = false;
  const restartWorkers = async (): Promise<void> => {
    isRestarting = true;
    for (; isRestartWanted && !isEnding;) {
      isRestartWanted = false;
      await replaceAll();
    }
    isRestarting = false;
  };
  if (restart)
    process.on(restart, () => {
      isRestartWanted = true;
      // whoever sends the signal again may have changed the program again
      if (!isRestarting) void restartWorkers();
    });

  const onSignal = async (signal: NodeJS.Signals): Promise<void> => {
    if (isEnding) {
      for (const worker of listWorkers()) worker.process.kill("SIGKILL");
      process.exit(1);
    }
    logger.info(`Received ${signal}, ending the workers`);
    await stopAll();
    process.exit(exitCode);
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.on(signal, () => void onSignal(signal));

  try {
    await Promise.all(Array.from({ length: size }, () => startWorker()));
  } catch (error) {
    // once the workers have ended, so does this process
    if (isEnding) await new Promise(() => undefined);
    await stopAll();
    throw error;
  }
  logger.info("All workers serve", { workers: size });
  void restartWorkers();
};
