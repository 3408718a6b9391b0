import type { Request, Response } from "express";
import type { HandlerArguments } from "../endpoint/handler-arguments.ts";
import { RequestError } from "../errors.ts";
import type { Logger } from "../logger/logger.ts";

/** What the middlewares of a request returned. */
export type WalkContext = Record<string, unknown>;

/**
 * One request on its walk: what the stages share, and what a handler receives.
 *
 * A class, so that `signal` costs nothing unless a handler reads it.
 */
export class Walk implements HandlerArguments<unknown, WalkContext> {
  readonly request: Request;
  readonly response: Response;
  readonly logger: Logger;
  readonly ctx: WalkContext = Object.create(null) as WalkContext;
  /** The combined input as it came; null until it is combined. */
  combined: Record<string, unknown> | null = null;
  /** The validated input of the handler that runs. */
  input: unknown = undefined;
  #abort: AbortController | undefined;
  #reason: Error | undefined;

  constructor(request: Request, response: Response, logger: Logger) {
    this.request = request;
    this.response = response;
    this.logger = logger;
  }

  /** Aborted when the client has left, and when the handler's time is over. */
  get signal(): AbortSignal {
    if (!this.#abort) {
      const abort = (this.#abort = new AbortController());
      const { response } = this;
      const onClose = (): void => {
        if (!response.writableFinished) abort.abort(new Error("The client has left"));
      };
      if (this.#reason) abort.abort(this.#reason);
      else if (response.closed) onClose();
      else response.once("close", onClose);
    }
    return this.#abort.signal;
  }

  /** Aborts the signal, also for those who ask for it later. */
  abort(reason: Error): void {
    this.#reason = reason;
    this.#abort?.abort(reason);
  }
}

/**
 * Waits for a handler at most a time; then its signal is aborted, and what it still does is ignored.
 *
 * @throws {@link RequestError} with 503 when the time is over.
 */
export const withTimeout = async (
  walk: Walk,
  running: unknown,
  milliseconds: number,
): Promise<unknown> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      const error = new RequestError("SLP_HANDLER_TIMEOUT");
      walk.abort(error);
      reject(error);
    }, milliseconds);
  });
  try {
    return await Promise.race([running, late]);
  } finally {
    clearTimeout(timer);
  }
};
