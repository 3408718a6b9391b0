import { isUint8Array } from "node:util/types";
import type { Stats } from "node:fs";
import { stat } from "node:fs/promises";
import { extname, isAbsolute, join } from "node:path";
import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import type { Response } from "express";
import { ServerFault } from "../../basics/errors.ts";
import { toStatusText } from "../../basics/http/status.ts";
import { namesTag, toTime } from "../../basics/http/validators.ts";
import { loadHttpErrors } from "../../basics/lazy/packages.cjs";
import { show } from "../../basics/messages/show.ts";
import {
  isAmong,
  type ContentDeclaration,
  type FileContent,
  type StreamContent,
} from "../../basics/schemas/content.ts";
import { holdErrors, throwHeldError } from "./hold-errors.ts";
import { ensureError, readSafely, toSendingError } from "./http-error.ts";
import { findExchange } from "../exchange/exchange.ts";

/**
 * Sends the output of `ez.buffer`, `ez.stream` or `ez.file`; throws any error before the first byte, or of a stream.
 */
export const writeContent = async (
  response: Response,
  declaration: ContentDeclaration,
  output: unknown,
): Promise<void> => {
  if (!response.hasHeader("X-Content-Type-Options"))
    response.setHeader("X-Content-Type-Options", "nosniff");
  const [only = "*/*", ...others] = declaration.types;
  if (others.length === 0 && isBinary(only))
    markBinary(response, only === "*/*" ? undefined : only);
  if (declaration.kind === "file") {
    await writeFile(response, declaration, output as FileContent | string);
    return;
  }
  const { type = "application/octet-stream" } = declaration;
  setHead(response, { ...declaration, type });
  assertType(response, declaration);
  if (declaration.kind === "buffer") response.send(output);
  else await writeStream(response, output as StreamContent);
};

/** Checks whether clients receive content of a declared media type as a Blob: neither text nor JSON, or any type. */
const isBinary = (type: string): boolean => !/^text\/|[/+](?:json|xml) *(?:;|$)/i.test(type);

/** Tells clients that the content is binary, whatever its type: a file that users have uploaded may be JSON. */
const markBinary = (response: Response, declared: string | undefined): void => {
  const own = response.getHeader("Content-Type");
  if (own === undefined ? declared !== undefined : isBinary(String(own))) return;
  response.setHeader("X-Content-As", "blob");
  if (response.hasHeader("Access-Control-Allow-Origin"))
    response.append("Access-Control-Expose-Headers", "X-Content-As");
};

/** Sets the header fields that the handler has not set itself. */
const setHead = (response: Response, { type, fileName }: Partial<ContentDeclaration>): void => {
  if (fileName !== undefined && !response.hasHeader("Content-Disposition")) {
    const own = response.getHeader("Content-Type");
    // `attachment` also sets the type, derived from the file name
    response.attachment(fileName);
    if (own === undefined) response.removeHeader("Content-Type");
    else response.setHeader("Content-Type", own);
  }
  if (type !== undefined && !response.hasHeader("Content-Type"))
    response.setHeader(
      "Content-Type",
      type.startsWith("text/") && !type.includes("charset") ? `${type}; charset=utf-8` : type,
    );
};

/** Checks that content has one of several declared media types; of a single one, the handler may set another. */
const assertType = (response: Response, { kind, type, types }: ContentDeclaration): void => {
  const own = String(response.getHeader("Content-Type"));
  if (type !== undefined || isAmong(own, types)) return;
  const origin = kind === "file" ? "by the name of the file, or the handler" : "by the handler";
  throw new ServerFault(
    "SLP_FILE_TYPE",
    `ez.${kind}(): the Content-Type must be one of ${types.join(", ")}; it is ${show(own)}, ${origin}`,
  );
};

const writeFile = async (
  response: Response,
  declaration: ContentDeclaration,
  output: FileContent | string,
): Promise<void> => {
  const file: FileContent = typeof output === "string" ? { path: output } : output;
  const { path, root, maxAge = 0, fileName = declaration.fileName } = file;
  if (root === undefined && !isAbsolute(path))
    throw new ServerFault(
      "SLP_FILE_PATH",
      "ez.file(): the handler must return an absolute path, or { path, root }, where `root` is the directory that contains the file",
    );
  // conditional requests and ranges determine the other statuses
  if (response.statusCode >= 300) response.statusCode = 200;
  setHead(response, { type: declaration.type, fileName });
  // if the file is missing, `sendFile` reports the error
  const found = await stat(root === undefined ? path : join(root, path)).catch(() => undefined);
  const fields = found?.isFile() ? toValidators(response, found) : {};
  if (found?.isFile() && !declaration.types.includes("*/*")) {
    // Express would set the type only once the file has been opened
    if (!response.hasHeader("Content-Type")) response.type(extname(path));
    assertType(response, declaration);
  }
  // by default, Express would let shared caches store the file
  if (!response.hasHeader("Cache-Control"))
    response.setHeader("Cache-Control", `private, max-age=${Math.floor(maxAge)}`);
  await new Promise<void>((resolve, reject) => {
    response.once("close", resolve);
    // Express sets the fields only once the path has been accepted
    const options = {
      ...(root !== undefined && { root }),
      headers: fields,
      acceptRanges: !("Accept-Ranges" in fields),
    };
    response.sendFile(path, options, (error) => {
      response.off("close", resolve);
      if (error) reject(toFileError(error));
      else resolve();
    });
  });
};

