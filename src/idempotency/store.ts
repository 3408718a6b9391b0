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
   * same time, only one may claim the key.
   */
  readonly claim: (claim: Claim, lease: number) => Promise<UsedKey | undefined>;
  /** Extends the lease of a claim that has no reply yet. */
  readonly renew: (claim: Claim, lease: number) => Promise<void>;
  /** Keeps the reply for some time, from now on, unless another request has claimed the key in the meantime. */
  readonly keep: (claim: Claim, reply: KeptReply, ttl: number) => Promise<void>;
  /** Frees the key, unless another request has claimed it in the meantime. */
  readonly release: (claim: Claim) => Promise<void>;
}
