/** What is waited for: rejects when its time is over, unless it has been settled. */
interface Wait {
  readonly end: number;
  readonly reject: (error: Error) => void;
}

/** Everything that is waited for equally long, the oldest first, so that one timer serves all of it. */
const waits = new Map<number, Set<Wait>>();

const startTimer = (waiting: Set<Wait>, milliseconds: number, left = milliseconds): void => {
  const expire = (): void => {
    for (const wait of waiting) {
      const rest = wait.end - performance.now();
      if (rest > 0) {
        startTimer(waiting, milliseconds, Math.ceil(rest));
        return;
      }
      waiting.delete(wait);
      wait.reject(new Error(`The store did not answer in ${milliseconds} ms`));
    }
    waits.delete(milliseconds);
  };
  setTimeout(expire, left).unref();
};

/** Waits for a store, whose client may wait forever for a lost connection; rejects after some milliseconds. */
export const awaitStore = <T>(answering: Promise<T>, milliseconds: number): Promise<T> =>
  new Promise((resolve, reject) => {
    let waiting = waits.get(milliseconds);
    if (!waiting) {
      waits.set(milliseconds, (waiting = new Set()));
      startTimer(waiting, milliseconds);
    }
    const wait: Wait = { end: performance.now() + milliseconds, reject };
    waiting.add(wait);
    const own = waiting;
    const settle = async (): Promise<void> => {
      try {
        resolve(await answering);
      } catch (error) {
        reject(error);
      } finally {
        own.delete(wait);
      }
    };
    void settle();
  });
