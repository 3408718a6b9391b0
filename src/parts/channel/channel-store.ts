import type { EventLog, History, PublishedEvent } from "./event-log.ts";
import { createEpoch, type Position } from "./position.ts";

/** What a store does for a channel. */
export interface StoreConnection {
  /** Keeps an event; rejects if it could not be kept. */
  readonly publish: (event: PublishedEvent) => Promise<Position>;
  /**
   * Keeps the log current until the signal is aborted.
   *
   * @param report is called with an error when the store fails, and without one when it works
   */
  readonly follow?: (signal: AbortSignal, report: (error?: unknown) => void) => void;
}

/** Where the events of a channel are kept; made with `redisChannel`. */
export interface ChannelStore {
  /** Connects a channel. Internal. */
  readonly "~connect": (log: EventLog, history: History) => StoreConnection;
}

/** The store of a channel with a single process: the log itself. */
export const memoryChannel: ChannelStore = {
  "~connect": (log) => {
    const epoch = createEpoch();
    let count = 0;
    log.reset({ epoch, time: 0, count });
    log.reads = Infinity;
    log.becomeCurrent();
    return {
      publish: async (event) => {
        const position = { epoch, time: 0, count: ++count };
        log.add(event, position);
        return position;
      },
    };
  },
};
