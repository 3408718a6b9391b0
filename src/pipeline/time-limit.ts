/** A time limit, whose clock can be stopped while something else takes its time. */
export class Deadline {
  readonly limit: number;
  readonly #onExpire: () => void;
  #left: number;
  #since = 0;
  #isOver = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(limit: number, onExpire: () => void) {
    this.limit = limit;
    this.#left = limit;
    this.#onExpire = onExpire;
  }

  start(): void {
    if (this.#isOver) return;
    this.#since = performance.now();
    this.#timer = setTimeout(this.#onExpire, Math.max(1, this.#left));
  }

  stop(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  async pauseFor(reading: Promise<void>): Promise<void> {
    clearTimeout(this.#timer);
    this.#left -= performance.now() - this.#since;
    try {
      await reading;
    } finally {
      this.start();
    }
  }
}
