import type { Response } from "../../basics/http/express-objects.ts";
import { holdEnd, replaceMethods } from "./replace-methods.ts";

/** A reply as it was sent. */
export interface RecordedReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** The bytes of the body, one per character. */
  readonly body: string;
}

interface Recording {
  /** The header fields that are recorded. */
  readonly fields: readonly string[];
  /** How much of a body is recorded. */
  readonly maxBytes: number;
}

/** The header fields with which Node does not need to be told the length of the body. */
const framing = ["Content-Length", "Transfer-Encoding", "Trailer"];

/**
 * Records what is sent with a response, whichever way it is sent. What comes after the end is ignored.
 *
 * @param onEnd receives the reply before its end is sent, and may return a promise that the end waits for; a body that is
 * too large ends at any place after `maxBytes`
 * @param onFailure receives what prevents the end from being sent
 */
export const recordReply = (
  response: Response,
  { fields, maxBytes }: Recording,
  onEnd: (reply: RecordedReply) => Promise<void> | undefined,
  onFailure: (error: unknown) => void,
): void => {
  let head: Omit<RecordedReply, "body"> = { status: 0, headers: {} };
  let body = "";
  let isEnded = false;
  const record = (bytes: Buffer): void => {
    if (body.length <= maxBytes) body += bytes.toString("latin1", 0, maxBytes + 1);
  };
  replaceMethods(response, {
    writeHead: (original) =>
      function (status, ...rest) {
        if (!response.headersSent) {
          setFields(response, rest.at(-1));
          const headers: Record<string, string | readonly string[]> = {};
          for (const name of fields) {
            const value = response.getHeader(name);
            if (value !== undefined) headers[name] = Array.isArray(value) ? value : String(value);
          }
          head = { status: Number(status), headers };
        }
        const reason = rest.filter((one) => typeof one === "string");
        return Reflect.apply(original, response, [status, ...reason]);
      },
    write: (original) =>
      function (...args) {
        if (isEnded) return false;
        const isFlowing = Reflect.apply(original, response, args);
        record(toBytes(args));
        return isFlowing;
      },
    end: (original) =>
      function (...args) {
        if (isEnded) return response;
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
        const holding = onEnd({ ...head, body });
        if (!holding) return Reflect.apply(original, response, args);
        const release = holdEnd(response);
        const send = (): void => {
          release();
          Reflect.apply(original, response, args);
        };
        holding.then(send).catch(onFailure);
        return response;
      },
  });
};

/** Sets the header fields that `writeHead` was given: an object, or an array of names and values. */
const setFields = (response: Response, given: unknown): void => {
  if (typeof given !== "object" || given === null) return;
  const list = (Array.isArray(given) ? given : Object.entries(given).flat()) as string[];
  const pairs = list.flatMap((name, at) => (at % 2 === 0 ? [[name, list[at + 1]]] : []));
  for (const [name] of pairs as [string][]) response.removeHeader(name);
  for (const [name, value] of pairs as [string, string][]) response.appendHeader(name, value);
};

/** Returns the bytes that were passed to `write` or `end`; throws, as these do, if the chunk is of another type. */
const toBytes = ([chunk, encoding]: readonly unknown[]): Buffer => {
  if (!chunk || typeof chunk === "function") return Buffer.alloc(0);
  if (typeof chunk !== "string") return Buffer.concat([chunk as Uint8Array]);
  return Buffer.from(chunk, typeof encoding === "string" ? (encoding as BufferEncoding) : "utf8");
};
