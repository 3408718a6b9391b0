import { ClientLeft } from "../errors.ts";
import { readSafely } from "../reply/http-error.ts";
import { EventWriter, type EventStreamSettings } from "./event-stream.ts";
import type { HandlerArguments } from "./handler-arguments.ts";

/** A handler that emits events. */
export type StreamHandler = (args: HandlerArguments<unknown, unknown>) => unknown;

/** Runs a handler that emits events, then ends the stream. */
export const runEventStream = async (
  settings: EventStreamSettings,
  handler: StreamHandler,
  args: HandlerArguments<unknown, unknown>,
): Promise<void> => {
  const { input, logger, request, response } = args;
  const writer = new EventWriter(settings, args);
  const { emit, isClosed, failed } = writer;
  const signal = AbortSignal.any([args.signal, failed]);
  // on shutdown, the client sees a clean end and reconnects to another process
  const onAbort = (): void => {
    if (readSafely(signal.reason, "code") === "SLP_SHUTTING_DOWN") writer.end();
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  const ctx = Object.assign(Object.create(null), args.ctx, { emit, isClosed, signal }) as object;
  try {
    await handler({ input, ctx, logger, request, response, signal });
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
