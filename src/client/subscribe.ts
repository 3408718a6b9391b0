import type { BuiltRequest } from "./build-request.ts";
import type { Call, SubscribeOptions } from "./call-options.ts";
import { ReplyError, UnexpectedBodyError } from "./client-errors.ts";
import { readEvents } from "./read-events.ts";
import { readReply } from "./read-reply.ts";
import { isTransient, pause, sendRequest, toWait } from "./send-request.ts";

export interface ReceivedEvent {
  readonly event: string;
  readonly data: unknown;
  readonly id: string | undefined;
  readonly retry: number | undefined;
}

type Subscription = Call & { readonly options: SubscribeOptions };

/**
 * Receives the events of a stream, and reopens the stream when it ends or breaks off.
 *
 * The subscription ends when the server responds with 204, when the signal is aborted, or when the loop over it ends.
 *
 * @throws {@link ReplyError} when the server responds with 4xx, {@link UnexpectedBodyError} when it sends something
 * other than a stream of JSON events, {@link EventSizeError} when an event is too large, and {@link RedirectError}.
 */
export async function* subscribe(
  call: Subscription,
  request: BuiltRequest,
): AsyncGenerator<ReceivedEvent, void, undefined> {
  const { signal, delay = 1000, maxDelay = 30_000 } = call.options;
  let { lastEventId } = call.options;
  let least = delay;
  // the number of consecutive connections that delivered no event
  for (let failures = 0; ; failures++) {
    if (signal?.aborted) return;
    let response: Response | undefined;
    try {
      response = await open(call, request, lastEventId);
    } catch (error) {
      if (!signal?.aborted && !isTransient(error)) throw error;
    }
    if (response?.status === 204) return;
    if (response)
      for await (const { event, data, id, retry } of readEvents(call, response)) {
        // the id is set event by event, so that undelivered events are requested again
        lastEventId = id ?? lastEventId;
        least = Math.max(delay, retry ?? least);
        failures = 0;
        if (data.length === 0) continue;
        const parsed = { event, data: parseData(call, response, data.join("\n")), id, retry };
        yield (call.plan?.reviveEvent?.(parsed) as ReceivedEvent | undefined) ?? parsed;
      }
    await pause(least + toWait(least, maxDelay, failures), signal);
  }
}

/** @returns undefined if the caller should try again */
const open = async (
  call: Call,
  request: BuiltRequest,
  lastEventId: string | undefined,
): Promise<Response | undefined> => {
  const headers: Record<string, string> = { ...request.headers, accept: "text/event-stream" };
  if (lastEventId) headers["last-event-id"] = lastEventId;
  const response = await sendRequest(
    { ...call, options: { ...call.options, retry: 0 } },
    { ...request, headers },
    async (response) => response,
  );
  const { status } = response;
  const type = response.headers.get("content-type") ?? "";
  if (status === 204 || (status === 200 && /^text\/event-stream\b/i.test(type))) return response;
  const { body } = await readReply(call, response);
  if (status >= 400 && status < 500) throw new ReplyError(call, response, body);
  if (status < 300) throw new UnexpectedBodyError(call, response, body);
  return undefined;
};

const parseData = (call: Call, response: Response, data: string): unknown => {
  try {
    return JSON.parse(data);
  } catch {
    throw new UnexpectedBodyError(call, response, data);
  }
};
