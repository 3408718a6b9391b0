import { RedisStore } from "rate-limit-redis";
import { createClient } from "redis";
import type { LifecycleArguments } from "sallyport/types";
import { environment } from "./environment.ts";

/** The client of Redis, if the shop uses it; a command fails at once while there is no connection. */
export const redis =
  environment.REDIS_URL === undefined
    ? undefined
    : createClient({ url: environment.REDIS_URL, disableOfflineQueue: true });
/** Connects, and waits for Redis; the client connects again by itself, and each outage is logged once. */
export const openRedis = async ({ logger }: LifecycleArguments): Promise<void> => {
  let isDown = false;
  redis?.on("error", (error: Error) => {
    if (!isDown) logger.error("Redis is down", { error });
    isDown = true;
  });
  redis?.on("ready", () => {
    if (isDown) logger.info("Redis is up again");
    isDown = false;
  });
  await redis?.connect();
};

/** Creates the store of a rate limit: in Redis, or undefined for the memory of the process. */
export const createLimitStore = (name: string): RedisStore | undefined =>
  redis &&
  new RedisStore({
    prefix: `shop:limit:${name}:`,
    sendCommand: (...command: string[]) => redis.sendCommand(command),
  });
