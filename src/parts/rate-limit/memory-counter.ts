import type { Logger } from "../../basics/logger/logger.ts";
import type { Count, Counter } from "./count-requests.ts";

/** How many keys each of the two generations holds at most. */
const maxKeys = 50_000;

/**
 * Counts in the memory of this process, so that nobody waits. There are two generations of counts: when a window has
 * passed, the older one has only ended counts, and is dropped. It is dropped earlier when the other one is full, except
 * for the keys that have reached the limit.
 */
export class MemoryCounter implements Counter {
  readonly #name: string;
  readonly #limit: number;
  readonly #window: number;
  #current = new Map<string, Count>();
  #previous = new Map<string, Count>();
  #turn = 0;
  #hasWarned = false;

  constructor(name: string, limit: number, window: number) {
    this.#name = name;
    this.#limit = limit;
    this.#window = window;
  }

  add(key: string, hits: number, logger: Logger): Count {
    const now = performance.now();
    if (now >= this.#turn) {
      this.#previous = now - this.#turn < this.#window ? this.#current : new Map();
      this.#current = new Map();
      this.#turn = now + this.#window;
    }
    let count = this.#current.get(key);
    if (!count) {
      count = this.#previous.get(key) ?? { hits: 0, end: 0 };
      if (this.#current.size >= maxKeys) this.#dropPrevious(now, logger);
      this.#current.set(key, count);
    }
    if (count.end <= now) {
      count.hits = 0;
      count.end = now + this.#window;
    }
    count.hits += hits;
    return count;
  }

  remove(key: string, hits: number): void {
    const count = this.#current.get(key) ?? this.#previous.get(key);
    if (count) count.hits = Math.max(0, count.hits - hits);
  }

  /** Makes room: many new keys must not free those that are refused, unless there are many of these, too. */
  #dropPrevious(now: number, logger: Logger): void {
    const open = [...this.#previous].filter(([, { end }]) => end > now);
    const refused = open.filter(([, { hits }]) => hits >= this.#limit).slice(-maxKeys / 2);
    this.#previous = this.#current;
    this.#current = new Map(refused);
    this.#turn = now + this.#window;
    if (open.length === refused.length || this.#hasWarned) return;
    this.#hasWarned = true;
    logger.warn(
      `A rate limit has more than ${2 * maxKeys} keys in one window, so the memory of the process forgets the oldest of those below the limit. Give it a \`store\``,
      { name: this.#name },
    );
  }
}
