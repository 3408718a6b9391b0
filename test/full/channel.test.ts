import { connect, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import {
  hasRedisServer,
  listFaults,
  startProcess,
  startRedis,
  Subscriber,
} from "../services/channel-redis.ts";
import { send } from "../http/harness.ts";
import { doAll, report, toCount } from "./harness.ts";

const total = toCount("CHANNEL_EVENTS", 10_000);
const cuts = toCount("CHANNEL_CUTS", 50);
const readers = 10;

test.skipIf(!hasRedisServer).each([
  ["that keeps its data", true],
  ["that loses its data", false],
])(
  "two processes on a Redis %s when it restarts: each event once and in order, or a gap that says so",
  async (_name, keeps) => {
    const redis = await startRedis({ keeps });
    const processes = await Promise.all([1, 2].map(() => startProcess(redis.port, "n", 1000)));
    const ports = processes.map(({ port }) => port);
    const subscribers = Array.from(
      { length: readers },
      (_, index) => new Subscriber(...(index % 2 === 0 ? ports : ports.toReversed())),
    );
    for (const one of subscribers) await expect.poll(() => one.lastEventId).not.toBe("");
    const published = new Map<string, number>();
    let rejected = 0;
    let cut = 0;
    let restarting: Promise<void> | undefined;
    const begin = performance.now();
    await doAll(total, 8, async (number) => {
      if (number % Math.floor(total / cuts) === 0) subscribers[cut++ % readers]?.cut();
      if (number === Math.floor(total / 2)) restarting = redis.stop().then(redis.start);
      for (;;) {
        const id = await processes[number % 2]?.publish(number);
        if (id !== undefined) {
          published.set(id, number);
          return;
        }
        rejected++;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    });
    await restarting;
    const seconds = (performance.now() - begin) / 1000;
    // a last event, so that whoever has it has everything
    const last = (await processes[0]?.publish(total)) as string;
    published.set(last, total);
    for (const one of subscribers) {
      await expect.poll(() => one.lastEventId).toBe(last);
      expect(listFaults(one, published)).toEqual([]);
    }
    const gaps = subscribers.map(({ numbers }) => numbers.filter((one) => one === "gap").length);
    const received = subscribers.map(({ numbers }, index) => numbers.length - (gaps[index] ?? 0));
    expect(gaps.map((count) => count > 0)).toEqual(gaps.map(() => !keeps));
    expect(cut).toBeGreaterThanOrEqual(cuts);
    report(
      `${published.size} events, ${cut} cut connections, ${readers} subscribers, one restart: ` +
        `${Math.min(...received)} to ${Math.max(...received)} events and ${Math.min(...gaps)} to ` +
        `${Math.max(...gaps)} gaps each, ${rejected} calls of publish rejected, ${seconds.toFixed(1)} s`,
    );
  },
);

test.skipIf(!hasRedisServer)("200 slow readers take little memory each", async () => {
  const count = 200;
  const redis = await startRedis();
  const { port, publish } = await startProcess(redis.port, "n", 1000);
  const sockets: Socket[] = [];
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  for (let index = 0; index < count; index++) {
    const socket = connect(port, "127.0.0.1");
    sockets.push(socket);
    socket.on("error", () => undefined);
    await new Promise<void>((resolve) => {
      socket.on("data", (data: Buffer) => {
        if (!data.includes("id: ")) return;
        socket.pause();
        resolve();
      });
      socket.write("GET /numbers HTTP/1.1\r\nHost: a\r\n\r\n");
    });
  }
  const measure = async (): Promise<number> => {
    const answer = (await send(port, "/memory")).json() as { data: { bytes: number } };
    return answer.data.bytes;
  };
  const before = await measure();
  const padding = "x".repeat(10_000);
  let most = 0;
  for (let number = 0; number < 3000; number++) {
    await publish(number, padding);
    if (number % 100 === 0) most = Math.max(most, await measure());
  }
  const each = (most - before) / count;
  report(
    `30 MB published to ${count} readers that read nothing: at most ${Math.round(each / 1024)} KiB ` +
      `of memory for each, the history of 1 MiB included`,
  );
  // what a writable stream takes, an event, and a share of the history
  expect(each).toBeLessThan(150 * 1024);
  for (const socket of sockets) socket.resume();
});
