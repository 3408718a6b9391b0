import type { BuiltRequest } from "./build-request.ts";
import type { Call, SubscribeOptions } from "./call-options.ts";
import {
  AbortedError,
  NetworkError,
  ReplyError,
  TimeoutError,
  UnexpectedBodyError,
} from "./client-errors.ts";
import { createEventParser } from "./parse-events.ts";
import { readReply } from "./read-reply.ts";
import { pause, sendRequest, toWait } from "./send-request.ts";

/** An event of a stream, with its data parsed. */
export interface ReceivedEvent {
  readonly event: string;
  readonly data: unknown;
  readonly id: string | undefined;
  readonly retry: number | undefined;
}

/** The state that is kept from one connection to the next. */
interface Subscription {
  lastEventId: string | undefined;
  /** The upper bound of the first wait, in milliseconds. */
  delay: number;
  /** The number of consecutive connections that delivered no event. */
  failures: number;
}

/**
 * Receives the events of a stream, and reopens the stream when it ends or breaks off.
 *
 * The subscription ends when the server responds with 204, when the signal is aborted, or when the loop over it ends.
 *
 * @throws {@link ReplyError} when the server responds with 4xx, and {@link UnexpectedBodyError} when it sends something
 * other than a stream of JSON events.
 */
export async function* subscribe(
  call: Call & { readonly options: SubscribeOptions },
  request: BuiltRequest,
): AsyncGenerator<ReceivedEvent, void, undefined> {
  const { signal, delay = 1000, maxDelay = 30_000, lastEventId } = call.options;
  const state: Subscription = { lastEventId, delay, failures: 0 };
  for (;;) {
    if (signal?.aborted) return;
    let response: Response | undefined;
    try {
      response = await open(call, request, state);
    } catch (error) {
      if (error instanceof AbortedError) return;
      if (!(error instanceof NetworkError || error instanceof TimeoutError)) throw error;
    }
    if (response?.status === 204) return;
    if (response) yield* readEvents(call, response, state);
    await pause(toWait(state.delay, maxDelay, state.failures++), signal);
  }
}

/** @returns undefined if the caller should try again */
const open = async (
  call: Call,
  request: BuiltRequest,
  { lastEventId }: Subscription,
): Promise<Response | undefined> => {
  const headers: Record<string, string> = { ...request.headers, accept: "text/event-stream" };
  if (lastEventId) headers["last-event-id"] = lastEventId;
  const response = await sendRequest(
    { ...call, options: { ...call.options, retry: 0 } },
    { ...request, headers },
    async (response) => response,
  );
  const { status } = response;
  if (status === 204) return response;
  const type = response.headers.get("content-type") ?? "";
  if (status === 200 && /^text\/event-stream\b/i.test(type)) return response;
  const { body } = await readReply(call, response);
  if (status >= 400 && status < 500) throw new ReplyError(call, response, body);
  if (status < 300) throw new UnexpectedBodyError(call, response, body);
  return undefined;
};

async function* readEvents(
  call: Call,
  response: Response,
  state: Subscription,
): AsyncGenerator<ReceivedEvent, void, undefined> {
  if (!response.body) return;
  const { signal } = call.options;
  const reader = response.body.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  const stop = (): void => void reader.cancel().catch(() => undefined);
  const decoder = new TextDecoder();
  const revive = (event: ReceivedEvent): ReceivedEvent =>
    (call.plan?.reviveEvent?.(event) as ReceivedEvent | undefined) ?? event;
  const parse = createEventParser();
  signal?.addEventListener("abort", stop);
  if (signal?.aborted) stop();
  try {
    for (;;) {
      // a connection that breaks off is treated like one that ends
      const { value } = await reader.read().catch(() => ({ value: undefined }));
      if (!value) return;
      for (const { event, data, id, retry } of parse(decoder.decode(value, { stream: true }))) {
        if (signal?.aborted) return;
        // the id is set event by event, so that undelivered events are requested again
        state.lastEventId = id ?? state.lastEventId;
        state.delay = retry ?? state.delay;
        state.failures = 0;
        if (data.length > 0)
          yield revive({ event, data: parseData(call, response, data.join("\n")), id, retry });
      }
    }
  } finally {
    signal?.removeEventListener("abort", stop);
    stop();
  }
}

const parseData = (call: Call, response: Response, data: string): unknown => {
  try {
    return JSON.parse(data);
  } catch {
    throw new UnexpectedBodyError(call, response, data);
  }
};
