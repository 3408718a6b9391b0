import { AsyncLocalStorage } from "node:async_hooks";
import { EventEmitter } from "node:events";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { FollowArguments } from "../../define/endpoint/channel-definition.ts";
import { createChannel, type Channel, type ChannelOptions } from "./channel.ts";
import type { EventLog } from "./event-log.ts";
import { compare, findPosition, type Position } from "./position.ts";
import { memoryChannel } from "./channel-store.ts";

const events = { counted: z.object({ number: z.number() }) };
type Counted = typeof events;

/** What a client receives: an event, or a range of positions that are missing. */
type Received =
  | { readonly at: Position; readonly number: number }
  | { readonly after: Position; readonly at: Position };

/** A client that may be slow, may be cut, and resumes. */
class Client {
  readonly #channel: Channel<Counted>;
  readonly #maxBuffered: number;
  readonly topics: ReadonlySet<string> | undefined;
  readonly received: Received[] = [];
  /** How many times the server has written. */
  writes = 0;
  lastEventId: string | undefined;
  /** How many times the server has cut the connection. */
  cuts = 0;
  #end: (() => void) | undefined;
  #isSlow = false;
  #release: (() => void) | undefined;

  constructor(channel: Channel<Counted>, topics?: readonly string[], maxBuffered = Infinity) {
    this.#channel = channel;
    this.#maxBuffered = maxBuffered;
    this.topics = topics && new Set(topics);
  }

  get isOpen(): boolean {
    return this.#end !== undefined;
  }

  open({ isSlow = false } = {}): void {
    if (this.isOpen) return;
    this.#isSlow = isSlow;
    const response = new EventEmitter();
    let isOver = false;
    const end = (): void => {
      isOver = true;
      this.#end = undefined;
      this.#isSlow = false;
      this.#release?.();
      response.emit("close");
    };
    this.#end = end;
    const writer: FollowArguments["writer"] = {
      isClosed: () => isOver,
      attempt: (send) => send(),
      cut: () => {
        this.cuts++;
        end();
      },
      toHeartbeat: () => ":\n\n",
      waitForRoom: () =>
        new Promise((resolve) => {
          this.#release = resolve;
        }),
      write: (text) => {
        this.writes++;
        this.#read(text);
        return !this.#isSlow;
      },
    };
    const headers = { "last-event-id": this.lastEventId };
    const args = { request: { headers }, response, signal: new AbortController().signal };
    void this.#channel["~follow"]({
      args: args as unknown as FollowArguments["args"],
      ...{ writer, topics: this.topics, maxBuffered: this.#maxBuffered },
    });
  }

  leave(): void {
    this.#end?.();
  }

  slowDown(): void {
    if (this.isOpen) this.#isSlow = true;
  }

  async catchUp(): Promise<void> {
    this.#isSlow = false;
    this.#release?.();
    // what waits for room goes on in a later turn
    await new Promise((resolve) => setImmediate(resolve));
  }

  #read(text: string): void {
    const fields = Object.fromEntries(
      text.split("\n").map((line) => line.split(/: (.*)/, 2) as [string, string]),
    );
    const { event, id, data } = fields;
    if (id !== undefined) this.lastEventId = id;
    if (event === undefined || id === undefined) return;
    const at = findPosition(id) as Position;
    const content = JSON.parse(data ?? "") as { requested: string; number: number };
    this.received.push(
      event === "gap"
        ? { after: findPosition(content.requested) as Position, at }
        : { at, number: content.number },
    );
  }
}

const create = (options: Partial<ChannelOptions<Counted>> = {}): Channel<Counted> =>
  createChannel({ events, ...options });

const listNumbers = ({ received }: Client): unknown[] =>
  received.map((one) => ("number" in one ? one.number : "gap"));

test("the ids of a channel of another process are a gap, never a wrong replay", async () => {
  const before = create();
  const client = new Client(before);
  client.open();
  await before.publish("counted", { number: 1 });
  client.leave();
  const after = create();
  await after.publish("counted", { number: 2 });
  const later = new Client(after);
  later.lastEventId = client.lastEventId;
  later.open();
  await after.publish("counted", { number: 3 });
  expect(listNumbers(later)).toEqual(["gap", 3]);
});

test("a client that was cut before its first event misses none", async () => {
  const channel = create();
  const client = new Client(channel);
  client.open();
  client.leave();
  await channel.publish("counted", { number: 1 });
  client.open();
  expect(listNumbers(client)).toEqual([1]);
});

