import type { ClientRateLimitInfo, Options, Store } from "express-rate-limit";
import type { MaybePromise } from "../../define/endpoint/handler-arguments.ts";
import type { Logger } from "../../basics/logger/logger.ts";

/** How many requests have been counted in a window, and when that ends, in milliseconds of `performance.now()`. */
export interface Count {
  hits: number;
  end: number;
}

/** Counts a request as `hits` requests, and takes them back. */
export interface Counter {
  add(key: string, hits: number, logger: Logger): MaybePromise<Count>;
  remove(key: string, hits: number): MaybePromise<void>;
}

/** Counts in a store for express-rate-limit. */
export class StoreCounter implements Counter {
  readonly #store: Store;
  readonly #limit: number;
  readonly #window: number;
  #starting: Promise<void> | undefined;

  constructor(store: Store, limit: number, window: number) {
    this.#store = store;
    this.#limit = limit;
    this.#window = window;
  }

  async add(key: string, hits: number): Promise<Count> {
    await this.#start();
    // of all requests at the same time, those within the limit have different counts, none of which is above it
    const counts = await Promise.all(
      Array.from({ length: hits }, async () => this.#read(await this.#store.increment(key))),
    );
    return counts.reduce((most, one) => (one.hits > most.hits ? one : most));
  }

  async remove(key: string, hits: number): Promise<void> {
    await Promise.all(Array.from({ length: hits }, async () => this.#store.decrement(key)));
  }

  /** A store that could not begin, for example because its server was down, begins again. */
  #start(): Promise<void> {
    this.#starting ??= this.#init().catch((error: unknown) => {
      this.#starting = undefined;
      throw error;
    });
    return this.#starting;
  }

  async #init(): Promise<void> {
    await this.#store.init?.({ windowMs: this.#window, limit: this.#limit } as Options);
  }

  /**
   * Returns what the store has counted; a number may be a string, as some databases return it.
   *
   * @throws {Error} when it has not counted.
   */
  #read(info: ClientRateLimitInfo): Count {
    const { totalHits, resetTime } = (info ?? {}) as Partial<ClientRateLimitInfo>;
    const hits = typeof totalHits === "string" && totalHits !== "" ? Number(totalHits) : totalHits;
    const reset = resetTime ?? new Date(Date.now() + this.#window);
    // a store tells the time of the clock on the wall, which may be set while requests run
    const end = performance.now() + (reset.getTime?.() - Date.now());
    if (typeof hits === "number" && Number.isInteger(hits) && Number.isFinite(end))
      return { hits, end };
    throw new Error(
      "The store returned no `totalHits` that is a number, or a `resetTime` that is no Date",
    );
  }
}
