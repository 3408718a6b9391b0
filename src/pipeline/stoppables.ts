import { RequestError } from "../errors.ts";
import type { Walk } from "./walk.ts";

/** Where the responses of a server have its {@link Stoppables}. */
export const stoppables: unique symbol = Symbol.for("sallyport/stoppables");

/** A response that may know them. */
export interface StoppableResponse {
  readonly [stoppables]?: Stoppables;
}

/** The walks of a server that have asked for their signal, to be told of its shutdown. */
export class Stoppables {
  readonly #walks = new Set<Walk>();
  /** Why they are stopped; undefined until then. */
  reason: RequestError | undefined;

  add(walk: Walk): void {
    if (this.reason) walk.stop(this.reason);
    else this.#walks.add(walk);
  }

  delete(walk: Walk): void {
    this.#walks.delete(walk);
  }

  stop(): void {
    this.reason = new RequestError("SLP_SHUTTING_DOWN");
    for (const walk of this.#walks) walk.stop(this.reason);
    this.#walks.clear();
  }
}
