import type { IncomingMessage } from "node:http";

/** The default of the option `bodyIdleTimeout`, in milliseconds. */
export const defaultBodyIdleTimeout = 10_000;

interface Watched {
  /** The bytes of the connection at the last look; -1 before the first. */
  seen: number;
  /** When they were last more than before. */
  since: number;
  readonly onIdle: () => void;
}

/**
 * Finds bodies that make no progress.
 *
 * One timer looks after all of them, and runs only while a body is being read: one for each request would cost 2 microseconds.
 */
export class IdleBodies {
  readonly #timeout: number;
  readonly #watched = new Map<IncomingMessage, Watched>();
  #timer: NodeJS.Timeout | undefined;

  /** @param timeout how long a client may pause, in milliseconds; a pause is found up to a fourth later */
  constructor(timeout: number) {
    this.#timeout = timeout;
  }

  /** Calls a function, once, when the client pauses for too long. */
  watch(request: IncomingMessage, onIdle: () => void): void {
    this.#watched.set(request, { seen: -1, since: 0, onIdle });
    this.#timer ??= setInterval(() => this.#look(), Math.max(this.#timeout / 8, 1)).unref();
  }

  /** The body is read, or nobody wants it any more. */
  forget(request: IncomingMessage): void {
    this.#watched.delete(request);
  }

  #look(): void {
    const now = performance.now();
    for (const [request, watched] of this.#watched) {
      const { bytesRead } = request.socket;
      // a disk that is slower than the network pauses the request; that is no fault of the client
      if (bytesRead !== watched.seen || request.isPaused() || request.complete) {
        watched.seen = bytesRead;
        watched.since = now;
      } else if (now - watched.since >= this.#timeout) {
        this.#watched.delete(request);
        watched.onIdle();
      }
    }
    if (this.#watched.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
