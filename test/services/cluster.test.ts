import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { findFreePort } from "../free-port.ts";
import { send } from "../http/harness.ts";

const program = fileURLToPath(new URL("cluster-program.ts", import.meta.url));

/** Starts a primary, the leader of a group of processes as in a terminal; the group ends with the test at the latest. */
const startPrimary = async (env: NodeJS.ProcessEnv = {}) => {
  const port = env["PORT"] === undefined ? await findFreePort() : Number(env["PORT"]);
  const child = spawn(process.execPath, ["--import", "tsx", program], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, PORT: `${port}`, NODE_NO_WARNINGS: "1", ...env },
    detached: true,
  });
  const pid = child.pid as number;
  const ended = once(child, "close");
  onTestFinished(async () => {
    try {
      process.kill(-pid, "SIGKILL");
    } catch {
      // the whole group has ended
    }
    await ended;
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => (text += chunk.toString()));
  const count = (line: string): number => text.split(line).length - 1;
  const untilPrinted = (line: string, times = 1): Promise<void> =>
    expect.poll(() => count(line), { timeout: 40_000 }).toBe(times);
  return {
    ...{ child, pid, port, count, untilPrinted },
    printed: (): string => text,
    /** Resolves to the exit code, or the signal, once no process has its output open, so no worker is left either. */
    ended: ended.then(([code, signal]) => code ?? signal) as Promise<number | string>,
    /** Sends a signal to the primary alone, or to the whole group, as a terminal does. */
    signal: (name: NodeJS.Signals): void => void child.kill(name),
    signalGroup: (name: NodeJS.Signals): void => void process.kill(-pid, name),
    askWorker: async (): Promise<number> => {
      const answer = await send(port, "/who");
      return (answer.json() as { data: { worker: number } }).data.worker;
    },
  };
};

const serving = "All workers serve";
const replaced = "All workers are replaced";

const startServing = async (env?: NodeJS.ProcessEnv) => {
  const primary = await startPrimary(env);
  await primary.untilPrinted(serving);
  const listWorkers = async (): Promise<number[]> => {
    const workers = new Set<number>();
    for (let turn = 0; turn < 6; turn++) workers.add(await primary.askWorker());
    return [...workers].toSorted((one, other) => one - other);
  };
  return { ...primary, listWorkers };
};

/** A file that keeps workers from starting while it exists. */
const createObstacle = () => {
  const folder = mkdtempSync(join(tmpdir(), "sallyport-cluster-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "fails");
  return {
    path,
    set: (): void => writeFileSync(path, ""),
    remove: (): void => rmSync(path),
  };
};

describe("a start", () => {
  test("ends with code 1 and a reason if a worker cannot start", async () => {
    const obstacle = createObstacle();
    obstacle.set();
    const { ended, printed } = await startPrimary({ FAILS: obstacle.path });
    expect(await ended).toBe(1);
    expect(printed()).toContain("SLP_CONFIG_WORKER");
    expect(printed()).toMatch(/Worker \d ended with code 1 before it listened/);
    expect(printed()).toContain("Error: no database");
    expect(printed()).not.toContain(serving);
  });

  test("ends with code 1 if one of the servers of a worker cannot listen", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void taken.close());
    await once(taken, "listening");
    const { port } = taken.address() as AddressInfo;
    const primary = await startPrimary({ SECOND: `${port}` });
    expect(await primary.ended).toBe(1);
    expect(primary.printed()).toContain("EADDRINUSE");
    expect(primary.printed()).not.toContain(serving);
  });

  test("ends with code 1 if the server could not finish its requests", async () => {
    const { ended, printed } = await startPrimary({ CASE: "no shutdown" });
    expect(await ended).toBe(1);
    expect(printed()).toContain("The `gracefulShutdown` option is missing; `runCluster` needs it");
  });

  test("ends with code 1 if a worker does not listen in time", async () => {
    const { ended, printed } = await startPrimary({
      CASE: "never listens",
      OPTIONS: '{ "timeout": 3000 }',
    });
    expect(await ended).toBe(1);
    expect(printed()).toMatch(/Worker \d did not listen within 3000 ms/);
  });

  test("ends with code 0 if a signal comes before the workers serve", async () => {
    const { ended, signal, untilPrinted, printed } = await startPrimary({ CASE: "never listens" });
    await untilPrinted("starting", 2);
    signal("SIGTERM");
    expect(await ended).toBe(0);
    expect(printed()).not.toContain("SLP_CONFIG_WORKER");
  });

  test("gives all workers the same port if any free one will do", async () => {
    const { printed } = await startServing({ PORT: "0" });
    const ports = [...printed().matchAll(/^port (\d+)$/gm)].map(([, port]) => Number(port));
    expect(ports).toHaveLength(2);
    expect(new Set(ports).size).toBe(1);
  });
});

