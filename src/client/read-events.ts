import type { Call, SubscribeOptions } from "./call-options.ts";
import { EventSizeError } from "./client-errors.ts";

/** A part of an event stream, up to a blank line. */
export interface EventBlock {
  event: string;
  /** The lines of data; a block without data is not an event. */
  readonly data: string[];
  id: string | undefined;
  /** The delay before the client reconnects, in milliseconds. */
  retry: number | undefined;
}

/**
 * Reads an event stream until it ends, breaks off, or the signal is aborted.
 *
 * @throws {@link EventSizeError} when a block, without its comments, is longer than `maxEventSize`.
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */
export async function* readEvents(
  call: Call & { readonly options: SubscribeOptions },
  { body }: Response,
): AsyncGenerator<EventBlock, void, undefined> {
  if (!body) return;
  const { signal, maxEventSize = 2 ** 20 } = call.options;
  const reader = body.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  const stop = (): void => void reader.cancel().catch(() => undefined);
  const decoder = new TextDecoder();
  let block = createBlock();
  let size = 0;
  /** The beginning of a line that has not ended yet. */
  let line = "";
  let endsWithReturn = false;
  signal?.addEventListener("abort", stop);
  if (signal?.aborted) stop();
  try {
    for (;;) {
      const { value } = await reader.read().catch(() => ({ value: undefined }));
      if (!value) return;
      const text = decoder.decode(value, { stream: true });
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
    signal?.removeEventListener("abort", stop);
    stop();
  }
}

const createBlock = (): EventBlock => ({
  event: "message",
  data: [],
  id: undefined,
  retry: undefined,
});

/** Reads a line into a block; returns the length of the line, or 0 for a comment. */
const readLine = (block: EventBlock, line: string): number => {
  const [name = ""] = line.split(":", 1);
  const value = line.slice(name.length + 1).replace(/^ /, "");
  if (name === "event") block.event = value || "message";
  else if (name === "data") block.data.push(value);
  else if (name === "id" && !value.includes("\0")) block.id = value;
  else if (name === "retry" && /^\d+$/.test(value)) block.retry = Number(value);
  return name === "" ? 0 : line.length;
};
