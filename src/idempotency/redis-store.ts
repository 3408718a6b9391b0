import type { IdempotencyStore, KeptReply } from "./store.ts";

/** A client of node-redis 5 or of ioredis. */
export type RedisClient =
  | { readonly call: (command: string, ...args: string[]) => Promise<unknown> }
  | { readonly sendCommand: (args: string[]) => Promise<unknown> };

/** Runs a command on a client of either package. */
export const runCommand = (
  client: RedisClient,
  command: string,
  ...args: string[]
): Promise<unknown> =>
  "call" in client ? client.call(command, ...args) : client.sendCommand([command, ...args]);

/** A client may send a command again whose answer was lost, so a claim may find itself. */
const claimScript = `
local known = redis.call("HMGET", KEYS[1], "token", "fingerprint", "reply")
if known[1] and known[1] ~= ARGV[1] then return {known[2], known[3] or ""} end
redis.call("HSET", KEYS[1], "token", ARGV[1], "fingerprint", ARGV[2])
redis.call("PEXPIRE", KEYS[1], ARGV[3])`;

const renewScript = `
local known = redis.call("HMGET", KEYS[1], "token", "reply")
if known[1] == ARGV[1] and not known[2] then redis.call("PEXPIRE", KEYS[1], ARGV[2]) end`;

const keepScript = `
if (redis.call("HGET", KEYS[1], "token") or ARGV[1]) ~= ARGV[1] then return end
redis.call("HSET", KEYS[1], "token", ARGV[1], "fingerprint", ARGV[2], "reply", ARGV[4])
redis.call("PEXPIRE", KEYS[1], ARGV[3])`;

const releaseScript = `
if redis.call("HGET", KEYS[1], "token") == ARGV[1] then redis.call("DEL", KEYS[1]) end`;

/** Redis takes whole milliseconds. */
const toText = (milliseconds: number): string => `${Math.ceil(milliseconds)}`;

/**
 * Creates a store in Redis.
 *
 * @param options `prefix` begins each key; by default "idempotency:"
 */
export const redisStore = (
  client: RedisClient,
  { prefix = "idempotency:" }: { readonly prefix?: string | undefined } = {},
): IdempotencyStore => {
  const run = (script: string, key: string, ...args: readonly string[]): Promise<unknown> =>
    runCommand(client, "EVAL", script, "1", prefix + key, ...args);
  return {
    claim: async ({ key, token, fingerprint }, lease) => {
      const used = await run(claimScript, key, token, fingerprint, toText(lease));
      if (used === null) return undefined;
      const [known, text] = used as [string, string];
      const reply = text === "" ? undefined : (JSON.parse(text) as KeptReply);
      return { fingerprint: known, reply };
    },
    renew: async ({ key, token }, lease) => {
      await run(renewScript, key, token, toText(lease));
    },
    keep: async ({ key, token, fingerprint }, reply, ttl) => {
      await run(keepScript, key, token, fingerprint, toText(ttl), JSON.stringify(reply));
    },
    release: async ({ key, token }) => {
      await run(releaseScript, key, token);
    },
  };
};
