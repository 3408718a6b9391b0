import type { Response } from "../http/express-objects.ts";
import type { KeptReply } from "./store.ts";

/** The largest body that is kept, in bytes. */
const maxBytes = 1_048_576;

/** A reply as it is sent; its body is undefined if it is too large. */
export interface RecordedReply extends Omit<KeptReply, "body"> {
  readonly body: string | undefined;
}

type Method = (...args: readonly unknown[]) => never;
type Methods = Record<"end" | "write" | "writeHead", Method>;

/** The header fields with which Node does not need to be told the length of the body. */
const framing = ["Content-Length", "Transfer-Encoding", "Trailer"];

/**
 * Records what is sent with a response, whichever way it is sent. What comes after the end is ignored.
 *
 * @param fields the names of the header fields to record
 * @param onEnd receives the reply before its end is sent, and may return a promise that the end waits for
 */
export const recordReply = (
  response: Response,
  fields: readonly string[],
  onEnd: (reply: RecordedReply) => Promise<void> | undefined,
): void => {
  const methods = response as unknown as Methods;
  const find = (name: keyof Methods): Method => {
    const own = Object.hasOwn(response, name) ? methods[name] : undefined;
    // a shutdown may replace the method of the prototype later
    const toMethod = (): Method => own ?? (Object.getPrototypeOf(response) as Methods)[name];
    return (...args) => Reflect.apply(toMethod(), response, args);
  };
  const [end, write, writeHead] = [find("end"), find("write"), find("writeHead")];
  const chunks: Buffer[] = [];
  let size = 0;
  let head: Omit<KeptReply, "body"> | undefined;
  let isEnded = false;
  const record = (bytes: Buffer | undefined): void => {
    size += bytes?.length ?? 0;
    if (size > maxBytes) chunks.length = 0;
    else if (bytes) chunks.push(bytes);
  };
  methods.writeHead = (status, ...rest) => {
    if (!response.headersSent) {
      setFields(response, rest.at(-1));
      head = { status: Number(status), headers: readFields(response, fields) };
    }
    return writeHead(status, ...rest.filter((one) => typeof one === "string"));
  };
  methods.write = (...args) => {
    if (isEnded) return false as never;
    const isFlowing = write(...args);
    record(toBytes(args));
    return isFlowing;
  };
  methods.end = (...args) => {
    if (isEnded) return response as never;
    const bytes = toBytes(args);
    // from now on, nothing can change the head
    if (!response.headersSent) {
      const { statusCode } = response;
      if (![204, 304].includes(statusCode) && !framing.some((name) => response.hasHeader(name)))
        response.setHeader("Content-Length", bytes?.length ?? 0);
      response.writeHead(statusCode);
    }
    isEnded = true;
    record(bytes);
    const { status, headers } = head ?? { status: response.statusCode, headers: {} };
    const body = size > maxBytes ? undefined : Buffer.concat(chunks).toString("latin1");
    const holding = onEnd({ status, headers, body });
    if (!holding) return end(...args);
    // the reply is complete, so an error that comes now must not cut it off
    Object.defineProperty(response, "writableEnded", { configurable: true, value: true });
    void holding.finally(() => end(...args));
    return response as never;
  };
};

/** Sets the header fields that `writeHead` was given: an object, an array of pairs, or one of names and values. */
const setFields = (response: Response, given: unknown): void => {
  if (typeof given !== "object" || given === null) return;
  const toPair = (name: unknown, index: number, all: readonly unknown[]): unknown[] =>
    index % 2 === 0 ? [[name, all[index + 1]]] : [];
  const isFlat = Array.isArray(given) && !Array.isArray(given[0]);
  const pairs = isFlat
    ? given.flatMap(toPair)
    : Array.isArray(given)
      ? given
      : Object.entries(given);
  for (const [name] of pairs as [string][]) response.removeHeader(name);
  for (const [name, value] of pairs as [string, string][]) response.appendHeader(name, value);
};

const readFields = (response: Response, names: readonly string[]): KeptReply["headers"] =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = response.getHeader(name);
      if (value === undefined) return [];
      return [[name, Array.isArray(value) ? value : String(value)] as const];
    }),
  );

/** Returns the bytes that were passed to `write` or `end`. */
const toBytes = ([chunk, encoding]: readonly unknown[]): Buffer | undefined => {
  if (typeof chunk === "string")
    return Buffer.from(chunk, typeof encoding === "string" ? (encoding as BufferEncoding) : "utf8");
  return chunk instanceof Uint8Array ? Buffer.from(chunk) : undefined;
};
