import type { EventLog, History, PublishedEvent } from "./event-log.ts";
import type { Position } from "./position.ts";

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
