import type { Response } from "../http/express-objects.ts";
import type { RequestState } from "../pipeline/request-state.ts";
import { recover } from "../pipeline/send-result.ts";
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
  state: RequestState,
  fields: readonly string[],
  onEnd: (reply: RecordedReply) => Promise<void> | undefined,
): void => {
  const { response } = state;
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
  let head: Omit<KeptReply, "body"> = { status: 0, headers: {} };
  let isEnded = false;
  const record = (bytes: Buffer): void => {
    size += bytes.length;
    if (size > maxBytes) chunks.length = 0;
    else chunks.push(bytes);
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
    // Node refuses other chunks
    if (args[0] && !["string", "function"].includes(typeof args[0]) && !isBytes(args[0]))
      return end(...args);
    const bytes = toBytes(args);
    // from now on, nothing can change the head
    if (!response.headersSent) {
      const { statusCode } = response;
      if (![204, 304].includes(statusCode) && !framing.some((name) => response.hasHeader(name)))
        response.setHeader("Content-Length", bytes.length);
      response.writeHead(statusCode);
    }
    isEnded = true;
    record(bytes);
    const body = size > maxBytes ? undefined : Buffer.concat(chunks).toString("latin1");
    const holding = onEnd({ ...head, body });
    if (!holding) return end(...args);
    // the reply is complete, so an error that comes now must not cut it off
    Object.defineProperty(response, "writableEnded", { configurable: true, value: true });
    const send = async (): Promise<void> => {
      await holding;
      Reflect.deleteProperty(response, "writableEnded");
      end(...args);
    };
    send().catch((error: unknown) => recover(state, error));
    return response as never;
  };
};

/** Sets the header fields that `writeHead` was given: an object, or an array of names and values. */
const setFields = (response: Response, given: unknown): void => {
  if (typeof given !== "object" || given === null) return;
  const pairs = Array.isArray(given)
    ? given.flatMap((name, at) => (at % 2 === 0 ? [[name, given[at + 1]]] : []))
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

const isBytes = (chunk: unknown): chunk is Uint8Array => chunk instanceof Uint8Array;

/** Returns the bytes that were passed to `write` or `end`. */
const toBytes = ([chunk, encoding]: readonly unknown[]): Buffer => {
  if (typeof chunk === "string")
    return Buffer.from(chunk, typeof encoding === "string" ? (encoding as BufferEncoding) : "utf8");
  return Buffer.from(isBytes(chunk) ? chunk : "");
};
