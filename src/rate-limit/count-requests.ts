import type { ClientRateLimitInfo, Options, Store } from "express-rate-limit";

/**
 * Returns what a store has counted; a number may be a string, as some databases return it.
 *
 * @throws {Error} when a store has not counted.
 */
const readCount = (info: ClientRateLimitInfo): ClientRateLimitInfo => {
  const { totalHits, resetTime } = (info ?? {}) as Partial<ClientRateLimitInfo>;
  const hits = typeof totalHits === "string" && totalHits !== "" ? Number(totalHits) : totalHits;
  const isTime = Number.isFinite((resetTime ?? new Date()).getTime?.());
  if (typeof hits === "number" && Number.isInteger(hits) && isTime)
    return { totalHits: hits, resetTime: resetTime ?? undefined };
  throw new Error(
    "The store returned no `totalHits` that is a number, or a `resetTime` that is no Date",
  );
};

/** Creates what counts a request as `hits` requests, and what takes them back. */
export const createCounter = (store: Store, limit: number, window: number) => {
  let starting: Promise<void> | undefined;
  let isReady = false;
  const start = async (): Promise<void> => {
    // a store that could not begin, for example because its server was down, begins again
    starting ??= (async () => store.init?.({ windowMs: window, limit } as Options))();
    try {
      await starting;
      isReady = true;
    } catch (error) {
      starting = undefined;
      throw error;
    }
  };
  const add = async (key: string, hits: number): Promise<ClientRateLimitInfo> => {
    if (!isReady) await start();
    if (hits === 1) return readCount(await store.increment(key));
    // of all requests at the same time, those within the limit have different counts, none of which is above it
    const counts = await Promise.all(
      Array.from({ length: hits }, async () => readCount(await store.increment(key))),
    );
    return counts.reduce((most, one) => (one.totalHits > most.totalHits ? one : most));
  };
  const remove = async (key: string, hits: number): Promise<void> => {
    await Promise.all(Array.from({ length: hits }, async () => store.decrement(key)));
  };
  return { add, remove };
};
