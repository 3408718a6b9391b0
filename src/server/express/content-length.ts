import type { ServerResponse } from "node:http";
import { readContentLength } from "../../http/node-internals.ts";

/** The property of a response that holds the number of body bytes passed to `write`. */
export const writtenBytes: unique symbol = Symbol("written bytes");

/** A response whose body bytes are counted. */
export type CountedResponse = ServerResponse & { [writtenBytes]?: number };

/** Returns the number of bytes in a chunk; 0 for anything but a string or bytes, which Node rejects. */
const countBytes = (chunk: unknown, encoding: unknown): number => {
  if (typeof chunk === "string")
    return Buffer.byteLength(
      chunk,
      typeof encoding === "string" ? (encoding as BufferEncoding) : "utf8",
    );
  return chunk instanceof Uint8Array ? chunk.byteLength : 0;
};

/** Returns the Content-Length that is sent or will be sent; undefined if there is none or the response has no body. */
const readLength = (response: ServerResponse): number | undefined => {
  const { statusCode } = response;
  if (statusCode === 204 || statusCode === 304) return undefined;
  if (response.headersSent) return readContentLength(response);
  const given = response.getHeader("content-length");
  return given === undefined ? undefined : Number(given);
};

/** Counts a chunk; returns the Content-Length if the body is longer than that with this chunk. */
export const countChunk = (
  response: CountedResponse,
  chunk: unknown,
  encoding: unknown,
): number | undefined => {
  const written = (response[writtenBytes] ?? 0) + countBytes(chunk, encoding);
  response[writtenBytes] = written;
  const length = readLength(response);
  return length !== undefined && written > length ? length : undefined;
};

/**
 * Counts the last chunk; returns the Content-Length if the body has another length. A Content-Length that has not been
 * sent yet is corrected.
 */
export const countLastChunk = (
  response: CountedResponse,
  chunk: unknown,
  encoding: unknown,
): number | undefined => {
  const length = readLength(response);
  if (length === undefined) return undefined;
  const written = (response[writtenBytes] ?? 0) + countBytes(chunk, encoding);
  if (length === written) return undefined;
  if (response.headersSent) return length;
  response.setHeader("Content-Length", written);
  return undefined;
};
