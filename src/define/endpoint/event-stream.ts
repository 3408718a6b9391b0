import { ClientLeft } from "../../basics/errors.ts";
import { readSafely } from "../../wire/reply/http-error.ts";
import {
  EventWriter,
  type EmitOptions,
  type EventStreamSettings,
} from "../../wire/reply/event-writer.ts";
import type { EventSchemas } from "../results/event-stream-result-handler.ts";
import type { SchemaInput } from "../../basics/schemas/schema.ts";
import type { HandlerArguments } from "./handler-arguments.ts";

/** The part of the context with which the handler of an event stream sends events. */
export interface EventStream<Events extends EventSchemas> {
  /**
   * Sends an event; its data is serialised as one line of JSON.
   *
   * Await the returned promise: it resolves once the client can take more, or when the client disconnects. Invalid
   * arguments throw synchronously, except that invalid data rejects the promise if its schema is asynchronous. On a
   * closed stream, the promise rejects with an `AbortError`, which ends the handler.
   *
   * @throws {@link OutputValidationError} when the data does not fit the event's schema.
   * @throws {@link ServerFault} when `id` or `retry` cannot be sent, the data cannot be serialised as JSON, or the
   * event is unknown.
   */
  readonly emit: <Name extends keyof Events & string>(
    event: Name,
    data: SchemaInput<Events[Name]>,
    options?: EmitOptions,
  ) => Promise<void>;
  /** Returns whether the client has disconnected or the response has ended. */
  readonly isClosed: () => boolean;
  /** Aborted when the client disconnects, when the endpoint's own `timeout` expires, or when the stream cannot be sent. */
  readonly signal: AbortSignal;
}

type StreamArguments = HandlerArguments<unknown, unknown>;

export type StreamHandler = (args: StreamArguments, writer: EventWriter) => unknown;

export const runEventStream = async (
  settings: EventStreamSettings,
  handler: StreamHandler,
  args: StreamArguments,
): Promise<void> => {
  const writer = new EventWriter(settings, args);
  const { emit, isClosed, failed } = writer;
  // Node would keep a signal of `AbortSignal.any` in memory as long as the handler listens to it
  const stop = new AbortController();
  const { signal } = stop;
  for (const source of [args.signal, failed]) {
    const onAbort = (): void => {
      // on shutdown, the client sees a clean end and reconnects to another process
      if (readSafely(source.reason, "code") === "SLP_SHUTTING_DOWN") writer.end();
      stop.abort(source.reason);
    };
    if (source.aborted) onAbort();
    else source.addEventListener("abort", onAbort, { once: true });
  }
  const ctx = Object.assign(Object.create(null), args.ctx, { emit, isClosed, signal }) as object;
  try {
    await handler({ ...args, ctx, signal }, writer);
  } catch (error) {
    const isFault = !isClosed() || !isDeparture(error, signal);
    writer.stop();
    failed.throwIfAborted();
    // the end of a stream is no fault, but a transaction around the handler must know that the handler was stopped
    throw isFault ? error : new ClientLeft("The event stream has ended");
  }
  writer.end();
  failed.throwIfAborted();
};

/** Checks whether a handler was stopped by the end of its stream, which is not a fault. */
const isDeparture = (thrown: unknown, signal: AbortSignal): boolean =>
  thrown === signal.reason || readSafely(thrown, "name") === "AbortError";
