import { RequestError } from "../errors.ts";

/** The property of a response that holds its server's {@link Stoppables}. */
export const stoppables: unique symbol = Symbol.for("sallyport/stoppables");

/** A response that may have {@link Stoppables}. */
export interface StoppableResponse {
  readonly [stoppables]?: Stoppables;
}

/** An object that is notified of a shutdown. */
export interface Stoppable {
  stop(reason: Error): void;
}

/** The running walks of a server that are notified of a shutdown, because their `signal` has been read. */
export class Stoppables {
  readonly #walks = new Set<Stoppable>();
  /** The reason for stopping the walks; undefined before a shutdown. */
  reason: RequestError | undefined;

  add(walk: Stoppable): void {
    if (this.reason) walk.stop(this.reason);
    else this.#walks.add(walk);
  }

  delete(walk: Stoppable): void {
    this.#walks.delete(walk);
  }

  stop(): void {
    this.reason = new RequestError("SLP_SHUTTING_DOWN");
    for (const walk of this.#walks) walk.stop(this.reason);
    this.#walks.clear();
  }
}
