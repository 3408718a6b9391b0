import type { Request, Response } from "express";
import { describeUnknown } from "../checks/unknown-names.ts";
import { OutputValidationError, ServerFault } from "../errors.ts";
import type { Logger } from "../logger/logger.ts";
import { warnSampled } from "../logger/sampling.ts";
import type { EventSchemas } from "../results/event-stream-result-handler.ts";
import { toLoggedPath } from "../results/log-fault.ts";
import { findUnserialisable } from "../results/find-unserialisable.ts";
import { formatIssues, toZodError } from "../schemas/issues.ts";
import type { ParseResult } from "../schemas/parse-result.ts";
import { toParser } from "../schemas/parser.ts";
import type { SchemaInput, ZodSchema } from "../schemas/schema.ts";

/** What an event may carry besides its data. */
export interface EmitOptions {
  /** The client sends it back as `Last-Event-ID` when it reconnects; a text without CR, LF and NUL. */
  readonly id?: string | undefined;
  /** How long the client is to wait before it reconnects, in whole milliseconds. */
  readonly retry?: number | undefined;
}

/** What the handler of an event stream finds in its context. */
export interface EventStream<Events extends EventSchemas> {
  /**
   * Sends an event, its data as one line of JSON.
   *
   * Wait for it: it resolves once the client can take more, and also when the client leaves meanwhile. What is wrong is
   * thrown at once; only where the schema of the data is asynchronous the promise rejects.
   * On a stream that is closed it rejects with an `AbortError`, which ends the handler; unless you wait, that is silent.
   *
   * @throws {@link OutputValidationError} when the data does not fit the event's schema.
   * @throws {@link ServerFault} when `id` or `retry` cannot be sent, the data is no JSON, or there is no such event.
   */
  readonly emit: <Name extends keyof Events & string>(
    event: Name,
    data: SchemaInput<Events[Name]>,
    options?: EmitOptions,
  ) => Promise<void>;
  /** Tells whether the client has left or the response has ended. */
  readonly isClosed: () => boolean;
  /** Aborted when the client has left, and when the endpoint's own `timeout` is over. */
  readonly signal: AbortSignal;
}

/** All that is settled of a stream before the first request. */
export interface EventStreamSettings {
  /** The schema of the data of each event. */
  readonly schemas: ReadonlyMap<string, ZodSchema>;
  readonly heartbeat: number;
  readonly openAfter: number;
  readonly maxBuffered: number;
}

/** A comment, which clients skip. */
const comment = ":\n\n";

const done = Promise.resolve();

/** One event stream that is being sent. */
export class EventWriter {
  readonly #settings: EventStreamSettings;
  readonly #request: Request;
  readonly #response: Response;
  readonly #logger: Logger;
  /** Opens the stream where the first event is late; from then on sends comments. */
  #timer: NodeJS.Timeout | undefined;
  /** What all wait for that have sent more than the client has taken. */
  #room: Promise<void> | undefined;
  #releaseRoom: (() => void) | undefined;
  #isStopped = false;

  constructor(
    settings: EventStreamSettings,
    args: { readonly request: Request; readonly response: Response; readonly logger: Logger },
  ) {
    this.#settings = settings;
    this.#request = args.request;
    this.#response = args.response;
    this.#logger = args.logger;
    this.#response.once("close", this.stop);
    this.#timer = setTimeout(this.#beat, settings.openAfter).unref();
  }

  readonly emit = (event: string, data: unknown, options: EmitOptions = {}): Promise<void> => {
    if (this.isClosed()) return refuse();
    const { schemas } = this.#settings;
    const schema = schemas.get(event);
    if (!schema)
      throw new ServerFault(
        "SLP_EVENT_UNKNOWN",
        describeUnknown("event", event, [...schemas.keys()], { where: "emit" }),
      );
    const head = toHead(event, options);
    const result = toParser(schema)(data);
    return result instanceof Promise
      ? result.then((late) => this.#send(event, head, late))
      : this.#send(event, head, result);
  };

  readonly isClosed = (): boolean =>
    this.#isStopped ||
    this.#response.writableEnded ||
    this.#response.destroyed ||
    this.#request.socket.destroyed;

  /** From now on nothing is written; a reply that has begun stays as it is. */
  readonly stop = (): void => {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    this.#response.off("close", this.stop);
    this.#releaseRoom?.();
  };

  /** Ends the stream, also one without an event. */
  end(): void {
    const wasClosed = this.isClosed();
    this.stop();
    if (wasClosed) return;
    this.#open();
    this.#response.end();
  }

  #send(event: string, head: string, { issues, value }: ParseResult): Promise<void> {
    if (issues.length > 0) {
      const cause = toZodError(issues);
      throw new OutputValidationError(formatIssues(cause.issues, event), cause);
    }
    const text = `${head}data: ${toJson(event, value)}\n\n`;
    if (this.isClosed()) return done;
    if (this.#response.writableLength > this.#settings.maxBuffered) {
      this.#cut();
      return done;
    }
    return this.#write(text) ? done : this.#waitForRoom();
  }

