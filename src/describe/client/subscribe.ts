import type { BuiltRequest } from "./build-request.ts";
import type { Call, SubscribeOptions } from "./call-options.ts";
import { EventSizeError, ReplyError, UnexpectedBodyError } from "./client-errors.ts";
import { readReply } from "./read-reply.ts";
import {
  isTemporary,
  isTransient,
  sendRequest,
  toAskedTime,
  toWait,
  waitFor,
} from "./send-request.ts";

type Subscription = Call & { readonly options: SubscribeOptions };

/** A part of an event stream, up to a blank line. */
interface EventBlock {
  event: string;
  /** The lines of data; a block without data is not an event. */
  readonly data: string[];
  id?: string;
  /** The delay before the client reconnects, in milliseconds. */
  retry?: number;
}

/** @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation */
async function* readEvents(
  call: Subscription,
  { body }: Response,
): AsyncGenerator<EventBlock, void, undefined> {
  if (!body) return;
  const { signal, maxEventSize = 2 ** 20 } = call.options;
  const reader = body.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  const decoder = new TextDecoder();
  let block = createBlock();
  let size = 0;
  /** The beginning of a line that has not ended yet. */
  let line = "";
  let endsWithReturn = false;
  try {
    for (;;) {
      const chunk = await waitFor(Infinity, signal, reader.read()).catch(() => undefined);
      if (!chunk?.value) return;
      const text = decoder.decode(chunk.value, { stream: true });
      // a line break may be split between two chunks
      const parts = text.slice(endsWithReturn && text.startsWith("\n") ? 1 : 0).split(/\r\n?|\n/);
      if (text !== "") endsWithReturn = text.endsWith("\r");
      for (const [index, part] of parts.entries()) {
        if (index > 0) {
          size += readLine(block, line);
          if (line === "") {
            if (signal?.aborted) return;
            yield block;
            block = createBlock();
            size = 0;
          }
          line = "";
        }
        line += part;
        if (size + line.length > maxEventSize) throw new EventSizeError(call, maxEventSize);
      }
    }
  } finally {
    void reader.cancel().catch(() => undefined);
  }
}

const createBlock = (): EventBlock => ({ event: "message", data: [] });

/** Reads a line into a block; returns the length of the line, or 0 for a comment. */
const readLine = (block: EventBlock, line: string): number => {
  const [name = ""] = line.split(":", 1);
  const value = line.slice(name.length + 1).replace(/^ /, "");
  if (name === "event") block.event = value || "message";
  else if (name === "data") block.data.push(value);
  else if (name === "id" && !/[^\t -ÿ]/.test(value)) block.id = value;
  else if (name === "retry" && /^\d+$/.test(value)) block.retry = Number(value);
  return name === "" ? 0 : line.length;
};

/** Receives the events of a stream, and reopens the stream when it ends or breaks off. */
export async function* subscribe(
  call: Subscription,
  request: BuiltRequest,
): AsyncGenerator<unknown, void, undefined> {
  const { signal, delay = 1000, maxDelay = 30_000, lastEventId: first } = call.options;
  let lastEventId = first;
  let least = delay;
  // the number of consecutive connections that delivered no event
  for (let failures = 0; ; failures++) {
    if (signal?.aborted) return;
    let response: Response | undefined;
    let asked = 0;
    try {
      const headers: Record<string, string> = { ...request.headers, accept: "text/event-stream" };
      if (lastEventId) headers["last-event-id"] = lastEventId;
      const once = { ...call, options: { ...call.options, retry: 0 } };
      ({ response } = await sendRequest(once, { ...request, headers }, async (given) => {
        // now, because the body may break off
        asked = toAskedTime(given);
        if (!isStream(given)) await readRefusal(call, given);
        return { response: given };
      }));
    } catch (error) {
      if (!signal?.aborted && !isTransient(error, call)) throw error;
    }
    if (response?.status === 204) return;
    if (response?.ok)
      for await (const { event, data, id, retry } of readEvents(call, response)) {
        // the id is set event by event, so that undelivered events are requested again
        lastEventId = id ?? lastEventId;
        least = Math.max(delay, retry ?? least);
        failures = 0;
        if (data.length === 0) continue;
        yield { event, data: parseData(call, response, data.join("\n")), id, retry };
      }
    await waitFor(Math.max(least, asked) + toWait(least, maxDelay, failures), signal);
  }
}

/** @throws an error when trying again would not help. */
const readRefusal = async (call: Call, response: Response): Promise<void> => {
  const { body } = await readReply(call, response);
  const { status } = response;
  if (status >= 400 && status < 500 && !isTemporary(response))
    throw new ReplyError(call, response, body);
  if (status < 300) throw new UnexpectedBodyError(call, response, body);
};

const isStream = ({ status, headers }: Response): boolean =>
  status === 204 ||
  (status === 200 && /^text\/event-stream\b/i.test(headers.get("content-type") ?? ""));

const parseData = (call: Call, response: Response, data: string): unknown => {
  try {
    return JSON.parse(data);
  } catch {
    throw new UnexpectedBodyError(call, response, data);
  }
};
