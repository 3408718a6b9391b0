import type { Request, Response } from "express";
import { ClientLeft, ServerFault } from "../../basics/errors.ts";
import { findSocket } from "../exchange/node-response.ts";
import { toLoggedPath } from "../../basics/http/logged-path.ts";
import type { Logger } from "../../basics/logger/logger.ts";
import { warnSampled } from "../../basics/logger/sampling.ts";
import { describeUnknown } from "../../basics/messages/unknown-names.ts";
import { formatIssues, OutputValidationError, toZodError } from "../../basics/schemas/issues.ts";
import { toParser, type ParseResult } from "../../basics/schemas/parser.ts";
import type { ZodSchema } from "../../basics/schemas/schema.ts";
import { toUnserialisable } from "./find-unserialisable.ts";

/** The optional fields of an event. */
export interface EmitOptions {
  /**
   * The id of the event: printable ASCII, without spaces at its ends. The client sends it back as `Last-Event-ID` when
   * it reconnects.
   */
  readonly id?: string | undefined;
  /** How long the client should wait before it reconnects, in whole milliseconds. */
  readonly retry?: number | undefined;
}

export interface EventStreamSettings {
  readonly schemas: ReadonlyMap<string, ZodSchema>;
  readonly heartbeat: number;
  readonly openAfter: number;
  readonly maxBuffered: number;
}

interface Recipient {
  readonly request: Request;
  readonly response: Response;
  readonly logger: Logger;
}

const done = Promise.resolve();

/** Writes the events of a stream to a response. */
export class EventWriter {
  /** Returns what is sent when the stream has been silent for some time: a comment, which clients ignore. */
  toHeartbeat = (): string => ":\n\n";
  readonly #settings: EventStreamSettings;
  readonly #to: Recipient;
  readonly #response: Response;
  /** The timer that opens the stream if the first event is late, and afterwards sends comments. */
  #timer: NodeJS.Timeout | undefined;
  /** Resolves once the client can take more; shared by all callers that wait. */
  #room: Promise<void> | undefined;
  #releaseRoom: (() => void) | undefined;
  #isStopped = false;
  readonly #failure = new AbortController();
  /** Aborted when the stream cannot be sent; the reason is the error. */
  readonly failed: AbortSignal = this.#failure.signal;

  constructor(settings: EventStreamSettings, to: Recipient) {
    this.#settings = settings;
    this.#to = to;
    this.#response = to.response;
    this.#response.once("close", this.stop);
    this.#timer = setTimeout(this.#beat, settings.openAfter).unref();
  }