/** Returns the error for a file that cannot be sent; a directory counts as a missing file. */
const toFileError = (error: Error): Error =>
  readSafely(error, "code") === "EISDIR"
    ? loadHttpErrors()(404, toStatusText(404), { cause: error })
    : toSendingError(error);

/**
 * Returns header fields with which Express compares `If-Match` and `If-Range` strongly, as RFC 9110 asks in sections 13.1.1
 * and 13.1.5: a tag that no list can name, and ranges without Express' help, which ignores them. The ETag is that of the
 * handler, or one of the file; Express adds ETags to all responses or none.
 */
const toValidators = (response: Response, { size, mtime }: Stats): Record<string, string> => {
  const { "if-match": field, "if-range": range } = response.req.headers;
  // Express ignores an empty field
  const match = field || "*";
  const own = response.getHeader("ETag");
  const etag =
    own === undefined ? `W/"${size.toString(16)}-${mtime.getTime().toString(16)}"` : String(own);
  const [, tag] = /^"([^"]*)"$/.exec(etag) ?? [];
  const isMatch = match === "*" || (tag !== undefined && namesTag(match, tag, "strong"));
  const modified = String(response.getHeader("Last-Modified") ?? mtime.toUTCString());
  const isSame =
    range === undefined ||
    (tag !== undefined && range === etag) ||
    toTime(String(range)) === toTime(modified);
  return { ETag: isMatch ? etag : '","', ...(!isSame && { "Accept-Ranges": "bytes" }) };
};

export const writeStream = async (response: Response, output: StreamContent): Promise<void> => {
  throwHeldError(output);
  const source = toReadable(output);
  holdErrors(source);
  let goOn: (() => void) | undefined;
  let stopWaiting = (): void => undefined;
  const left = new Promise<void>((resolve) => (stopWaiting = resolve));
  const resume = (): void => goOn?.();
  const leave = (): void => {
    source.destroy();
    resume();
    stopWaiting();
  };
  response.once("close", leave);
  const write = async (): Promise<void> => {
    for await (const piece of source) {
      if (!isUint8Array(piece) && typeof piece !== "string")
        throw new ServerFault(
          "SLP_OUTPUT_CHUNK",
          `A stream must yield strings or bytes; it yielded ${piece === null ? "null" : typeof piece}`,
        );
      // a stream that never waits for anything keeps the event loop from noticing that the client has left
      // the responses that unit tests create may return nothing
      const hasRoom: unknown = response.write(piece);
      if (hasRoom !== false && !findExchange(response)?.hasLeft) continue;
      // one listener for the whole stream, because the package compression never removes any
      if (!goOn) response.on("drain", resume);
      await new Promise<void>((resolve) => (goOn = resolve));
    }
    response.end();
  };
  try {
    if (response.req.method === "HEAD") {
      source.destroy();
      response.end();
      return;
    }
    // when the client leaves, the source may go on waiting for its next piece
    await Promise.race([write(), left]);
  } catch (error) {
    // the client has disconnected and no longer needs the rest
    if (!response.destroyed) throw error;
  } finally {
    response.off("drain", resume).off("close", leave);
  }
};

const toReadable = (output: StreamContent): Readable => {
  if (output instanceof Readable) return output;
  return Readable.from(withReadableErrors(output instanceof Blob ? output.stream() : output));
};

/** Yields the same pieces, but throws plain errors only: Node reads the stack of an error, and the getter may throw. */
const withReadableErrors = (
  output: AsyncIterable<unknown> | ReadableStream,
): AsyncIterable<unknown> => ({
  [Symbol.asyncIterator]: () => {
    const iterator = toIterator(output);
    return {
      next: () => withReadableError(() => iterator.next()),
      // a generator around the iterator would call this only once `next` has settled
      return: () => withReadableError(async () => (await iterator.return?.()) ?? over),
    };
  },
});

/** Returns the iterator of an iterable; that of a web stream would not cancel it before its next piece arrives. */
const toIterator = (output: AsyncIterable<unknown> | ReadableStream): AsyncIterator<unknown> => {
  if (!("getReader" in output)) return output[Symbol.asyncIterator]();
  const reader = output.getReader();
  return {
    next: () => reader.read() as Promise<IteratorResult<unknown>>,
    return: async () => {
      await reader.cancel();
      return over;
    },
  };
};

const over = { done: true, value: undefined } as const;

const withReadableError = async <T>(step: () => Promise<T>): Promise<T> => {
  try {
    return await step();
  } catch (thrown) {
    const error = ensureError(thrown);
    throw typeof readSafely(error, "stack") === "string" &&
      readSafely(error, "message") !== undefined
      ? error
      : new Error("A stream failed with an error that cannot be read");
  }
};
