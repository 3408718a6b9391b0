import { RequestError } from "../errors.ts";

/** Where the responses of a server have its {@link Stoppables}. */
export const stoppables: unique symbol = Symbol.for("sallyport/stoppables");

/** A response that may know them. */
export interface StoppableResponse {
  readonly [stoppables]?: Stoppables;
}

/** What is told of a shutdown. */
export interface Stoppable {
  stop(reason: Error): void;
}

/** The walks of a server that have asked for their signal, to be told of its shutdown. */
export class Stoppables {
  readonly #walks = new Set<Stoppable>();
  /** Why they are stopped; undefined until then. */
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