  readonly emit = (event: string, data: unknown, options: EmitOptions = {}): Promise<void> => {
    if (this.isClosed()) return refuse();
    const schema = toEventSchema("emit", this.#settings.schemas, event);
    const head = toHead(event, options);
    const result = toParser(schema)(data);
    if (!(result instanceof Promise)) return this.#send(event, head, result);
    const sending = result.then((late) => this.#send(event, head, late));
    // a handler that does not await this promise must not cause an unhandled rejection
    sending.catch(() => undefined);
    return sending;
  };

  readonly isClosed = (): boolean =>
    this.#isStopped ||
    this.#response.writableEnded ||
    this.#response.destroyed ||
    findSocket(this.#response)?.destroyed === true;

  /** Stops further writes; a response that has begun is not touched. */
  readonly stop = (): void => {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    this.#response.off("close", this.stop);
    this.#releaseRoom?.();
  };

  /** Ends the stream, even if it has sent no event. */
  end(): void {
    const wasClosed = this.isClosed();
    this.stop();
    if (wasClosed) return;
    this.attempt(() => {
      this.#open();
      this.#response.end();
    });
  }

  /** Sends something in an event, where an error would end the process; it stops the stream instead. */
  attempt(send: () => void): void {
    try {
      send();
    } catch (error) {
      this.stop();
      this.#failure.abort(error);
    }
  }

  #send(event: string, head: string, result: ParseResult): Promise<void> {
    const text = `${head}data: ${toEventData(event, result)}\n\n`;
    if (this.isClosed()) return done;
    if (this.#response.writableLength > this.#settings.maxBuffered) {
      this.cut(this.#response.writableLength);
      return done;
    }
    return this.write(text) ? done : this.waitForRoom();
  }

  /** @returns whether the client can take more */
  write(text: string): boolean {
    const response = this.#response as Response & { flush?: () => void };
    this.#open();
    this.#rest();
    const canTakeMore = response.write(text);
    // compression added by the application buffers until it is flushed
    response.flush?.();
    // the response to HEAD has no body
    if (this.#to.request.method === "HEAD") response.end();
    return canTakeMore;
  }

  #open(): void {
    if (this.#response.headersSent) return;
    this.#response.statusCode = 200;
    this.#response.setHeader("Content-Type", "text/event-stream");
    this.#response.setHeader("Cache-Control", "no-cache");
  }

  /** Schedules the next comment; each event postpones it. */
  #rest(): void {
    const { heartbeat } = this.#settings;
    clearTimeout(this.#timer);
    if (heartbeat > 0) this.#timer = setTimeout(this.#beat, heartbeat).unref();
  }

  readonly #beat = (): void => {
    if (this.isClosed()) this.stop();
    else if (this.#response.writableNeedDrain) this.#rest();
    else this.attempt(() => this.write(this.toHeartbeat()));
  };

  waitForRoom(): Promise<void> {
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

  /** Disconnects a slow client, whose unread events would fill the memory. */
  cut(buffered: number): void {
    this.stop();
    const { logger, request } = this.#to;
    const meta = { method: request.method, path: toLoggedPath(request), buffered };
    const text = "An event stream was cut off: its client is too slow";
    warnSampled(logger, "event stream", text, meta);
    this.#response.destroy();
  }
}

const toHead = (event: string, { id, retry }: EmitOptions): string => {
  let head = `event: ${event}\n`;
  if (id !== undefined) {
    // clients would ignore other characters, or send back something else: browsers UTF-8, which Node reads as Latin-1
    if (typeof id !== "string" || /[^ -~]|^ | $/.test(id))
      throw new ServerFault(
        "SLP_EVENT_FIELD",
        "emit: `id` must be a string of printable ASCII without spaces at its ends, so that clients can send it back; encode it, for example with encodeURIComponent.",
      );
    head += `id: ${id}\n`;
  }
  if (retry !== undefined) {
    if (!Number.isSafeInteger(retry) || retry < 0)
      throw new ServerFault(
        "SLP_EVENT_FIELD",
        "emit: `retry` must be a whole number of milliseconds, 0 or more; round it, for example with Math.round.",
      );
    head += `retry: ${retry}\n`;
  }
  return head;
};

export const toEventSchema = (
  where: string,
  schemas: ReadonlyMap<string, ZodSchema>,
  event: string,
): ZodSchema => {
  const schema = schemas.get(event);
  if (schema) return schema;
  throw new ServerFault(
    "SLP_EVENT_UNKNOWN",
    describeUnknown("event", event, [...schemas.keys()], { where }),
  );
};

export const toEventData = (event: string, { issues, value }: ParseResult): string => {
  if (issues.length > 0) {
    const cause = toZodError(issues);
    throw new OutputValidationError(formatIssues(cause.issues, event), cause);
  }
  let json: string | undefined;
  let cause: unknown;
  try {
    json = JSON.stringify(value);
  } catch (error) {
    cause = error;
  }
  if (json !== undefined) return json;
  throw toUnserialisable(`The data of the event ${JSON.stringify(event)}`, value, "data", cause);
};

/** Returns a rejected promise, which stops a handler that awaits it and is harmless otherwise. */
const refuse = (): Promise<void> => {
  const refusal = Promise.reject(new ClientLeft("The event stream is closed"));
  refusal.catch(() => undefined);
  return refusal;
};
