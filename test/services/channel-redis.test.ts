import { once } from "node:events";
import { Redis } from "ioredis";
import { createClient } from "redis";
import { EventStreamFactory } from "sallyport";
import { createChannel, redisChannel, type ChannelRedisClient } from "sallyport/channel";
import type { EventSchemas } from "sallyport/types";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import {
  hasRedisServer,
  listFaults,
  startProcess,
  startRedis,
  Subscriber,
} from "./channel-redis.ts";
import { start, stopClock } from "../http/harness.ts";

interface Connected {
  readonly client: ChannelRedisClient;
  readonly run: (command: string, ...args: string[]) => Promise<unknown>;
}

const clients: readonly (readonly [string, (port: number) => Promise<Connected>])[] = [
  [
    "node-redis",
    async (port) => {
      const client = createClient({ url: `redis://127.0.0.1:${port}` });
      client.on("error", () => undefined);
      await client.connect();
      onTestFinished(() => client.destroy());
      return { client, run: (...command) => client.sendCommand(command) };
    },
  ],
  [
    "ioredis",
    async (port) => {
      const client = new Redis(port, "127.0.0.1");
      client.on("error", () => undefined);
      await once(client, "ready");
      onTestFinished(() => client.disconnect());
      return { client, run: (command, ...args) => client.call(command, ...args) };
    },
  ],
];

type Kept = { readonly events?: number; readonly bytes?: number };

const events = { counted: z.object({ number: z.number() }) };

/** Starts a server with a channel in Redis, and a subscriber that follows it once `follow` resolves. */
const startChannel = async ({ client }: Connected, history: Kept = {}) => {
  const store = redisChannel(client, { key: "numbers" });
  const channel = createChannel({ events, history, retry: 1, store });
  const server = await start({ numbers: new EventStreamFactory({}).build({ channel }) });
  const publish = (number: number): Promise<string> => channel.publish("counted", { number });
  const follow = async (): Promise<Subscriber> => {
    const subscriber = new Subscriber(server.port);
    await expect.poll(() => subscriber.lastEventId).not.toBe("");
    return subscriber;
  };
  return { ...server, publish, follow };
};

