import { DefinitionError, RequestError } from "../../basics/errors.ts";
import { sendCommand, type RedisClient } from "../idempotency/redis-store.ts";
import { aText, checkOptions, refuseValue } from "../../basics/messages/option-checks.ts";
import { toServiceName } from "../../basics/messages/service-name.ts";
import { show } from "../../basics/messages/show.ts";
import { awaitStore } from "../../serve/pipeline/await-store.ts";
import { sizeOf, type EventLog } from "./event-log.ts";
import { createEpoch, type Position } from "./position.ts";
import type { ChannelStore } from "./channel-store.ts";

/** A client of node-redis 5 or of ioredis, connected to one Redis 6.2 or later. */
export type ChannelRedisClient = RedisClient & {
  readonly duplicate: (options?: never) => object;
};

/** The options of {@link redisChannel}. */
export interface RedisChannelOptions {
  /**
   * The key of the stream, before the name. Each channel needs its own; a process creates one channel for it.
   *
   * @default sallyport:channel
   */
  readonly key?: string | undefined;
  /**
   * The name of the service, which all its processes have, and no other service with the same Redis.
   *
   * @default the name in the package.json of the program; none if there is a `key`
   */
  readonly name?: string | undefined;
}

/** A connection that only reads; `disconnect` is of ioredis, `isOpen` and `destroy` are of node-redis. */
type Reader = RedisClient & {
  readonly connect: () => Promise<unknown>;
  readonly on: (event: "error", listener: () => void) => unknown;
  readonly disconnect?: () => void;
  readonly isOpen?: boolean;
  readonly destroy?: () => void;
};

/** After how many milliseconds without an answer a command has failed. */
const timeout = 5000;

/** How long one command waits for new events; then the stream is checked even if nothing was published. */
const blocking = 5000;

const latest = `
local latest = redis.call("XREVRANGE", KEYS[1], "+", "-", "COUNT", 1)[1]`;

/**
 * Adds an entry: its epoch, the id of the entry before, the bytes before and its own, then the event. A client may keep
 * a command while Redis is away; what then comes after `publish` has rejected is refused.
 */
const publishScript = `
local time = redis.call("TIME")
if time[1] * 1000 + time[2] / 1000 > tonumber(ARGV[7]) then
  return redis.error_reply("ERR the event came too late")
end
${latest}
local epoch, previous, before = ARGV[3], "0-0", 0
if latest then
  epoch, previous, before = latest[2][2], latest[1], latest[2][6] + latest[2][8]
end
local id = redis.call("XADD", KEYS[1], "MAXLEN", "=", ARGV[1], "*", "epoch", epoch, "previous", previous,
  "before", string.format("%.0f", before), "size", ARGV[4], "event", ARGV[5], "data", ARGV[6])
while before + ARGV[4] - redis.call("XRANGE", KEYS[1], "-", "+", "COUNT", 1)[1][2][6] > tonumber(ARGV[2]) do
  redis.call("XTRIM", KEYS[1], "MAXLEN", "=", redis.call("XLEN", KEYS[1]) - 1)
end
return {epoch, id}`;

/**
 * Returns what came after an id. A stream that is not there, or has lost events that a process knows, begins a new epoch
 * with an entry without event. They are lost if the stream ends before the id, or goes on from an entry before it.
 */
const readScript = `${latest}
local function isBefore(one, other)
  local time, count = one:match("(%d+)-(%d+)")
  local otherTime, otherCount = other:match("(%d+)-(%d+)")
  if time == otherTime then return tonumber(count) < tonumber(otherCount) end
  return tonumber(time) < tonumber(otherTime)
end
local isKnown = latest and latest[2][2] == ARGV[1]
local entries = isKnown and redis.call("XRANGE", KEYS[1], "(" .. ARGV[2], "+")
if not latest or isKnown and isBefore(entries[1] and entries[1][2][4] or latest[1], ARGV[2]) then
  redis.call("XADD", KEYS[1], "MAXLEN", "=", 1, "*", "epoch", ARGV[3], "previous", "0-0", "before", "0", "size", "0", "event", "[]", "data", "")
elseif isKnown then
  return entries
end
return redis.call("XRANGE", KEYS[1], "-", "+")`;

const takenKeys = new WeakMap<ChannelRedisClient, Set<string>>();

/**
 * Creates a store for a channel with several processes: a stream in Redis. Events are published through the client;
 * while a process has clients that follow the channel, it reads the stream through a duplicate of the client.
 *
 * @throws {@link DefinitionError} when the client is none of node-redis or ioredis, an option is unknown or invalid, or the
 * service has no name.
 */
