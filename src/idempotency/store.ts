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
  /** Extends the lease of a claim that has no reply yet. */
  readonly renew: (claim: Claim, lease: number) => Promise<void>;
  /**
   * Keeps the reply for some time, from now on, even if the lease has ended, unless another request has claimed the key
   * in the meantime.
   */
  readonly keep: (claim: Claim, reply: KeptReply, ttl: number) => Promise<void>;
  /** Frees the key, unless another request has claimed it in the meantime. */
  readonly release: (claim: Claim) => Promise<void>;
}

interface Entry extends Claim, UsedKey {
  /** When the key is free again, in milliseconds since 1970. */
  readonly end: number;
}

/** What is kept of a request that must not run again, although its reply is not kept. */
export const noReply: KeptReply = { status: 0, headers: {}, body: "" };

/** How often expired entries are deleted, in milliseconds. */
const sweepInterval = 1000;

/** How many bytes of bodies are kept in memory. */
const maxKeptBytes = 64 * 1024 * 1024;

/**
 * Creates a store in the memory of one process, for development and for APIs with a single process. It keeps up to 64
 * MiB of bodies: the oldest replies are dropped, and requests that repeat theirs receive 422.
 */
export const memoryStore = (): IdempotencyStore => {
  const entries = new Map<string, Entry>();
  /** The bytes of the bodies by key, the oldest first. */
  const sizes = new Map<string, number>();
  let bytes = 0;
  let sweptAt = Date.now();
  const isOthers = ({ key, token }: Claim): boolean => (entries.get(key)?.token ?? token) !== token;
  const set = (entry: Entry): void => {
    remove(entry.key);
    entries.set(entry.key, entry);
    const { length } = entry.reply?.body ?? "";
    if (length > 0) sizes.set(entry.key, length);
    bytes += length;
  };
  const remove = (key: string): void => {
    bytes -= sizes.get(key) ?? 0;
    sizes.delete(key);
    entries.delete(key);
  };
  return {
    claim: async (claim, lease) => {
      const now = Date.now();
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
      if (!isOthers(claim) && !entries.get(claim.key)?.reply)
        set({ ...claim, end: Date.now() + lease });
    },
    keep: async (claim, reply, ttl) => {
      if (!isOthers(claim)) set({ ...claim, reply, end: Date.now() + ttl });
      for (const key of sizes.keys()) {
        if (bytes <= maxKeptBytes) return;
        set({ ...(entries.get(key) as Entry), reply: noReply });
      }
    },
    release: async (claim) => {
      if (!isOthers(claim)) remove(claim.key);
    },
  };
};