describe.skipIf(!hasRedisServer).each(clients)("a channel in Redis, through %s", (_name, open) => {
  test("brings each event once and in order to the clients of all processes", async () => {
    const redis = await startRedis();
    const one = await startChannel(await open(redis.port));
    const other = await startChannel(await open(redis.port));
    const subscribers = [await one.follow(), await other.follow(), await other.follow()];
    const published = new Map<string, number>();
    const numbers = Array.from({ length: 200 }, (_, number) => number);
    await Promise.all(
      numbers.map(async (number) =>
        published.set(await (number % 2 === 0 ? one : other).publish(number), number),
      ),
    );
    for (const subscriber of subscribers) {
      await expect.poll(() => subscriber.numbers.length).toBe(200);
      expect(listFaults(subscriber, published)).toEqual([]);
    }
  });

  test("reads through one connection for all clients, and through none without clients", async () => {
    const redis = await startRedis();
    const connected = await open(redis.port);
    const server = await startChannel(connected);
    const count = async (): Promise<number> =>
      ((await connected.run("CLIENT", "LIST")) as string).trim().split("\n").length;
    expect(await count()).toBe(1);
    const subscribers = await Promise.all(Array.from({ length: 20 }, server.follow));
    expect(await count()).toBe(2);
    for (const subscriber of subscribers) subscriber.leave();
    await expect.poll(count).toBe(1);
    const again = await server.follow();
    await server.publish(1);
    await expect.poll(() => again.numbers).toEqual([1]);
    expect(await count()).toBe(2);
  });

  test.each([
    ["events", { events: 3 }],
    ["bytes", { bytes: 3 * 'counted{"number":1}'.length }],
  ])("keeps a bounded number of %s", async (_bound, history) => {
    const redis = await startRedis();
    const connected = await open(redis.port);
    const { publish, port } = await startChannel(connected, history);
    const ids: string[] = [];
    for (const number of [0, 1, 2, 3, 4, 5]) ids.push(await publish(number));
    expect(await connected.run("XLEN", "numbers")).toBe(3);
    const resume = (id = ""): Subscriber => {
      const subscriber = new Subscriber(port);
      subscriber.lastEventId = id;
      subscriber.cut();
      return subscriber;
    };
    const inTime = resume(ids[2]);
    await expect.poll(() => inTime.numbers).toEqual([3, 4, 5]);
    const late = resume(ids[1]);
    await expect
      .poll(() => late.received)
      .toEqual([{ id: ids[5], gap: { requested: ids[1], earliest: ids[3], latest: ids[5] } }]);
  });

  test("says `gap` once Redis was restarted without its data; publishing fails in between", async () => {
    const redis = await startRedis();
    const server = await startChannel(await open(redis.port));
    const subscriber = await server.follow();
    const before = await server.publish(1);
    await expect.poll(() => subscriber.numbers).toEqual([1]);
    await redis.stop();
    // the client may not know yet that it has no connection, and then keeps the command for later
    const failing = server.publish(2);
    failing.catch(() => undefined);
    await expect.poll(() => server.linesOf("error")).toHaveLength(1);
    const fault = { code: "SLP_STORE_UNAVAILABLE", status: 503 };
    await expect(failing).rejects.toMatchObject(fault);
    await expect(server.publish(2)).rejects.toMatchObject(fault);
    expect(subscriber.numbers).toEqual([1]);
    await redis.start();
    await expect.poll(() => subscriber.numbers).toEqual([1, "gap"]);
    expect(subscriber.received[1]).toMatchObject({ gap: { requested: before } });
    await expect.poll(() => server.publish(3).catch(() => undefined)).toBeDefined();
    await expect.poll(() => subscriber.numbers).toEqual([1, "gap", 3]);
    expect(subscriber.connections).toBe(1);
    expect(server.linesOf("error")).toMatchObject([
      { message: "The store of a channel fails; its streams wait" },
    ]);
    expect(server.linesOf("warn")).toMatchObject([
      { message: "The store of a channel works again" },
    ]);
  });

  test("publishes nothing once `publish` has rejected", async () => {
    const redis = await startRedis();
    const connected = await open(redis.port);
    const server = await startChannel(connected);
    const subscriber = await server.follow();
    await server.publish(1);
    // Redis holds the command back, and runs it when `publish` has rejected
    await connected.run("CLIENT", "PAUSE", "5500", "WRITE");
    await expect(server.publish(2)).rejects.toMatchObject({ code: "SLP_STORE_UNAVAILABLE" });
    await server.publish(3);
    await expect.poll(() => subscriber.numbers).toEqual([1, 3]);
  });

  test("goes on once Redis was restarted with its data", async () => {
    const redis = await startRedis({ keeps: true });
    const server = await startChannel(await open(redis.port));
    const other = await startChannel(await open(redis.port));
    const subscriber = await server.follow();
    await server.publish(1);
    await expect.poll(() => subscriber.numbers).toEqual([1]);
    await redis.stop();
    subscriber.cut();
    await redis.start();
    await expect.poll(() => other.publish(2).catch(() => undefined)).toBeDefined();
    await expect.poll(() => subscriber.numbers).toEqual([1, 2]);
    expect(subscriber.connections).toBe(2);
  });

  test("says `gap` once the stream is deleted, or set back to an older state", async () => {
    const redis = await startRedis();
    const connected = await open(redis.port);
    const server = await startChannel(connected);
    const subscriber = await server.follow();
    await server.publish(1);
    await connected.run("COPY", "numbers", "older");
    await server.publish(2);
    await expect.poll(() => subscriber.numbers).toEqual([1, 2]);
    await connected.run("COPY", "older", "numbers", "REPLACE");
    await expect.poll(() => subscriber.numbers).toEqual([1, 2, "gap"]);
    await connected.run("DEL", "numbers");
    await server.publish(3);
    await expect.poll(() => subscriber.numbers).toEqual([1, 2, "gap", "gap", 3]);
  });

  test("says `gap` once the stream was set back and has a newer event", async () => {
    const redis = await startRedis();
    const connected = await open(redis.port);
    const server = await startChannel(connected);
    const subscriber = await server.follow();
    const first = await server.publish(1);
    await connected.run("COPY", "numbers", "older");
    const second = await server.publish(2);
    const third = await server.publish(3);
    await expect.poll(() => subscriber.numbers).toEqual([1, 2, 3]);
    // without clients, the process does not read
    subscriber.leave();
    await server.untilLeft();
    await connected.run("COPY", "older", "numbers", "REPLACE");
    await server.publish(4);
    // also those who have seen nothing of what was lost have missed it
    for (const id of [first, third, second]) {
      const late = new Subscriber(server.port);
      late.lastEventId = id;
      late.cut();
      await expect.poll(() => late.numbers).toEqual(["gap"]);
    }
  });
});

