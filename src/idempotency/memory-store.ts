import type { IdempotencyStore, UsedKey } from "./store.ts";

interface Entry extends UsedKey {
  readonly token: string;
  /** When the key is free again, in milliseconds since 1970. */
  readonly end: number;
}

/** How often expired entries are deleted, in milliseconds. */
const sweepInterval = 1000;

/** Creates a store in the memory of one process, for development and for APIs with a single process. */
export const memoryStore = (): IdempotencyStore => {
  const entries = new Map<string, Entry>();
  let sweptAt = Date.now();
  const sweep = (now: number): void => {
    if (now - sweptAt < sweepInterval) return;
    sweptAt = now;
    for (const [key, { end }] of entries) if (end <= now) entries.delete(key);
  };
  const isOwn = (key: string, token: string): boolean => entries.get(key)?.token === token;
  return {
    claim: async ({ key, ...rest }, lease) => {
      const now = Date.now();
      sweep(now);
      const used = entries.get(key);
      if (used && used.end > now) return used;
      entries.set(key, { ...rest, end: now + lease });
      return undefined;
    },
    renew: async ({ key, ...rest }, lease) => {
      if (isOwn(key, rest.token) && !entries.get(key)?.reply)
        entries.set(key, { ...rest, end: Date.now() + lease });
    },
    keep: async ({ key, ...rest }, reply, ttl) => {
      if (isOwn(key, rest.token)) entries.set(key, { ...rest, reply, end: Date.now() + ttl });
    },
    release: async ({ key, token }) => {
      if (isOwn(key, token)) entries.delete(key);
    },
  };
};
