import type { Readable } from "node:stream";
import type { Request, Response } from "express";
import { ClientLeft, RequestError, ServerFault } from "../../basics/errors.ts";
import { closeAfterReply } from "../../wire/reply/close-after-reply.ts";
import { findExchange } from "../../wire/exchange/exchange.ts";

type Decoder = NodeJS.ReadWriteStream & Readable;

/** The parts of node:zlib whose types depend on the version: Node has had zstd since 22.15 and 23.8. */
interface Zstd {
  readonly createZstdDecompress?: (options: object) => Decoder;
  readonly constants: { readonly ZSTD_d_windowLogMax: number };
}

const findDecoder = (field: string): (() => Decoder) | undefined => {
  const encoding = field.toLowerCase().replace(/^x-/, "");
  if (encoding === "identity") return undefined;
  const zlib = process.getBuiltinModule("node:zlib");
  const { createZstdDecompress, constants } = zlib as unknown as Zstd;
  const decoders = new Map<string, () => Decoder>([
    ["gzip", () => zlib.createGunzip()],
    ["deflate", () => zlib.createInflate()],
    ["br", () => zlib.createBrotliDecompress()],
  ]);
  // decoders must support 8 MiB of memory (RFC 9659); the format allows 2 GiB
  const params = { [constants.ZSTD_d_windowLogMax]: 23 };
  if (createZstdDecompress) decoders.set("zstd", () => createZstdDecompress({ params }));
  const createDecoder = decoders.get(encoding);
  if (createDecoder) return createDecoder;
  const accepted = [...decoders.keys(), "identity"].join(", ");
  throw new RequestError("SLP_BODY_ENCODING", { headers: { "Accept-Encoding": accepted } });
};

/** Returns what decodes the body of a request; undefined if it is sent as it is. */
export const findRequestDecoder = ({ headers }: Request): (() => Decoder) | undefined => {
  const encoding = headers["content-encoding"];
  return encoding === undefined ? undefined : findDecoder(encoding);
};

/** Creates the error for a body that a native middleware keeps from being read. */
const toUnreadable = (reason: string): Error =>
  new ServerFault(
    "SLP_BODY_UNREADABLE",
    `The body cannot be read, because a middleware ${reason}. Let it leave the request alone, or read \`request.body\` instead.`,
  );

/** Creates the error for a client that disconnected before its body was complete; no response is sent. */
export const toDeparture = (): Error =>
  new ClientLeft("The client disconnected while sending the body");

/** Node's own methods of streams, for comparison. */
const { IncomingMessage: NodeMessage } = process.getBuiltinModule("node:http");
const { on, emit } = Object.getPrototypeOf(NodeMessage.prototype) as {
  readonly on: unknown;
  readonly emit: unknown;
};

/** Checks whether nothing has begun to read a request, and no tracing tool has replaced its methods to watch it. */
export const isUnread = (request: Readable): boolean =>
  request.readableFlowing === null &&
  request.listenerCount("data") === 0 &&
  request.readableEncoding === null &&
  request.on === on &&
  request.emit === emit;

/** Makes a listener pass on what it throws, because an error that is thrown in an event ends the process. */
export const safely =
  <Args extends readonly unknown[]>(
    fail: (error: unknown) => void,
    listener: (...args: Args) => void,
  ): ((...args: Args) => void) =>
  (...args) => {
    try {
      listener(...args);
    } catch (error) {
      fail(error);
    }
  };

/** Starts a timer that calls a function if a client pauses for too long; the timer is to be refreshed with each chunk and cleared. */
export const startPauseTimer = (
  request: Readable & { readonly complete?: boolean },
  timeout: number,
  onPause: () => void,
): NodeJS.Timeout => {
  const timer = setTimeout(() => {
    // a disk that is slower than the network pauses the request, which is not the client's fault
    if (request.isPaused() || request.complete) timer.refresh();
    else onPause();
  }, timeout).unref();
  return timer;
};

/** @throws ServerFault when a middleware keeps the body from being read, ClientLeft when the client has left. */
export const assertReadable = (request: Request, response: Response): void => {
  // a destroyed request does not emit `close` again
  if (request.destroyed)
    throw findExchange(response)?.hasLeft
      ? toDeparture()
      : toUnreadable("has destroyed the request");
  if (request.readableEncoding !== null) throw toUnreadable("has called `setEncoding`");
  if (request.readableDidRead) throw toUnreadable("has read a part of it");
};

