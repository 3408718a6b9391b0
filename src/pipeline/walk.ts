import type { Request, Response } from "express";
import type { HandlerArguments } from "../endpoint/handler-arguments.ts";
import { RequestError } from "../errors.ts";
import { BareObject } from "../http/bare-object.ts";
import type { Logger } from "../logger/logger.ts";
import type { AnyResultHandler } from "../results/result-handler.ts";

/** What the middlewares of a request returned. */
export type WalkContext = Record<string, unknown>;

/** Marks the walk of a request that is under way. */
export const currentWalk: unique symbol = Symbol.for("sallyport/walk");

/** A request that may know its walk. */
export type WalkingRequest = Request & { [currentWalk]?: Walk | undefined };

/** The reason of a signal when nobody waits for the response any more; to fail because of it is no fault. */
class ClientLeft extends Error {
  override readonly name = "AbortError";
  readonly code = "ABORT_ERR";

  constructor() {
    super("The client has left");
  }
}

/** One request on its walk: what the stages share. */
export class Walk {
  readonly request: Request;
  readonly response: Response;
  readonly logger: Logger;
  /** What formats and sends the result of this walk. */
  readonly resultHandler: AnyResultHandler;
  readonly ctx: WalkContext;
  /** The combined input as it came; null until it is combined. */
  combined: Record<string, unknown> | null = null;
  /** Whether a failure that came in from the side, by `request.next`, is being answered. */
  isFailed = false;
  #abort: AbortController | undefined;
  #reason: Error | undefined;

  constructor(
    request: Request,
    response: Response,
    logger: Logger,
    resultHandler: AnyResultHandler,
    ctx: WalkContext = new BareObject(),
  ) {
    this.request = request;
    this.response = response;
    this.logger = logger;
    this.resultHandler = resultHandler;
    this.ctx = ctx;
  }

  /** Made at its first reading: most handlers never ask for it. */
  get signal(): AbortSignal {
    if (!this.#abort) {
      const abort = (this.#abort = new AbortController());
      const { response } = this;
      const onClose = (): void => {
        if (!response.writableFinished) abort.abort(new ClientLeft());
      };
      if (this.#reason) abort.abort(this.#reason);
      else if (response.closed || this.request.socket.closed) onClose();
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

/** What a handler receives; a class so that `signal` costs nothing unless it is read. */
export class WalkArguments<Input> implements HandlerArguments<Input, WalkContext> {
  readonly input: Input;
  readonly ctx: WalkContext;
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
