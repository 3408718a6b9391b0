import type { Request } from "express";
import { RequestError } from "../errors.ts";
import { toLoggedPath } from "../results/log-fault.ts";

/** A request that is being handled. */
export interface RunningRequest {
  readonly request: Request;
  /** The place of this request in the list. */
  place: number;
  /** Asks the handlers to finish. */
  abort(reason: Error): void;
}

/**
 * The requests whose handlers have not ended, including those that nobody is waiting for any longer. A shutdown notifies
 * and waits for them.
 */
export class RunningRequests {
  readonly #requests: RunningRequest[] = [];
  #onIdle: (() => void) | undefined;
  /** The reason for aborting the signals of all requests; undefined before a shutdown. */
  reason: RequestError | undefined;

  add(request: RunningRequest): void {
    request.place = this.#requests.push(request) - 1;
    if (this.reason) request.abort(this.reason);
  }

  delete(request: RunningRequest): void {
    const last = this.#requests.pop();
    // the last request moves to the place of this one; a set would cost ten times as much
    if (last && last !== request) {
      this.#requests[request.place] = last;
      last.place = request.place;
    }
    if (this.#requests.length === 0) this.#onIdle?.();
  }

  /** Aborts the signals of all requests, including later ones. */
  stop(): void {
    this.reason = new RequestError("SLP_SHUTTING_DOWN");
    for (const request of this.#requests) request.abort(this.reason);
  }

  /** Resolves once no handler is running. */
  untilIdle(): Promise<void> {
    return new Promise((resolve) => {
      this.#onIdle = resolve;
      if (this.#requests.length === 0) resolve();
    });
  }

  /** Lists the routes whose handlers are running, such as `GET /v1/users/:id`. */
  listRoutes(): string[] {
    const routes = this.#requests.map(({ request }) => {
      const { path } = (request.route ?? {}) as { readonly path?: string };
      return `${request.method} ${path ?? toLoggedPath(request)}`;
    });
    return [...new Set(routes)];
  }
}
