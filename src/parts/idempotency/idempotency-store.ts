/** A reply as it was sent. */
export interface KeptReply {
  /** The status; 0 if the request has ended, but its reply was not kept. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** The bytes of the body, one character each (`latin1`). */
  readonly body: string;
}

/** What a request knows of its key. */
export interface Claim {
  /** A digest of the caller, the method, the route and the idempotency key. */
  readonly key: string;
  /** Tells this request from others with the same key. */
  readonly token: string;
  /** A digest of the input, the path parameters, the query and the declared header fields. */
  readonly fingerprint: string;
}

/** A key that another request has claimed. */
export interface UsedKey {
  readonly fingerprint: string;
  /** The reply to that request; undefined while it runs. */
  readonly reply?: KeptReply | undefined;
}

/** Keeps the replies to requests with an idempotency key. All times are in milliseconds. */
export interface IdempotencyStore {
  /**
   * Claims a free key for the time of a lease; returns what is known of a key that is not free. Of several calls at the
   * same time, only one may claim the key; a call that is repeated with the same token claims it again.
   */
  readonly claim: (claim: Claim, lease: number) => Promise<UsedKey | undefined>;
  /**
   * Extends the lease of a claim that has no reply yet. Resolves to whether the lease had not ended before, by the clock
   * of the store: if it had, another request may have claimed the key.
   */
  readonly renew: (claim: Claim, lease: number) => Promise<boolean>;
  /**
   * Keeps the reply for some time, from now on, even if the lease has ended, unless another request has claimed the key
   * in the meantime. Resolves to whether the reply is kept.
   */
  readonly keep: (claim: Claim, reply: KeptReply, ttl: number) => Promise<boolean>;
  /** Frees the key, unless another request has claimed it in the meantime. */
  readonly release: (claim: Claim) => Promise<void>;
}

interface Entry extends Claim, UsedKey {
  /** When the key is free again, in milliseconds of `performance.now()`. */
  readonly end: number;
}

/** What is kept of a request that must not run again, although its reply is not kept. */
export const noReply: KeptReply = { status: 0, headers: {}, body: "" };

/** How often expired entries are deleted, in milliseconds. */
const sweepInterval = 1000;

/** How many characters of bodies and header fields are kept in memory. */
const maxKeptSize = 64 * 1024 * 1024;

/** How many keys of requests that have ended are kept in memory; each takes about 1.5 kB. */
const maxKeys = 50_000;

/**
 * Creates a store in the memory of one process, for development and for APIs with a single process. It keeps up to 64
 * MiB of replies: the oldest are dropped, and requests that repeat theirs receive 422. Of more than 50,000 requests that
 * have ended, it forgets the oldest, which then run again.
 */
export const memoryStore = (): IdempotencyStore => {
  const entries = new Map<string, Entry>();
  /** The sizes of the replies by key, the oldest first. */
  const sizes = new Map<string, number>();
  /** The keys of the requests that have ended, the oldest first. */
  const ended = new Set<string>();
  let size = 0;
  let sweptAt = performance.now();
  const isOthers = ({ key, token }: Claim): boolean => (entries.get(key)?.token ?? token) !== token;
  const set = (entry: Entry): void => {
    const { key, reply } = entry;
    remove(key);
    entries.set(key, entry);
    if (!reply) return;
    ended.add(key);
    if (reply === noReply) return;
    const own = reply.body.length + JSON.stringify(reply.headers).length;
    sizes.set(key, own);
    size += own;
  };
  const remove = (key: string): void => {
    size -= sizes.get(key) ?? 0;
    sizes.delete(key);
    ended.delete(key);
    entries.delete(key);
  };
  return {
    claim: async (claim, lease) => {
      const now = performance.now();
      if (now - sweptAt >= sweepInterval) {
        sweptAt = now;
        for (const [key, { end }] of entries) if (end <= now) remove(key);
      }
      const used = entries.get(claim.key);
      if (used && used.end > now && used.token !== claim.token) return used;
      set({ ...claim, end: now + lease });
      return undefined;
    },
    renew: async (claim, lease) => {
      const own = entries.get(claim.key);
      if (own?.token !== claim.token || own.reply) return false;
      const now = performance.now();
      set({ ...claim, end: now + lease });
      return own.end > now;
    },
    keep: async (claim, reply, ttl) => {
      if (isOthers(claim)) return false;
      set({ ...claim, reply, end: performance.now() + ttl });
      for (const key of sizes.keys()) {
        if (size <= maxKeptSize) break;
        const entry = entries.get(key) as Entry;
        // in place, because its time stays the same
        entries.set(key, { ...entry, reply: noReply });
        size -= sizes.get(key) ?? 0;
        sizes.delete(key);
      }
      for (const key of ended) {
        if (ended.size <= maxKeys) break;
        remove(key);
      }
      return true;
    },
    release: async (claim) => {
      if (!isOthers(claim)) remove(claim.key);
    },
  };
};
