import { isUtf8 } from "node:buffer";
import { isJsonType } from "./body-type.ts";

/** A reply as it was received. */
export interface Received {
  readonly status: number;
  readonly headers: Headers;
  /** The media type in lower case, without parameters; empty if there is none. */
  readonly type: string;
  readonly text: string;
  /** Whether the body is valid UTF-8. */
  readonly isUtf8: boolean;
  /** The parsed body; undefined unless it is JSON. */
  readonly json: unknown;
  /** The events of a stream, as far as they were read. */
  readonly events: readonly StreamEvent[];
}

export const isSuccess = ({ status }: Received): boolean => status >= 200 && status < 300;

export type StreamEvent = Readonly<Record<string, string | number>>;

export const isEventStream = ({ headers }: Response): boolean =>
  /^text\/event-stream *(?:;|$)/i.test(headers.get("content-type") ?? "");

/** Reads a reply; of a stream, only the first events. */
export const receive = async (response: Response, patience: number): Promise<Received> => {
  const { status, headers } = response;
  const [type = ""] = (headers.get("content-type") ?? "").toLowerCase().split(";", 1);
  const isStream = isEventStream(response);
  const bytes = isStream ? undefined : await readBytes(response);
  const text = bytes ? new TextDecoder().decode(bytes) : await readStart(response, patience);
  return {
    ...{ status, headers, type: type.trim(), text, isUtf8: !bytes || isUtf8(bytes) },
    json: isJsonType(type) ? parse(text) : undefined,
    events: isStream ? parseEvents(text) : [],
  };
};

/** A body that does not end must not fill the memory. */
const maxBytes = 64 * 1024 * 1024;

/** @throws {@link TooLarge} when there are more bytes than a reply of an API has. */
const readBytes = async ({ body }: Response): Promise<Buffer> => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (body as AsyncIterable<Uint8Array> | null) ?? []) {
    size += chunk.length;
    if (size > maxBytes) throw new TooLarge("The body has more than 64 MiB.");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

export class TooLarge extends Error {}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Reads the first events, as many as come without a pause, then leaves. */
const readStart = async ({ body }: Response, patience: number): Promise<string> => {
  const reader = (body as ReadableStream<Uint8Array> | null)?.getReader();
  if (!reader) return "";
  const decoder = new TextDecoder();
  let text = "";
  let timer: NodeJS.Timeout | undefined;
  try {
    while (text.split("\n\n").length <= 10) {
      const pause = new Promise<undefined>((resolve) => {
        // a channel tells its position at once, and may then have nothing else to tell
        timer = setTimeout(resolve, /^(?:data|id):/m.test(text) ? 20 : patience, undefined);
      });
      const chunk = await Promise.race([reader.read(), pause]);
      clearTimeout(timer);
      if (!chunk || chunk.done) break;
      text += decoder.decode(chunk.value, { stream: true });
    }
  } finally {
    clearTimeout(timer);
    await reader.cancel().catch(() => undefined);
  }
  return text;
};

/** @see https://html.spec.whatwg.org/multipage/server-sent-events.html */
const parseEvents = (text: string): readonly StreamEvent[] =>
  text
    .split("\n\n")
    .slice(0, -1)
    .flatMap((block) => {
      const event: Record<string, string | number> = {};
      for (const line of block.split("\n")) {
        const [, name = "", value = ""] = /^([^:]+): ?(.*)$/s.exec(line) ?? [];
        if (name === "data" && "data" in event) event["data"] = `${event["data"]}\n${value}`;
        else if (name) event[name] = name === "retry" ? Number(value) : value;
      }
      return "data" in event ? [event] : [];
    });
