import { aString, aText, checkOptions } from "../../basics/messages/option-checks.ts";
import { toServiceName } from "../../basics/messages/service-name.ts";
import type { Claim, IdempotencyStore, KeptReply, UsedKey } from "./idempotency-store.ts";

/** A client of node-redis 5 or of ioredis. */
export type RedisClient =
  | { readonly call: (command: string, ...args: string[]) => Promise<unknown> }
  | { readonly sendCommand: (args: string[]) => Promise<unknown> };

/** Sends a command with either client. */
export const sendCommand = (client: RedisClient, command: string, ...args: string[]) =>
  "call" in client ? client.call(command, ...args) : client.sendCommand([command, ...args]);

// a key holds the claim as text, and then the claim with its reply

const claimScript = `
local known = redis.call("GET", KEYS[1])
if not known then redis.call("SET", KEYS[1], ARGV[1], "PX", ARGV[2]) end
return known`;

const renewScript = `
if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("PEXPIRE", KEYS[1], ARGV[2]) end
return 0`;

const keepScript = `
local known = redis.call("GET", KEYS[1])
-- a client may send the command again
if known and known ~= ARGV[1] and known ~= ARGV[2] then return 0 end
redis.call("SET", KEYS[1], ARGV[2], "PX", ARGV[3])
return 1`;

const releaseScript = `
if redis.call("GET", KEYS[1]) == ARGV[1] then redis.call("DEL", KEYS[1]) end`;

const toText = ({ token, fingerprint }: Claim, reply?: KeptReply): string =>
  JSON.stringify({ token, fingerprint, reply });

/** The options of {@link redisStore}. */
export interface RedisStoreOptions {
  /**
   * The name of the service, which all its processes have, and no other service with the same Redis.
   *
   * @default the name in the package.json of the program; none if there is a `prefix`
   */
  readonly name?: string | undefined;
  /**
   * What each key begins with, before the name.
   *
   * @default idempotency:
   */
  readonly prefix?: string | undefined;
}

const optionChecks = { name: aText, prefix: aString };

/**
 * Creates a store in Redis.
 *
 * @throws {@link DefinitionError} when an option is unknown or invalid, or the service has no name.
 */
export const redisStore = (
  client: RedisClient,
  options: RedisStoreOptions = {},
): IdempotencyStore => {
  checkOptions("redisStore", options, optionChecks);
  const { name, prefix } = options;
  const begin =
    prefix === undefined || name !== undefined
      ? `${prefix ?? "idempotency:"}${toServiceName("redisStore", "name", name)}:`
      : prefix;
  const run = (script: string, claim: Claim, ...args: (string | number)[]): Promise<unknown> =>
    sendCommand(client, "EVAL", script, "1", begin + claim.key, toText(claim), ...args.map(String));
  return {
    claim: async (claim, lease) => {
      const known = (await run(claimScript, claim, Math.ceil(lease))) as string | null;
      // a client may send a command again whose answer was lost, so a claim may find itself
      return known === null || known === toText(claim) ? undefined : (JSON.parse(known) as UsedKey);
    },
    renew: async (claim, lease) => (await run(renewScript, claim, Math.ceil(lease))) === 1,
    keep: async (claim, reply, ttl) =>
      (await run(keepScript, claim, toText(claim, reply), Math.ceil(ttl))) === 1,
    release: async (claim) => void (await run(releaseScript, claim)),
  };
};
