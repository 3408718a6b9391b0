import cluster, { type Worker } from "node:cluster";
import { setTimeout as wait } from "node:timers/promises";
import { ConfigError } from "../../basics/errors.ts";
import type { Logger } from "../../basics/logger/logger.ts";

/** What the primary sends to a worker that is to end, and a worker to the primary once its server has started. */
export const stopMessage = "sallyport:stop";
export const readyMessage = "sallyport:ready";

/** A worker that dies within this time after it has begun to serve is replaced after a pause, in milliseconds. */
const shortLife = 60_000;
const [shortestPause, longestPause] = [1000, 60_000];

const toPause = (deaths: number): number =>
  deaths > 0 ? Math.min(shortestPause * 2 ** (deaths - 1), longestPause) : 0;

/** Resolves once a worker serves; rejects if it ends before, or is killed because it takes too long. */
const untilServing = (worker: Worker, timeout: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const missing = new Set(["ready", "listening"]);
    const note = (event: string): void => {
      missing.delete(event);
      if (missing.size > 0) return;
      clearTimeout(late);
      resolve();
    };
    let why = "";
    const late = setTimeout(() => {
      why = `did not listen within ${timeout} ms`;
      worker.process.kill("SIGKILL");
    }, timeout);
    worker
      .on("message", (message) => message === readyMessage && note("ready"))
      .on("listening", () => note("listening"))
      .on("error", reject)
      .once("exit", (code: number, signal: string | null) => {
        clearTimeout(late);
        why ||= `ended with ${signal ?? `code ${code}`} before it listened`;
        const text = `Worker ${worker.id} ${why}. What it has printed says why; \`start\` must start a server that listens.`;
        reject(new ConfigError("SLP_CONFIG_WORKER", text));
      });
  });

const listWorkers = (): Worker[] =>
  Object.values(cluster.workers ?? {}).flatMap((worker) => worker ?? []);

/** Keeps a number of workers running, and replaces or ends them on signals. */
export const runPrimary = async (
  size: number,
  restart: NodeJS.Signals | null,
  timeout: number,
  logger: Logger,
): Promise<void> => {
  /** The workers that serve, with the time when they began to, and how many in a row before them died young. */
  const serving = new Map<Worker, { readonly since: number; readonly deaths: number }>();
  let starting = 0;
  let isEnding = false;

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

  /** Resolves to whether the worker has ended as it should. */
  const stopWorker = async (worker: Worker): Promise<boolean> => {
    const hasServed = serving.delete(worker);
    if (worker.isDead()) return true;
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
    return code === 0 || !hasServed;
  };

  const stopAll = async (): Promise<boolean> => {
    isEnding = true;
    return (await Promise.all(listWorkers().map(stopWorker))).every(Boolean);
  };

  const replaceAll = async (): Promise<void> => {
    if (isEnding) return;
    logger.info("The workers are being replaced");
    try {
      for (const worker of [...serving.keys()]) {
        if (!serving.has(worker)) continue;
        await startWorker();
        if (isEnding) return;
        await stopWorker(worker);
      }
      if (!isEnding) logger.info("All workers are replaced");
    } catch (error) {
      if (isEnding) return;
      const text = "The other workers are not replaced, because a new one could not start";
      logger.error(text, { error });
    }
    // of those that have died meanwhile, each was taken for one in whose place another was starting
    for (let missing = size - serving.size - starting; missing > 0; missing--) refill(0);
  };

  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.on(signal, () => {
      if (isEnding) {
        for (const worker of listWorkers()) worker.process.kill("SIGKILL");
        process.exit(1);
      }
      logger.info(`Received ${signal}, ending the workers`);
      void stopAll().then((areEnded) => process.exit(areEnded ? 0 : 1));
    });

  const started = Promise.all(Array.from({ length: size }, () => startWorker()));
  let queue: Promise<unknown> = started.catch(() => undefined);
  let isQueued = false;
  if (restart)
    process.on(restart, () => {
      // one more, because the program may have changed since the running restart began
      if (isQueued) return;
      isQueued = true;
      queue = queue.then(() => {
        isQueued = false;
        return replaceAll();
      });
    });
  try {
    await started;
  } catch (error) {
    // once the workers have ended, so does this process
    if (isEnding) await new Promise(() => undefined);
    await stopAll();
    throw error;
  }
  logger.info("All workers serve", { workers: size });
};
