import type { Request, Response } from "express";
import type { HandlerArguments } from "../endpoint/handler-arguments.ts";
import { RequestError } from "../errors.ts";
import { BareObject } from "../http/bare-object.ts";
import { harmlessCloses, type ListenedResponse } from "../http/node-internals.ts";
import type { Logger } from "../logger/logger.ts";
import type { AnyResultHandler } from "../results/result-handler.ts";
import { stoppables, type StoppableResponse } from "./stoppables.ts";
import { combineInput, type CombinedInput } from "./combine-input.ts";
import type { EndpointPlan } from "./endpoint-plan.ts";

/** The merged return values of a request's middlewares. */
export type WalkContext = Record<string, unknown>;

/** The property of a request that holds its current walk. */
export const currentWalk: unique symbol = Symbol.for("sallyport/walk");

/** A request that may have a walk. */
export type WalkingRequest = Request & { [currentWalk]?: Walk | undefined };

/**
 * The reason with which a signal is aborted when the client has left; a handler that fails with this error is not at
 * fault.
 */
class ClientLeft extends Error {
  override readonly name = "AbortError";
  readonly code = "ABORT_ERR";

  constructor() {
    super("The client disconnected");
  }
}

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
  /** Whether the walk is handling a failure reported through `request.next`. */
  isFailed = false;
  /** The error with which the result handler has been called, if any. */
  handledError: Error | undefined;
  /** Whether the time limit of the walk has expired. */
  isLate = false;
  /** The value of `request.next` while a native middleware runs. */
  next: unknown;
  #abort: AbortController | undefined;
  #reason: Error | undefined;
  /** Called with the reason when the walk is aborted. */
  #waiting: ((reason: Error) => void)[] | undefined;
  #isWatching = false;
  #deadline: Deadline | undefined;

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
      else if (this.#watchClient()) (this.response as StoppableResponse)[stoppables]?.add(this);
    }
    return this.#abort.signal;
  }

  /** Aborts the walk once the client leaves; returns false if the connection is already closed. */
  #watchClient(): boolean {
    const { response } = this;
    const onClose = (): void => {
      (response as StoppableResponse)[stoppables]?.delete(this);
      if (!response.writableFinished) this.abort(new ClientLeft());
    };
    const isClosed = response.closed || this.request.socket.closed;
    if (isClosed) onClose();
    else if (!this.#isWatching) {
      response.on("close", onClose);
      (response as ListenedResponse)[harmlessCloses] =
        ((response as ListenedResponse)[harmlessCloses] ?? 0) + 1;
    }
    this.#isWatching = true;
    return !isClosed;
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

  /** Whether the results of the stages are ignored from now on. */
  get isStopped(): boolean {
    return this.isFailed || this.isLate;
  }

  /**
   * Runs stages with a time limit; the time spent reading the body does not count.
   *
   * @throws {@link RequestError} with 503 when the time limit expires.
   */
  within(limit: TimeLimit, run: () => Promise<void>): Promise<void> {
    this.#deadline = new Deadline(this, limit);
    return this.#deadline.race(run);
  }

  /** Reads the body unless it has been read. */
  takeBody(plan: EndpointPlan): Promise<void> | undefined {
    const { readBody } = this;
    if (!readBody) return undefined;
    this.readBody = undefined;
    const reading = readBody(plan, this);
    return reading && this.#deadline ? this.#deadline.pauseFor(reading) : reading;
  }

  /**
   * Aborts the signal without ending the walk, to ask the code that uses the signal to finish; the signal is aborted
   * even if it is first read later.
   */
  stop(reason: Error): void {
    void this.signal;
    this.#abort?.abort(reason);
  }

  /**
   * Waits for stages, but no longer than until the signal is aborted. A shutdown is an exception, because it lets
   * requests finish. The signal itself is not created, which costs more than the rest of a middleware.
   *
   * @throws the reason with which the signal is aborted
   */
  untilAborted(running: Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      running.then(resolve, reject);
      if (!this.#reason && this.#watchClient()) (this.#waiting ??= []).push(reject);
      else if (this.#reason) reject(this.#reason);
    });
  }

  /** Aborts the signal, even if the signal is first read later. */
  abort(reason: Error): void {
    this.#reason ??= reason;
    this.#abort?.abort(reason);
    for (const reject of this.#waiting ?? []) reject(reason);
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

/** The time limit of a walk. When it expires, the signal is aborted, and the results of the stages are ignored. */
class Deadline {
  readonly #walk: Walk;
  readonly #limit: TimeLimit;
  #left: number;
  #since = 0;
  #timer: NodeJS.Timeout | undefined;
  #expire: () => void = () => undefined;

  constructor(walk: Walk, limit: TimeLimit) {
    this.#walk = walk;
    this.#limit = limit;
    this.#left = limit.milliseconds;
  }

  async race(run: () => Promise<void>): Promise<void> {
    const late = new Promise<never>((_resolve, reject) => {
      this.#expire = () => {
        const error = toTimeout(this.#limit);
        this.#walk.isLate = true;
        this.#walk.abort(error);
        reject(error);
      };
    });
    this.#start();
    try {
      await Promise.race([run(), late]);
    } finally {
      clearTimeout(this.#timer);
    }
  }

  async pauseFor(reading: Promise<void>): Promise<void> {
    clearTimeout(this.#timer);
    this.#left -= performance.now() - this.#since;
    await reading;
    this.#start();
  }

  #start(): void {
    this.#since = performance.now();
    this.#timer = setTimeout(() => this.#expire(), Math.max(1, this.#left));
  }
}

/**
 * Waits for a handler with a time limit; when it expires, the signal is aborted and the handler's result is ignored.
 *
 * @param discard releases a result that comes too late
 * @throws {@link RequestError} with 503 when the time limit expires.
 */
export const withTimeout = async (
  walk: Walk,
  running: unknown,
  milliseconds: number,
  discard?: (returned: unknown) => void,
): Promise<unknown> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      const error = toTimeout({ option: "handlerTimeout", milliseconds });
      walk.abort(error);
      reject(error);
      if (discard) void discardLate(walk, running, discard);
    }, milliseconds);
  });
  try {
    return await Promise.race([running, late]);
  } finally {
    clearTimeout(timer);
  }
};

const discardLate = async (
  { response }: Walk,
  running: unknown,
  discard: (returned: unknown) => void,
): Promise<void> => {
  const returned = await Promise.resolve(running).catch(() => undefined);
  if (returned !== response) discard(returned);
};