  /** @returns whether the client can take more */
  #write(text: string): boolean {
    const response = this.#response as Response & { flush?: () => void };
    this.#open();
    this.#rest();
    const canTakeMore = response.write(text);
    // compression of the application's own holds back what is not flushed
    response.flush?.();
    // the answer to HEAD is the head alone
    if (this.#request.method === "HEAD") response.end();
    return canTakeMore;
  }

  #open(): void {
    if (this.#response.headersSent) return;
    this.#response.statusCode = 200;
    this.#response.setHeader("Content-Type", "text/event-stream");
    this.#response.setHeader("Cache-Control", "no-cache");
  }

  /** Waits for the time of the next comment; a busy stream needs none. */
  #rest(): void {
    const { heartbeat } = this.#settings;
    clearTimeout(this.#timer);
    if (heartbeat > 0) this.#timer = setTimeout(this.#beat, heartbeat).unref();
  }

  readonly #beat = (): void => {
    if (this.isClosed()) this.stop();
    else if (this.#response.writableNeedDrain) this.#rest();
    else this.#write(comment);
  };

  #waitForRoom(): Promise<void> {
    this.#room ??= new Promise((resolve) => {
      this.#releaseRoom = () => {
        this.#response.off("drain", this.#releaseRoom as () => void);
        this.#room = this.#releaseRoom = undefined;
        resolve();
      };
      this.#response.once("drain", this.#releaseRoom);
    });
    return this.#room;
  }

  /** What a client does not read must not fill the memory. */
  #cut(): void {
    this.stop();
    warnSampled(this.#logger, "event stream", "An event stream is cut: its client is too slow", {
      method: this.#request.method,
      path: toLoggedPath(this.#request),
      buffered: this.#response.writableLength,
    });
    this.#response.destroy();
  }
}

/** The lines before the data. */
const toHead = (event: string, { id, retry }: EmitOptions): string => {
  let head = `event: ${event}\n`;
  if (id !== undefined) {
    // each would end the field, or make clients ignore it
    if (typeof id !== "string" || /[\r\n\0]/.test(id))
      throw new ServerFault(
        "SLP_EVENT_FIELD",
        "emit: `id` must be a text without line breaks and NUL; encode it, as with encodeURIComponent.",
      );
    head += `id: ${id}\n`;
  }
  if (retry !== undefined) {
    if (!Number.isSafeInteger(retry) || retry < 0)
      throw new ServerFault(
        "SLP_EVENT_FIELD",
        "emit: `retry` must be a whole number of milliseconds, 0 or more; round it, as with Math.round.",
      );
    head += `retry: ${retry}\n`;
  }
  return head;
};

const toJson = (event: string, value: unknown): string => {
  let json: string | undefined;
  let cause: unknown;
  try {
    json = JSON.stringify(value);
  } catch (error) {
    cause = error;
  }
  if (json !== undefined) return json;
  const found = findUnserialisable(value, "data");
  const text = `The data of the event ${JSON.stringify(event)} cannot be written as JSON`;
  throw new ServerFault(
    "SLP_OUTPUT_UNSERIALIZABLE",
    found === undefined ? text : `${text}: ${found}`,
    cause,
  );
};

/** A rejection that stops a handler that waits for it, and harms none that does not. */
const refuse = (): Promise<void> => {
  const refusal = Promise.reject(
    Object.assign(new Error("The event stream is closed"), {
      name: "AbortError",
      code: "ABORT_ERR",
    }),
  );
  refusal.catch(() => undefined);
  return refusal;
};
