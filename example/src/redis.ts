import { RedisStore } from "rate-limit-redis";
import { createClient } from "redis";
import { environment } from "./environment.ts";

/** The client of Redis, if the shop uses it; a command fails at once while there is no connection. */
export const redis =
  environment.REDIS_URL === undefined
    ? undefined
    : createClient({ url: environment.REDIS_URL, disableOfflineQueue: true });
// the client connects again by itself, and the health check tells of a failure
redis?.on("error", () => undefined);

/** Creates the store of a rate limit: in Redis, or undefined for the memory of the process. */
export const createLimitStore = (name: string): RedisStore | undefined =>
  redis &&
  new RedisStore({
    prefix: `shop:limit:${name}:`,
    sendCommand: (...command: string[]) => redis.sendCommand(command),
  });
