import type { Request, Response } from "express";
import type { HandlerArguments } from "../endpoint/handler-arguments.ts";
import { ClientLeft, RequestError } from "../errors.ts";
import { BareObject } from "../http/bare-object.ts";
import { harmlessCloses, type ListenedResponse } from "../http/node-internals.ts";
import type { Logger } from "../logger/logger.ts";
import { findSocket } from "../http/find-socket.ts";
import type { AnyResultHandler } from "../results/result-handler.ts";
import { combineInput, type CombinedInput } from "./combine-input.ts";
import type { EndpointPlan } from "./endpoint-plan.ts";

/** The merged return values of a request's middlewares. */
export type WalkContext = Record<string, unknown>;

/** The property of a request that holds its current walk. */
export const currentWalk: unique symbol = Symbol.for("sallyport/walk");

/** A request that may have a walk. */
export type WalkingRequest = Request & { [currentWalk]?: Walk | undefined };

/** Reads and parses the body of a request unless it has already been read; provided by the server. */
export type ReadBody = (plan: EndpointPlan, walk: Walk) => Promise<void> | undefined;

/** The parts of a plan that determine how the input of a walk is combined. */
export type InputPlan = Pick<EndpointPlan, "sources" | "fileLists" | "textLists">;

/** A placeholder for an output that is not sent because the response has already been sent or the client has left. */
export const noOutput: unique symbol = Symbol("no output");

/** One request's walk through the stages of an endpoint, with the state that the stages share. */
export class Walk {
  readonly request: Request;
  readonly response: Response;
  readonly logger: Logger;
  /** Formats and sends the result of this walk. */
  resultHandler: AnyResultHandler;
  readonly ctx: WalkContext;
  /** Reads the body; undefined if no stage needs the body, or once it has been read. */
  readBody: ReadBody | undefined;
  /** How the input is combined; undefined if no endpoint was reached. */
  plan: InputPlan | undefined;
  /** The combined input before validation; null until a stage asks for it. */
  combined: Record<string, unknown> | null = null;
  /** The validated fields of the middlewares; undefined if none of them has an input. */
  fields: Record<string, unknown> | undefined;
  /** The validated output, or `noOutput`. */
  output: unknown = noOutput;
  /** The data of the error to be sent, parsed with the schema that the endpoint declares. */
  errorData: unknown;
  /** The endpoint's validated input, if a middleware has asked for it. */
  input: { readonly value: unknown } | undefined;
  /**
   * The error that was sent although stages are still running: the time limit has expired, or `request.next` was called
   * with an error. The results of these stages are ignored.
   */
  failure: Error | undefined;
  /** Whether `request.next` was called with an error. */
  isFailed = false;
  /** Whether the time limit has expired; stages may still be running then. */
  isLate = false;
  place = -1;
  /** Whether the response has been sent, or given up. */
  isAnswered = false;
  /** Whether all stages have ended after the time limit. */
  isEnded = false;
  /** The error with which the result handler has been called, if any. */
  handledError: Error | undefined;
  /** The value of `request.next` while a native middleware runs. */
  next: unknown;
  #abort: AbortController | undefined;
  #reason: Error | undefined;
  #deadline: Deadline | undefined;
  #rejectLate: ((error: unknown) => void) | undefined;

  constructor(
    request: Request,
    response: Response,
    logger: Logger,
    resultHandler: AnyResultHandler,
    ctx: WalkContext = new BareObject(),
    readBody?: ReadBody,
  ) {
    this.request = request;
    this.response = response;
    this.logger = logger;
    this.resultHandler = resultHandler;
    this.ctx = ctx;
    this.readBody = readBody;
  }

  /** The signal for handlers, created when first read because most handlers never use it. */
  get signal(): AbortSignal {
    if (!this.#abort) {
      this.#abort = new AbortController();
      if (this.#reason) this.#abort.abort(this.#reason);
      else this.#watchClient();
    }
    return this.#abort.signal;
  }

  /** Aborts the walk once the client leaves. */
  #watchClient(): void {
    const response: ListenedResponse & Response = this.response;
    const onClose = (): void => {
      if (!response.writableFinished) this.abort(new ClientLeft());
    };
    if (response.closed || findSocket(response)?.closed) onClose();
    else {
      response.on("close", onClose);
      response[harmlessCloses] = (response[harmlessCloses] ?? 0) + 1;
    }
  }

