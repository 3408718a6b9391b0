import { settleWithin } from "./settle-within.ts";

/** Waits for a store, whose client may wait forever for a lost connection; rejects after some milliseconds. */
export const awaitStore = <T>(answering: Promise<T>, milliseconds: number): Promise<T> =>
  settleWithin(
    answering,
    milliseconds,
    () => new Error(`The store did not answer in ${milliseconds} ms`),
  );