export const redisChannel = (
  client: ChannelRedisClient,
  options: RedisChannelOptions = {},
): ChannelStore => {
  const has = (name: string): boolean =>
    typeof Reflect.get(Object(client) as object, name) === "function";
  if (!has("duplicate") || !(has("call") || has("sendCommand")))
    refuseValue("redisChannel", "client", "a client of the package redis or ioredis", client);
  checkOptions("redisChannel", options, { key: aText, name: aText });
  const { key: own, name } = options;
  const key =
    own === undefined || name !== undefined
      ? `${own ?? "sallyport:channel"}:${toServiceName("redisChannel", "name", name)}`
      : own;
  /** How much the clock of Redis shows more than that of the process, in milliseconds. */
  let ahead: number | undefined;
  return {
    "~connect": (log, history) => {
      takeKey(client, key);
      return {
        publish: async (event) => {
          try {
            assertReady(client);
            ahead ??= await measureAhead(client);
            const meta = JSON.stringify([event.event, event.topic]);
            const last = performance.now() + ahead + timeout;
            const entry = [createEpoch(), sizeOf(event), meta, event.data, last];
            const limits = [history.events, history.bytes];
            const published = await runScript(client, publishScript, key, ...limits, ...entry);
            return toPosition(...(published as [string, string]));
          } catch (cause) {
            ahead = undefined;
            throw new RequestError("SLP_STORE_UNAVAILABLE", { cause });
          }
        },
        follow: (signal, report) => void follow(client, key, log, signal, report),
      };
    },
  };
};

/** @throws {@link DefinitionError} when another channel has the key: each would receive the events of both. */
const takeKey = (client: ChannelRedisClient, key: string): void => {
  const keys = takenKeys.get(client) ?? new Set();
  if (keys.has(key))
    throw new DefinitionError(
      "SLP_DEFINITION_VALUE",
      `createChannel: \`store\` has the key ${show(key)}, which another channel of this process has. Give each channel its own, as in redisChannel(client, { key: "orders" }), or share one channel.`,
    );
  takenKeys.set(client, keys.add(key));
};

const runScript = (client: RedisClient, script: string, ...args: readonly (number | string)[]) =>
  awaitStore(sendCommand(client, "EVAL", script, "1", ...args.map(String)), timeout);

const measureAhead = async (client: RedisClient): Promise<number> => {
  const time = (await awaitStore(sendCommand(client, "TIME"), timeout)) as readonly string[];
  return Number(time[0]) * 1000 + Number(time[1]) / 1000 - performance.now();
};

/** @throws if the client has no connection: it would keep the command and publish the event much later. */
const assertReady = (client: ChannelRedisClient): void => {
  const { isReady, status } = client as { readonly isReady?: boolean; readonly status?: string };
  if (!(isReady ?? status === "ready"))
    throw new Error("The client is not connected to Redis, so the event was not published");
};

const toPosition = (epoch: string, id: string): Position => {
  const [time = 0, count = 0] = id.split("-").map(Number);
  return { epoch, time, count };
};

/** Reads the stream until the signal is aborted; a connection that fails is replaced. */
const follow = async (
  client: ChannelRedisClient,
  key: string,
  log: EventLog,
  signal: AbortSignal,
  report: (error?: unknown) => void,
): Promise<void> => {
  let reader: Reader | undefined;
  const close = (): void => {
    log.isCurrent = false;
    reader?.disconnect?.();
    if (reader?.isOpen) reader.destroy?.();
    reader = undefined;
  };
  signal.addEventListener("abort", close, { once: true });
  for (let pause = 50; !signal.aborted; pause = Math.min(pause * 2, 2000)) {
    try {
      reader = createReader(client);
      await awaitStore(reader.connect(), timeout);
      while (!signal.aborted) {
        const known = [log.latest.epoch, toRedisId(log), createEpoch()];
        const entries = await runScript(reader, readScript, key, ...known);
        const received = await receiveEntries(log, entries);
        if (signal.aborted) return;
        for (const entry of received) log.add(...entry);
        log.becomeCurrent();
        report();
        pause = 50;
        const waiting = ["COUNT", "1", "BLOCK", `${blocking}`, "STREAMS", key, toRedisId(log)];
        await awaitStore(sendCommand(reader, "XREAD", ...waiting), blocking + timeout);
      }
    } catch (error) {
      if (signal.aborted) return;
      report(error);
      close();
    }
    await new Promise((resolve) => setTimeout(resolve, pause).unref());
  }
};

const toRedisId = ({ latest: { time, count } }: EventLog): string => `${time}-${count}`;

const receiveEntries = async (
  log: EventLog,
  entries: unknown,
): Promise<readonly Parameters<EventLog["add"]>[]> => {
  const received: Parameters<EventLog["add"]>[] = [];
  for (const [id, fields] of entries as [string, string[]][]) {
    const [, epoch = "", , previous = "", , , , , , meta = "", , data = ""] = fields;
    const [event = "", topic] = JSON.parse(meta) as [string?, string?];
    // in their order, because a schema may be asynchronous
    const published = await log.receive({ event, topic: topic ?? undefined, data });
    received.push([published, toPosition(epoch, id), toPosition(epoch, previous)]);
  }
  return received;
};

const createReader = (client: ChannelRedisClient): Reader => {
  const options =
    "call" in client
      ? { lazyConnect: true, enableOfflineQueue: false, retryStrategy: null }
      : { disableOfflineQueue: true, commandOptions: {} };
  const reader = client.duplicate(options as never) as Reader;
  // a command that fails rejects; without a listener, the event would end the process
  reader.on("error", () => undefined);
  return reader;
};
