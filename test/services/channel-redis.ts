import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { request as httpRequest, type ClientRequest } from "node:http";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { compare, findPosition, type Position } from "../../src/parts/channel/position.ts";
import { findFreePort } from "../free-port.ts";
import { send } from "../http/harness.ts";

/** Whether tests can start a Redis of their own. */
export const hasRedisServer = spawnSync("redis-server", ["--version"]).status === 0;

/** Starts a Redis, which ends with the test; it can be stopped and started again. */
export const startRedis = async ({ keeps = false } = {}) => {
  const port = await findFreePort();
  const dir = mkdtempSync(join(tmpdir(), "sallyport-redis-"));
  const begin = async () => {
    const args = ["--port", `${port}`, "--bind", "127.0.0.1", "--dir", dir, "--save", ""];
    const kept = keeps
      ? ["--appendonly", "yes", "--appendfsync", "always"]
      : ["--appendonly", "no"];
    const child = spawn("redis-server", [...args, ...kept], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let printed = "";
    await new Promise<void>((resolve) => {
      child.stdout.on("data", (data: Buffer) => {
        printed += data.toString();
        if (printed.includes("Ready to accept connections")) resolve();
      });
    });
    return child;
  };
  let child = await begin();
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  };
  onTestFinished(async () => {
    await stop();
    rmSync(dir, { recursive: true });
  });
  return {
    port,
    stop,
    start: async () => {
      child = await begin();
    },
  };
};

/** Starts a process with a channel, which ends with the test at the latest. */
export const startProcess = async (redis: number, key: string, kept: number) => {
  const program = fileURLToPath(new URL("channel-program.ts", import.meta.url));
  const args = ["--import", "tsx", "--expose-gc", program, `${redis}`, key, `${kept}`];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  });
  const [printed] = (await once(child.stdout, "data")) as [Buffer];
  const port = Number(/port (\d+)/.exec(printed.toString())?.[1]);
  /** Returns the id of the event; undefined if the process rejects it. */
  const publish = async (number: number, padding = ""): Promise<string | undefined> => {
    const answer = await send(port, "/numbers", { method: "POST", body: { number, padding } });
    if (answer.status !== 200) return undefined;
    return (answer.json() as { data: { id: string } }).data.id;
  };
  return { child, port, publish };
};

export interface Gap {
  readonly requested: string;
  readonly earliest: string;
  readonly latest: string;
}

/** Follows a channel, and comes back when the connection ends, each time to the next of several ports. */
export class Subscriber {
  readonly #ports: readonly number[];
  #request: ClientRequest | undefined;
  #isOver = false;
  lastEventId = "";
  /** How often it has connected. */
  connections = 0;
  /** The events in the order of their arrival. */
  readonly received: (
    | { readonly id: string; readonly number: number }
    | { readonly id: string; readonly gap: Gap }
  )[] = [];

  constructor(...ports: readonly number[]) {
    this.#ports = ports;
    this.#connect();
    onTestFinished(() => this.leave());
  }

  get numbers(): readonly (number | "gap")[] {
    return this.received.map((one) => ("number" in one ? one.number : "gap"));
  }

  cut(): void {
    this.#request?.destroy();
  }

  leave(): void {
    this.#isOver = true;
    this.cut();
  }

  #connect(): void {
    const port = this.#ports[this.connections++ % this.#ports.length];
    const headers = this.lastEventId === "" ? {} : { "last-event-id": this.lastEventId };
    const target = { host: "127.0.0.1", port, path: "/numbers", headers, agent: false };
    const request = httpRequest(target).end();
    this.#request = request;
    request.on("error", () => undefined);
    request.on("response", (response) => {
      let text = "";
      response.on("error", () => undefined);
      response.setEncoding("utf8").on("data", (chunk: string) => {
        if (request.destroyed) return;
        const blocks = (text + chunk).split("\n\n");
        text = blocks.pop() ?? "";
        for (const block of blocks) this.#read(block);
      });
    });
    request.once("close", () => {
      if (!this.#isOver) setTimeout(() => this.#isOver || this.#connect(), 10);
    });
  }

  #read(block: string): void {
    const lines = block.split("\n").map((line) => line.split(/: (.*)/, 2) as [string, string]);
    const { id, event, data = "" } = Object.fromEntries(lines) as Record<string, string>;
    if (id === undefined) return;
    this.lastEventId = id;
    if (event === "gap") this.received.push({ id, gap: JSON.parse(data) as Gap });
    else if (event !== undefined)
      this.received.push({ id, number: (JSON.parse(data) as { number: number }).number });
  }
}

const isBefore = (one: Position, other: Position): boolean => compare(one, other) < 0;

/** Checks whether a gap says that an event is missing. */
const covers = ({ requested, latest }: Gap, id: string): boolean => {
  const at = findPosition(id) as Position;
  const after = findPosition(requested) as Position;
  const to = findPosition(latest) as Position;
  const isAfter = at.epoch === after.epoch && isBefore(after, at);
  const isUntil = at.epoch === to.epoch && !isBefore(to, at);
  return after.epoch === to.epoch ? isAfter && isUntil : isAfter || isUntil;
};

/**
 * Lists what is wrong with the events that a subscriber received: published events that are missing without a gap, or
 * came twice, within a gap or out of order.
 */
export const listFaults = (
  { received }: Subscriber,
  published: ReadonlyMap<string, number>,
): readonly string[] => {
  const faults: string[] = [];
  const gaps = received.flatMap((one) => ("gap" in one ? one.gap : []));
  const counts = new Map<string, number>();
  for (const [index, one] of received.entries()) {
    const [position, before] = [one, received[index - 1] ?? one].map(({ id }) => findPosition(id));
    if ("number" in one) counts.set(one.id, (counts.get(one.id) ?? 0) + 1);
    if (!position || !before || index === 0) continue;
    const isOther = position.epoch !== before.epoch;
    if (isOther ? "number" in one : !isBefore(before, position))
      faults.push(`${one.id} is out of order`);
  }
  for (const [id, number] of published) {
    const count = counts.get(id) ?? 0;
    const isMissing = gaps.some((gap) => covers(gap, id));
    if (count !== (isMissing ? 0 : 1)) faults.push(`${number} came ${count} times`);
  }
  return faults;
};