describe("SIGHUP", () => {
  test("keeps the workers if a new one cannot start, and replaces them once it can", async () => {
    const obstacle = createObstacle();
    const { signal, untilPrinted, listWorkers } = await startServing({ FAILS: obstacle.path });
    expect(await listWorkers()).toEqual([1, 2]);
    obstacle.set();
    signal("SIGHUP");
    await untilPrinted("because a new one could not start");
    expect(await listWorkers()).toEqual([1, 2]);
    obstacle.remove();
    signal("SIGHUP");
    await untilPrinted(replaced);
    expect(await listWorkers()).toEqual([4, 5]);
  });

  test("during a restart replaces the new workers, too", async () => {
    const { signal, untilPrinted, listWorkers } = await startServing();
    signal("SIGHUP");
    await untilPrinted("The workers are being replaced");
    for (let turn = 0; turn < 3; turn++) signal("SIGHUP");
    await untilPrinted(replaced, 2);
    expect(await listWorkers()).toEqual([5, 6]);
  });

  test("during which a worker dies leaves as many as there were", async () => {
    const primary = await startServing({ OPTIONS: '{ "workers": 3 }' });
    const { signal, untilPrinted, listWorkers, port } = primary;
    signal("SIGHUP");
    await untilPrinted("The workers are being replaced");
    await send(port, "/crash").catch(() => undefined);
    await untilPrinted(replaced);
    await expect.poll(async () => (await listWorkers()).length, { timeout: 40_000 }).toBe(3);
  });

  test("of a terminal, which all processes receive, restarts as well", async () => {
    const { signalGroup, untilPrinted, listWorkers } = await startServing();
    signalGroup("SIGHUP");
    await untilPrinted(replaced);
    expect(await listWorkers()).toEqual([3, 4]);
  });

  test("may be another signal", async () => {
    const { signal, untilPrinted } = await startServing({ OPTIONS: '{ "restart": "SIGUSR2" }' });
    signal("SIGUSR2");
    await untilPrinted(replaced);
  });
});

describe("a signal to end", () => {
  test.each(["SIGTERM", "SIGINT"] as const)(
    "%s to all processes, as from a terminal, lets the requests finish",
    async (name) => {
      const { signalGroup, untilPrinted, port, ended, count } = await startServing();
      const held = send(port, "/held?ms=2000");
      await untilPrinted("held");
      signalGroup(name);
      expect((await held).status).toBe(200);
      expect(await ended).toBe(0);
      expect(count("has died")).toBe(0);
    },
  );

  test("during a restart ends the new worker, too", async () => {
    const { signal, untilPrinted, ended, count } = await startServing();
    signal("SIGHUP");
    await untilPrinted("The workers are being replaced");
    signal("SIGTERM");
    expect(await ended).toBe(0);
    expect(count(replaced)).toBe(0);
  });

  test("comes twice: the requests are cut, and the code is 1", async () => {
    const { signal, untilPrinted, port, ended } = await startServing();
    const held = send(port, "/held?ms=60000").catch((error: NodeJS.ErrnoException) => error.code);
    await untilPrinted("held");
    signal("SIGTERM");
    await untilPrinted("ending the workers");
    signal("SIGTERM");
    expect(await ended).toBe(1);
    expect(await held).toBe("ECONNRESET");
  });

  test("kills a worker that does not end in time, and the code is 1", async () => {
    const { signal, ended, count } = await startServing({
      CASE: "endless stop",
      OPTIONS: '{ "timeout": 10000 }',
    });
    signal("SIGTERM");
    expect(await ended).toBe(1);
    expect(count("A worker has not ended in time, and is killed")).toBe(2);
  });

  test("loses no connection that the primary sends to a worker that has just closed its server", async () => {
    const { signal, untilPrinted, port, ended } = await startServing({
      CASE: "slow close",
      OPTIONS: '{ "workers": 1 }',
    });
    signal("SIGHUP");
    await untilPrinted("closing");
    const answers = await Promise.all(Array.from({ length: 8 }, () => send(port, "/who")));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    await untilPrinted(replaced);
    signal("SIGTERM");
    expect(await ended).toBe(0);
  });
});

describe("a worker that dies", () => {
  test("is replaced after a pause, which grows while the replacements die young", async () => {
    const primary = await startServing({ OPTIONS: '{ "workers": 1 }' });
    for (const worker of [1, 2, 3]) {
      const ask = (): Promise<number | undefined> => primary.askWorker().catch(() => undefined);
      await expect.poll(ask, { timeout: 40_000 }).toBe(worker);
      await send(primary.port, "/crash").catch(() => undefined);
      await primary.untilPrinted("has died", worker);
    }
    const deaths = primary.printed().matchAll(/worker: (\d), code: 3, .* pause: (\d+)/g);
    expect([...deaths].map(([, ...death]) => death.map(Number))).toEqual([
      [1, 1000],
      [2, 2000],
      [3, 4000],
    ]);
  });

  test("and cannot start again is tried again until it can", async () => {
    const obstacle = createObstacle();
    const { port, untilPrinted, listWorkers } = await startServing({ FAILS: obstacle.path });
    obstacle.set();
    await send(port, "/crash").catch(() => undefined);
    await untilPrinted("A worker could not start");
    obstacle.remove();
    await expect.poll(listWorkers, { timeout: 40_000 }).toHaveLength(2);
  });
});

test("no worker is left if the primary is killed", async () => {
  const { signal, ended } = await startServing();
  signal("SIGKILL");
  expect(await ended).toBe("SIGKILL");
});