test.each(["x", "abcdefabcdef-0", "abcdefabcdef-0-1", "-1--1", "💣"])(
  "the id %j, which the channel has not given, is a gap",
  (id) => {
    const client = new Client(create());
    client.lastEventId = id;
    client.open();
    expect(listNumbers(client)).toEqual(["gap"]);
  },
);

test("an id that the channel has not given yet is a gap", async () => {
  const channel = create();
  const client = new Client(channel);
  client.open();
  client.leave();
  client.lastEventId = client.lastEventId?.replace(/0$/, "9");
  client.open();
  await channel.publish("counted", { number: 1 });
  expect(listNumbers(client)).toEqual(["gap", 1]);
});

describe("the history", () => {
  test("is bounded by a number of events", async () => {
    const channel = create({ history: { events: 3 } });
    const client = new Client(channel);
    client.open();
    client.leave();
    for (const number of [1, 2, 3]) await channel.publish("counted", { number });
    const id = client.lastEventId;
    client.open();
    expect(listNumbers(client)).toEqual([1, 2, 3]);
    await channel.publish("counted", { number: 4 });
    const late = new Client(channel);
    late.lastEventId = id;
    late.open();
    expect(listNumbers(late)).toEqual(["gap"]);
  });

  test("is bounded by a number of bytes", async () => {
    const size = 'counted{"number":1}'.length;
    const channel = create({ history: { bytes: 2 * size } });
    const client = new Client(channel);
    client.open();
    client.leave();
    const id = client.lastEventId;
    for (const number of [1, 2]) await channel.publish("counted", { number });
    client.open();
    expect(listNumbers(client)).toEqual([1, 2]);
    await channel.publish("counted", { number: 3 });
    const late = new Client(channel);
    late.lastEventId = id;
    late.open();
    expect(listNumbers(late)).toEqual(["gap"]);
  });
});

test("an undefined limit of the history is the default", async () => {
  const channel = createChannel({
    events: { said: z.string() },
    history: { events: undefined, bytes: undefined },
  });
  const client = new Client(channel as never);
  client.open();
  client.leave();
  for (let count = 0; count <= 1000; count++) await channel.publish("said", "");
  client.open();
  expect(listNumbers(client)).toEqual(["gap"]);
  await expect(channel.publish("said", "x".repeat(1_048_576))).rejects.toMatchObject({
    code: "SLP_CHANNEL_EVENT_SIZE",
  });
});

test("a slow client receives the replay as fast as it can take it", async () => {
  const channel = create();
  const client = new Client(channel);
  client.open();
  client.leave();
  for (const number of [1, 2, 3]) await channel.publish("counted", { number });
  client.open({ isSlow: true });
  expect(listNumbers(client)).toEqual([1]);
  await client.catchUp();
  expect(listNumbers(client)).toEqual([1, 2, 3]);
});

test("a slow client is cut once it is too far behind, and then resumes", async () => {
  const size = 'counted{"number":1}'.length;
  const channel = create();
  const client = new Client(channel, undefined, 3 * size);
  client.open();
  client.slowDown();
  // the first event fills the connection, and three more wait in the history
  for (const number of [1, 2, 3, 4]) await channel.publish("counted", { number });
  expect([client.isOpen, client.cuts]).toEqual([true, 0]);
  await channel.publish("counted", { number: 5 });
  expect([client.isOpen, client.cuts]).toEqual([false, 1]);
  client.open();
  expect(listNumbers(client)).toEqual([1, 2, 3, 4, 5]);
});

