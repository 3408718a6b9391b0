import type { BuiltRequest } from "./build-request.ts";
import type { Call, SubscribeOptions } from "./call-options.ts";
import {
  AbortedError,
  NetworkError,
  ReplyError,
  TimeoutError,
  UnexpectedBodyError,
} from "./client-errors.ts";
import { createEventParser, type RawEvent } from "./parse-events.ts";
import { readReply } from "./read-reply.ts";
import { pause, sendRequest } from "./send-request.ts";

/** An event of a stream, its data parsed. */
export interface ReceivedEvent {
  readonly event: string;
  readonly data: unknown;
  readonly id?: string;
  readonly retry?: number;
}

/** What lasts from one connection to the next. */
interface Subscription {
  lastEventId: string | undefined;
  /** The upper bound of the first wait, in milliseconds. */
  delay: number;
  /** How many connections in a row have brought nothing. */
  failures: number;
}

/**
 * Receives the events of a stream, and opens it anew when it ends or breaks off.
 *
 * It ends when the server answers 204, when the signal is aborted, and when the loop over it does.
 *
 * @throws {@link ReplyError} when the server refuses with 4xx, and {@link UnexpectedBodyError} when it sends no stream.
 */
export async function* subscribe(
  call: Call & { readonly options: SubscribeOptions },
  request: BuiltRequest,
): AsyncGenerator<ReceivedEvent, void, undefined> {
  const { signal, delay = 1000, maxDelay = 30_000, lastEventId } = call.options;
  const state: Subscription = { lastEventId, delay, failures: 0 };
  while (!signal?.aborted) {
    let response: Response | undefined;
    try {
      response = await open(call, request, state);
    } catch (error) {
      if (error instanceof AbortedError) return;
      if (!(error instanceof NetworkError || error instanceof TimeoutError)) throw error;
    }
    if (response?.status === 204) return;
    if (response) yield* readEvents(call, response, state);
    // random, so that clients that were cut off together do not come back together
    const bound = Math.min(maxDelay, state.delay * 2 ** state.failures++);
    await pause(bound * (0.5 + Math.random() / 2), signal);
  }
}

/** @returns undefined where it is to be tried again */
const open = async (
  call: Call,
  request: BuiltRequest,
  { lastEventId }: Subscription,
): Promise<Response | undefined> => {
  const headers: Record<string, string> = { ...request.headers, accept: "text/event-stream" };
  if (lastEventId !== undefined && lastEventId !== "") headers["last-event-id"] = lastEventId;
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
  let events: (RawEvent & { readonly after: string | undefined })[] = [];
  let received = state.lastEventId;
  const parse = createEventParser({
    onEvent: (event) => events.push({ ...event, after: received }),
    onId: (id) => (received = id),
    onRetry: (milliseconds) => (state.delay = milliseconds),
  });
  signal?.addEventListener("abort", stop);
  if (signal?.aborted) stop();
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(() => ({ done: true, value: undefined }));
      if (done || signal?.aborted) return;
      parse(decoder.decode(value, { stream: true }));
      const batch = events;
      events = [];
      for (const { after, ...event } of batch) {
        // what was not handed over yet is asked for again
        state.lastEventId = after;
        state.failures = 0;
        yield toEvent(call, response, event);
        if (signal?.aborted) return;
      }
      state.lastEventId = received;
    }
  } finally {
    signal?.removeEventListener("abort", stop);
    stop();
  }
}

const toEvent = (call: Call, response: Response, { event, data, id, retry }: RawEvent) => {
  let parsed: unknown;
  try {
    parsed = JSON.parse(data);
  } catch {
    throw new UnexpectedBodyError(call, response, data);
  }
  return {
    event,
    data: parsed,
    ...(id !== undefined && { id }),
    ...(retry !== undefined && { retry }),
  };
};