/** How many chunks are kept before they are joined, because each Buffer has an overhead of a hundred bytes. */
const mostPieces = 1024;

/**
 * Reads a body. The limit, in bytes, applies after decompression and, with a small margin, before it; `idleTimeout` is
 * how long the client may pause, in milliseconds. Returns a body that has arrived whole without a promise; the request
 * has not ended then.
 */
export const readBytes = (
  request: Request,
  response: Response,
  limit: number,
  idleTimeout: number,
): Buffer | Promise<Buffer> => {
  const { headers } = request;
  const createDecoder = findRequestDecoder(request);
  // incompressible data grows slightly when compressed
  const encodedLimit = createDecoder ? limit + Math.ceil(limit / 64) + 1024 : limit;
  const length = Number(headers["content-length"]);
  if (length > encodedLimit) {
    closeAfterReply(request, response);
    throw new RequestError("SLP_BODY_TOO_LARGE");
  }
  assertReadable(request, response);
  // a client that asks for permission to send a body gets it when the body is listened for
  const isAsked = headers.expect !== undefined;
  const isWhole = length > 0 && request.readableLength === length;
  if (!isWhole || createDecoder || isAsked || !isUnread(request))
    return readPieces(request, response, limit, encodedLimit, createDecoder?.(), idleTimeout);
  // without a size, Node 26 returns the first chunk only
  return request.read(length) as Buffer;
};

/** Reads a body that arrives piece by piece, through a decoder if it is compressed. */
const readPieces = (
  request: Request,
  response: Response,
  limit: number,
  encodedLimit: number,
  decoder: Decoder | undefined,
  idleTimeout: number,
): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const source = decoder ? request.pipe(decoder) : request;
    const pieces: Buffer[] = [];
    /** The latest chunks, which are joined once there are many. */
    let latest: Buffer[] = [];
    let size = 0;
    let encodedSize = 0;
    const fail = (error: unknown): void => {
      reject(error);
      stop();
    };
    const refuse = (): void => {
      closeAfterReply(request, response);
      fail(new RequestError("SLP_BODY_TOO_LARGE"));
      request.pause();
    };
    const timer = setTimeout(() => {
      const isHeldBack = request.complete || request.readableLength > 0;
      fail(
        isHeldBack
          ? toUnreadable("listens to `readable`, or iterates over the request")
          : new RequestError("SLP_BODY_TIMEOUT"),
      );
    }, idleTimeout).unref();
    const onEncoded = safely(fail, (piece: Buffer) => {
      timer.refresh();
      encodedSize += piece.length;
      if (encodedSize > encodedLimit) refuse();
    });
    const onData = safely(fail, (piece: Buffer) => {
      timer.refresh();
      size += piece.length;
      if (size > limit) refuse();
      else if (latest.push(piece) === mostPieces) {
        pieces.push(Buffer.concat(latest));
        latest = [];
      }
    });
    const onEnd = safely(reject, () => {
      stop();
      resolve(Buffer.concat([...pieces, ...latest]));
    });
    // only the `end` event shows whether the whole body has been read; it may have arrived but not been read yet
    const onClose = (): void => {
      if (!request.readableEnded) fail(toDeparture());
    };
    const stop = (): void => {
      clearTimeout(timer);
      source.off("data", onData).off("end", onEnd);
      request.off("close", onClose);
      if (!decoder) return;
      request.off("data", onEncoded).unpipe(decoder);
      decoder.on("error", () => undefined).destroy();
      // data after the end of the compressed bytes is ignored
      if (!request.readableEnded) request.resume();
    };
    source.on("data", onData).on("end", onEnd);
    request.on("close", onClose);
    // a middleware may have paused the request
    if (!decoder) request.resume();
    else {
      request.on("data", onEncoded);
      decoder.on("error", (cause: Error) => {
        fail(new RequestError("SLP_BODY_CORRUPT_ENCODING", { cause }));
        request.resume();
      });
    }
  });