test("a client that reads a long replay is not cut, whatever is published meanwhile", async () => {
  const size = 'counted{"number":1}'.length;
  const channel = create();
  const client = new Client(channel, undefined, 2 * size);
  client.open();
  client.leave();
  for (const number of [1, 2, 3, 4, 5]) await channel.publish("counted", { number });
  client.open({ isSlow: true });
  for (const number of [6, 7]) await channel.publish("counted", { number });
  expect(listNumbers(client)).toEqual([1]);
  await client.catchUp();
  expect(listNumbers(client)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(client.cuts).toBe(0);
});

test("a client that reads nothing is cut once the whole history is new", async () => {
  const channel = create({ history: { events: 2 } });
  const client = new Client(channel);
  client.open();
  client.slowDown();
  for (const number of [1, 2, 3]) await channel.publish("counted", { number });
  expect(client.cuts).toBe(0);
  await channel.publish("counted", { number: 4 });
  expect(client.cuts).toBe(1);
  client.open();
  expect(listNumbers(client)).toEqual([1, "gap"]);
});

test("the id of an event that the store has lost is a gap, and one from ahead is none", async () => {
  const epoch = "0".repeat(12);
  let log: EventLog | undefined;
  const add = (number: number): void =>
    log?.add(
      { event: "counted", topic: undefined, data: JSON.stringify({ number }) },
      { epoch, time: 0, count: number },
    );
  const channel = create({
    store: {
      "~connect": (connected) => {
        log = connected;
        log.reset({ epoch, time: 0, count: 0 });
        for (const number of [1, 5]) add(number);
        log.becomeCurrent();
        return { publish: () => Promise.reject(new Error("Nothing is published")) };
      },
    },
  });
  const seen = [1, 3, 5, 6, 9].map((count) => {
    const client = new Client(channel);
    client.lastEventId = `${epoch}-0-${count}`;
    client.open();
    return client;
  });
  for (const number of [6, 7]) add(number);
  expect(seen.map(listNumbers)).toEqual([[5, 6, 7], ["gap", 6, 7], [6, 7], [7], []]);
  // what is not there after another two reads is not in the store
  log?.becomeCurrent();
  log?.becomeCurrent();
  add(8);
  expect(seen.map(listNumbers).at(-1)).toEqual(["gap", 8]);
});

test("a client that has an event which the store loses receives `gap`, even if a newer one comes at once", () => {
  const epoch = "0".repeat(12);
  let log: EventLog | undefined;
  const add = (count: number, previous: number): void =>
    log?.add(
      { event: "counted", topic: undefined, data: JSON.stringify({ number: count }) },
      { epoch, time: 0, count },
      { epoch, time: 0, count: previous },
    );
  const channel = create({
    store: {
      "~connect": (connected) => {
        log = connected;
        add(1, 0);
        log.becomeCurrent();
        return { publish: () => Promise.reject(new Error("Nothing is published")) };
      },
    },
  });
  const client = new Client(channel);
  client.open();
  add(2, 1);
  add(3, 1);
  add(4, 3);
  expect(listNumbers(client)).toEqual([2, "gap", 4]);
});

test("a stream opens once the store is current, and the store is read in no client's context", async () => {
  const contexts = new AsyncLocalStorage<string>();
  const seen: unknown[] = [];
  let toCurrent = (): void => undefined;
  const channel = create({
    store: {
      "~connect": (log) => ({
        publish: () => Promise.reject(new Error("Nothing is published")),
        follow: () => {
          seen.push(contexts.getStore());
          toCurrent = () => log.becomeCurrent();
        },
      }),
    },
  });
  const client = new Client(channel);
  contexts.run("alice", () => client.open());
  expect([client.writes, seen]).toEqual([0, [undefined]]);
  toCurrent();
  expect(client.writes).toBeGreaterThan(0);
  expect(client.lastEventId).toBeDefined();
});

const topics = ["a", "b", "c"];
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ does: fc.constant("publish"), who: fc.nat(3) }) },
  fc.record({ does: fc.constantFrom("open", "leave", "slowDown", "catchUp"), who: fc.nat(4) }),
);

test("whatever happens in whatever order, a client gets each event once and in order, or a gap that says so", async () => {
  let gaps = 0;
  let cuts = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 20, maxLength: 80 }),
      fc.integer({ min: 1, max: 6 }),
      async (steps, kept) => {
        const channel = create({ history: { events: kept } });
        const clients = [undefined, ["a"], ["b", "c"], undefined, ["a", "c"]].map(
          (chosen, index) => new Client(channel, chosen, index < 3 ? 100 : Infinity),
        );
        const begins = clients.map((): number | undefined => undefined);
        const published: { readonly at: Position; readonly topic: string | undefined }[] = [];
        const open = (who: number): void => {
          clients[who]?.open();
          begins[who] ??= published.length;
        };
        for (const who of [0, 1, 2, 3]) open(who);
        for (const { does, who } of steps) {
          if (does === "publish") {
            const topic = topics[who];
            const id = await channel.publish("counted", { number: published.length }, { topic });
            published.push({ at: findPosition(id) as Position, topic });
          } else if (does === "open") open(who);
          else if (does === "catchUp") await clients[who]?.catchUp();
          else if (does === "leave") clients[who]?.leave();
          else clients[who]?.slowDown();
        }
        for (const [who, client] of clients.entries()) {
          const begin = begins[who];
          if (begin === undefined) continue;
          await client.catchUp();
          client.open();
          const { received } = client;
          gaps += received.filter((one) => "after" in one).length;
          cuts += client.cuts;
          const disordered = received.filter(
            ({ at }, index) => index > 0 && compare(at, (received[index - 1] as Received).at) <= 0,
          );
          expect(disordered).toEqual([]);
          const expected = published.flatMap(({ at, topic }, number) => {
            const isMissing = received.some(
              (one) => "after" in one && compare(at, one.after) > 0 && compare(at, one.at) <= 0,
            );
            const isWanted = !client.topics || (topic !== undefined && client.topics.has(topic));
            return isWanted && !isMissing && number >= begin ? number : [];
          });
          const numbers = received.flatMap((one) => ("number" in one ? one.number : []));
          expect(numbers).toEqual(expected);
        }
      },
    ),
    { numRuns: 500 },
  );
  // the steps are chosen so that all of this happens
  expect(gaps).toBeGreaterThan(100);
  expect(cuts).toBeGreaterThan(100);
});