  /**
   * Returns the combined input; it is created when a stage first asks for it, and created anew after a native
   * middleware.
   */
  combine(plan: InputPlan): CombinedInput {
    return (this.combined ??= combineInput(
      this.request,
      plan.sources,
      plan.fileLists,
      plan.textLists,
    ));
  }

  /**
   * Runs stages that have a time limit, or whose handler has one; the time spent reading the body does not count. When a
   * limit expires, the promise rejects at once, and `onEnd` is called once the stages have settled.
   *
   * @throws {@link RequestError} with 503 when the time limit expires.
   */
  async within(
    limit: TimeLimit | undefined,
    run: () => Promise<void>,
    onEnd: (late: { readonly error?: unknown }) => void,
  ): Promise<void> {
    const late = new Promise<never>((_resolve, reject) => {
      this.#rejectLate = reject;
    });
    const deadline = limit && (this.#deadline = new Deadline(limit, () => this.#expire(limit)));
    let stages: Promise<void> | undefined;
    try {
      deadline?.start();
      stages = run();
      await Promise.race([stages, late]);
    } finally {
      deadline?.stop();
      if (this.isLate)
        stages
          ?.then(
            () => onEnd({}),
            (error: unknown) => onEnd({ error }),
          )
          .catch((error: unknown) => this.logger.error("Server fault", { error }));
    }
  }

  /** Waits for the handler within its own time limit, in milliseconds. */
  async withinHandlerLimit(running: unknown, milliseconds: number): Promise<unknown> {
    const limit = { option: "handlerTimeout", milliseconds } as const;
    const deadline = new Deadline(limit, () => this.#expire(limit));
    deadline.start();
    try {
      return await running;
    } finally {
      deadline.stop();
    }
  }

  #expire(limit: TimeLimit): void {
    try {
      this.isLate = true;
      const error = toTimeout(limit);
      this.failure ??= error;
      this.abort(error);
      this.#rejectLate?.(error);
    } catch (defect) {
      this.#rejectLate?.(defect);
    }
  }

  /** The time limit of the stages, in milliseconds; undefined if there is none. */
  get timeLimit(): number | undefined {
    return this.#deadline?.limit.milliseconds;
  }

  /** Reads the body unless it has been read. */
  takeBody(plan: EndpointPlan): Promise<void> | undefined {
    const { readBody } = this;
    if (!readBody) return undefined;
    this.readBody = undefined;
    const reading = readBody(plan, this);
    return reading && this.#deadline ? this.#deadline.pauseFor(reading) : reading;
  }

  /** Asks the code that uses the signal to finish; the signal is aborted even if it is first read later. */
  abort(reason: Error): void {
    this.#reason ??= reason;
    this.#abort?.abort(reason);
  }
}

/**
 * The argument of a handler. A class lets `signal` be a getter on the prototype, which costs nothing unless it is read.
 */
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

/** A time limit, and the option that sets it. */
export interface TimeLimit {
  readonly option: "handlerTimeout" | "requestTimeout" | "timeout";
  readonly milliseconds: number;
}

/** Creates the error for an expired time limit; its cause, which only the log shows, names the limit. */
const toTimeout = ({ option, milliseconds }: TimeLimit): RequestError =>
  new RequestError("SLP_HANDLER_TIMEOUT", {
    cause: new Error(
      `The \`${option}\` of ${milliseconds} ms expired${option === "timeout" ? " (the endpoint's own limit)" : ""}`,
    ),
  });

/** The time limit of a walk, or of its handler. */
class Deadline {
  readonly limit: TimeLimit;
  readonly #onExpire: () => void;
  #left: number;
  #since = 0;
  #isOver = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(limit: TimeLimit, onExpire: () => void) {
    this.limit = limit;
    this.#left = limit.milliseconds;
    this.#onExpire = onExpire;
  }

  start(): void {
    if (this.#isOver) return;
    this.#since = performance.now();
    this.#timer = setTimeout(this.#onExpire, Math.max(1, this.#left));
  }

  stop(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  async pauseFor(reading: Promise<void>): Promise<void> {
    clearTimeout(this.#timer);
    this.#left -= performance.now() - this.#since;
    try {
      await reading;
    } finally {
      this.start();
    }
  }
}
