import type { Request, Response } from "express";
import type { HandlerArguments } from "../endpoint/handler-arguments.ts";
import { RequestError } from "../errors.ts";
import type { Logger } from "../logger/logger.ts";

/** One request on its walk: what the stages share. */
export class Walk {
  readonly request: Request;
  readonly response: Response;
  readonly logger: Logger;
  /** The combined input; null until it is combined. */
  input: Record<string, unknown> | null = null;
  /** What the middlewares parsed from the input; undefined where none takes input. */
  fields: Record<string, unknown> | undefined = undefined;
  /** What the middlewares returned so far. */
  readonly ctx: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  #abort: AbortController | undefined;

  constructor(request: Request, response: Response, logger: Logger) {
    this.request = request;
    this.response = response;
    this.logger = logger;
  }

  /** Made at its first reading: most handlers never ask for it. */
  get signal(): AbortSignal {
    if (!this.#abort) {
      const abort = (this.#abort = new AbortController());
      const { response } = this;
      const onClose = (): void => {
        if (!response.writableFinished) abort.abort(new Error("The client has left"));
      };
      if (response.closed) onClose();
      else response.once("close", onClose);
    }
    return this.#abort.signal;
  }

  /** Aborts the signal, if anyone has asked for it. */
  abort(reason: Error): void {
    this.#abort?.abort(reason);
  }
}

/** What handlers receive; a class so that `signal` costs nothing unless it is read. */
export class WalkArguments<Input> implements HandlerArguments<Input, Record<string, unknown>> {
  readonly input: Input;
  readonly ctx: Record<string, unknown>;
  readonly logger: Logger;
  readonly request: Request;
  readonly response: Response;
  readonly #walk: Walk;

  constructor(walk: Walk, input: Input) {
    this.input = input;
    this.ctx = walk.ctx;
    this.logger = walk.logger;
    this.request = walk.request;
    this.response = walk.response;
    this.#walk = walk;
  }

  get signal(): AbortSignal {
    return this.#walk.signal;
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
