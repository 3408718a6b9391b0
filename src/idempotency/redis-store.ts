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

const claimScript = `
if redis.call("HSETNX", KEYS[1], "fingerprint", ARGV[2]) == 1 then
  redis.call("HSET", KEYS[1], "token", ARGV[1])
  redis.call("PEXPIRE", KEYS[1], ARGV[3])
  return false
end
return {redis.call("HGET", KEYS[1], "fingerprint"), redis.call("HGET", KEYS[1], "reply") or ""}`;

/** Runs a command on a key that this claim still has. */
const own = (command: string): string =>
  `if redis.call("HGET", KEYS[1], "token") == ARGV[1] then ${command} end`;

const renewScript = own(
  'if redis.call("HEXISTS", KEYS[1], "reply") == 0 then redis.call("PEXPIRE", KEYS[1], ARGV[2]) end',
);
const keepScript = own(
  'redis.call("HSET", KEYS[1], "reply", ARGV[3]) redis.call("PEXPIRE", KEYS[1], ARGV[2])',
);
const releaseScript = own('redis.call("DEL", KEYS[1])');

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
      const [known, reply] = used as [string, string];
      return {
        fingerprint: known,
        reply: reply === "" ? undefined : (JSON.parse(reply) as KeptReply),
      };
    },
    renew: async ({ key, token }, lease) => {
      await run(renewScript, key, token, toText(lease));
    },
    keep: async ({ key, token }, reply, ttl) => {
      await run(keepScript, key, token, toText(ttl), JSON.stringify(reply));
    },
    release: async ({ key, token }) => {
      await run(releaseScript, key, token);
    },
  };
};
