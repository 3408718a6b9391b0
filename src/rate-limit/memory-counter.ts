import type { Count, Counter } from "./count-requests.ts";

/**
 * Counts in the memory of this process, so that nobody waits. There are two generations of counts: when a window has
 * passed, the older one has only ended counts, and is dropped.
 */
export class MemoryCounter implements Counter {
  readonly #window: number;
  #current = new Map<string, Count>();
  #previous = new Map<string, Count>();
  #turn = 0;

  constructor(window: number) {
    this.#window = window;
  }

  add(key: string, hits: number): Count {
    const now = Date.now();
    if (now >= this.#turn) {
      this.#previous = now - this.#turn < this.#window ? this.#current : new Map();
      this.#current = new Map();
      this.#turn = now + this.#window;
    }
    const count = this.#find(key);
    if (count.end <= now) {
      count.hits = 0;
      count.end = now + this.#window;
    }
    count.hits += hits;
    return count;
  }

  remove(key: string, hits: number): void {
    const count = this.#find(key);
    count.hits = Math.max(0, count.hits - hits);
  }

  #find(key: string): Count {
    let count = this.#current.get(key);
    if (count) return count;
    count = this.#previous.get(key) ?? { hits: 0, end: 0 };
    this.#current.set(key, count);
    return count;
  }
}