test.skipIf(!hasRedisServer)(
  "what does not fit the receiver's schema is dropped, and what it does not declare is left out",
  async () => {
    stopClock();
    const redis = await startRedis();
    const [, open] = clients[0] as (typeof clients)[number];
    const connect = async <Events extends EventSchemas>(declared: Events) => {
      const { client } = await open(redis.port);
      return createChannel({ events: declared, store: redisChannel(client, { key: "one" }) });
    };
    const salary = z.object({ number: z.int(), salary: z.int() });
    const from = await connect({
      ...{ counted: salary, strict: salary, other: salary, text: z.string() },
      dated: z.object({ at: z.date(), salary: z.int() }),
    });
    const to = await connect({
      counted: z.object({ number: z.int(), unit: z.string().default("m") }),
      strict: z.strictObject({ number: z.int() }),
      text: z.int(),
      dated: z.object({ at: z.date() }).refine(({ at }) => at.getTime() === 0),
    });
    const server = await start({ numbers: new EventStreamFactory({}).build({ channel: to }) });
    const answer = await fetch(`http://127.0.0.1:${server.port}/numbers`);
    let text = "";
    const reading = (async () => {
      for await (const chunk of answer.body ?? []) text += Buffer.from(chunk as Uint8Array);
    })();
    reading.catch(() => undefined);
    await expect.poll(() => text).toContain("id: ");
    await from.publish("other", { number: 0, salary: 1 });
    for (let number = 0; number < 3; number++) await from.publish("strict", { number, salary: 1 });
    await from.publish("text", "a");
    await from.publish("counted", { number: 1, salary: 1 });
    await from.publish("dated", { at: new Date(0), salary: 1 });
    await to.publish("strict", { number: 9 });
    await expect.poll(() => text).toContain("strict");
    expect([...text.matchAll(/^(?:event|data): .*/gm)].map(([line]) => line)).toEqual([
      ...["event: counted", 'data: {"number":1,"unit":"m"}'],
      ...["event: dated", 'data: {"at":"1970-01-01T00:00:00.000Z"}'],
      ...["event: strict", 'data: {"number":9}'],
    ]);
    const message = "An event of a channel does not fit its schema, so it is dropped";
    expect(server.linesOf("warn")).toMatchObject([
      { message, meta: { event: "strict", reason: 'strict: Unrecognized key: "salary"' } },
      { message, meta: { event: "text" } },
    ]);
  },
);

test.skipIf(!hasRedisServer)(
  "two processes with clients that are cut: each event once and in order; and the processes end by themselves",
  { timeout: 60_000 },
  async () => {
    const redis = await startRedis();
    const processes = await Promise.all(
      [1, 2].map(() => startProcess(redis.port, "numbers", 1000)),
    );
    const ports = processes.map(({ port }) => port);
    const subscribers = Array.from({ length: 6 }, () => new Subscriber(...ports));
    for (const one of subscribers) await expect.poll(() => one.lastEventId).not.toBe("");
    const published = new Map<string, number>();
    for (let number = 0; number < 300; number++) {
      const id = await processes[number % 2]?.publish(number);
      published.set(id as string, number);
      if (number % 10 === 0) subscribers[(number / 10) % 6]?.cut();
    }
    for (const one of subscribers) {
      await expect.poll(() => one.numbers.length).toBe(300);
      expect(listFaults(one, published)).toEqual([]);
      expect(one.connections).toBeGreaterThan(3);
    }
    for (const { child } of processes) {
      child.kill("SIGTERM");
      await once(child, "exit");
      expect(child.exitCode).toBe(0);
    }
  },
);

test.each([undefined, {}, { call: () => undefined }, { duplicate: () => ({}) }])(
  "%j is refused as a client",
  (client) => {
    expect(() => redisChannel(client as never)).toThrow(
      "redisChannel: `client` must be a client of the package redis or ioredis",
    );
  },
);

test("a second channel with the same client and key is refused", () => {
  const client = createClient();
  const store = redisChannel(client);
  createChannel({ events, store });
  createChannel({ events, store: redisChannel(client, { key: "other" }) });
  createChannel({ events, store: redisChannel(client, { name: "other" }) });
  createChannel({ events, store: redisChannel(client, { key: "other", name: "shop" }) });
  createChannel({ events, store: redisChannel(createClient()) });
  for (const again of [store, redisChannel(client)]) {
    const build = (): unknown => createChannel({ events, store: again });
    expect(build).toThrow(expect.objectContaining({ code: "SLP_DEFINITION_VALUE" }));
    expect(build).toThrow(
      'createChannel: `store` has the key "sallyport:channel:sallyport", which another channel of this process has. Give each channel its own',
    );
  }
});

test("an unknown option of redisChannel is refused", () => {
  const client = createClient();
  expect(() => redisChannel(client, { prefix: "x" } as never)).toThrow("no option `prefix`");
  expect(() => redisChannel(client, { key: 5 } as never)).toThrow(
    "`key` must be a non-empty string; got 5",
  );
  expect(() => redisChannel(client, { name: "" })).toThrow("`name` must be a non-empty string");
  expect(() => redisChannel(client, { key: "" })).toThrow(
    '`key` must be a non-empty string; got ""',
  );
});