describe("publish", () => {
  test("sends what the schema returns", async () => {
    const dates = { at: z.date().transform((date) => date.toISOString()) };
    const kept: string[] = [];
    const channel = createChannel({
      events: dates,
      store: {
        "~connect": (log, history) => ({
          ...memoryChannel["~connect"](log, history),
          publish: async ({ data }) => {
            kept.push(data);
            return { epoch: "0".repeat(12), time: 0, count: 1 };
          },
        }),
      },
    });
    expect(await channel.publish("at", new Date(0))).toBe("000000000000-0-1");
    expect(kept).toEqual(['"1970-01-01T00:00:00.000Z"']);
  });

  test.each([
    ["SLP_EVENT_UNKNOWN", ["placd", 1]],
    ["SLP_EVENT_UNKNOWN", ["gap", { requested: "", earliest: "", latest: "" }]],
    ["SLP_CHANNEL_TOPIC", ["placed", "x", { topic: 5 }]],
    ["SLP_CHANNEL_EVENT_SIZE", ["placed", "x".repeat(100)]],
    ["SLP_OUTPUT_UNSERIALIZABLE", ["big", 1n]],
  ])("rejects with %s, and nothing is published (%#)", async (code, args) => {
    const channel = createChannel({
      events: { placed: z.string(), big: z.bigint(), counted: z.object({ number: z.number() }) },
      history: { bytes: 100 },
    });
    const first = await channel.publish("placed", "x");
    const publish = channel.publish as (...args: unknown[]) => Promise<string>;
    await expect(publish(...args)).rejects.toMatchObject({ name: "ServerFault", code });
    await expect(publish("placed", 5)).rejects.toMatchObject({ name: "OutputValidationError" });
    const { epoch, count } = findPosition(first) as Position;
    expect(findPosition(await channel.publish("placed", "x"))).toEqual({
      ...{ epoch, time: 0 },
      count: count + 1,
    });
  });
});

test.each([
  [undefined, "SLP_DEFINITION_VALUE", "`options` must be an object with events, "],
  [{}, "SLP_DEFINITION_EVENT", "`events` must be an object of events"],
  [{ events: {} }, "SLP_DEFINITION_EVENT", "one or more events"],
  [{ events: { gap: z.string() } }, "SLP_DEFINITION_EVENT", 'got ["gap"]'],
  [{ events: { "a\nb": z.string() } }, "SLP_DEFINITION_EVENT", "Rename it"],
  [{ events: { a: "x" } }, "SLP_DEFINITION_SCHEMA", "`a` must be a Zod 4 schema"],
  [{ events, histroy: {} }, "SLP_DEFINITION_UNKNOWN_KEY", "Did you mean `history`?"],
  [{ events, history: { count: 1 } }, "SLP_DEFINITION_UNKNOWN_KEY", "no option `count`"],
  [{ events, history: { events: 0 } }, "SLP_DEFINITION_VALUE", "must be a positive integer; got 0"],
  [{ events, retry: -1 }, "SLP_DEFINITION_VALUE", "`retry` must be a number of milliseconds"],
  [{ events, store: new Map() }, "SLP_DEFINITION_VALUE", "`store` must be a store"],
])("the options %j are refused", (options, code, text) => {
  const build = (): unknown => createChannel(options as never);
  expect(build).toThrow(expect.objectContaining({ name: "DefinitionError", code }));
  expect(build).toThrow(text);
});
