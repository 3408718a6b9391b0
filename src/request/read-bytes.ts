import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import type { Request, Response } from "express";
import { ClientLeft, RequestError, ServerFault } from "../errors.ts";
import { loadNodeHttp, loadNodeZlib } from "../lazy/node-modules.ts";
import { closeAfterReply } from "../reply/closing.ts";
import { isAbandoned } from "../reply/response-state.ts";

type Decoder = NodeJS.ReadWriteStream & Readable;

const toDecoders = (): ReadonlyMap<string, () => Decoder> => {
  const zlib = loadNodeZlib();
  const { createBrotliDecompress, createGunzip, createInflate } = zlib;
  // Node has had zstd since 22.15 and 23.8
  const { createZstdDecompress, constants } = zlib as {
    readonly createZstdDecompress?: (options: object) => Decoder;
    readonly constants: { readonly ZSTD_d_windowLogMax?: number };
  };
  return new Map<string, () => Decoder>([
    ["gzip", () => createGunzip()],
    ["deflate", () => createInflate()],
    ["br", () => createBrotliDecompress()],
    ...(createZstdDecompress
      ? ([["zstd", () => createZstdDecompress({ params: toZstdLimits(constants) })]] as const)
      : []),
  ]);
};

/**
 * Limits a zstd decoder to the 8 MiB of memory that decoders must support; the format allows 2 GiB.
 *
 * @see RFC 9659
 */
const toZstdLimits = ({
  ZSTD_d_windowLogMax: limit,
}: {
  readonly ZSTD_d_windowLogMax?: number;
}): Record<number, number> => (limit === undefined ? {} : { [limit]: 23 });

const findDecoder = ({ headers }: Request): (() => Decoder) | undefined => {
  const field = headers["content-encoding"];
  if (field === undefined) return undefined;
  const encoding = field.toLowerCase().replace(/^x-/, "");
  if (encoding === "identity") return undefined;
  const decoders = toDecoders();
  const createDecoder = decoders.get(encoding);
  if (!createDecoder)
    throw new RequestError("SLP_BODY_ENCODING", {
      headers: { "Accept-Encoding": [...decoders.keys(), "identity"].join(", ") },
    });
  return createDecoder;
};

/**
 * Returns the size limit of a compressed body, which is slightly above the given limit because incompressible data
 * grows when compressed.
 */
const toEncodedLimit = (limit: number): number => limit + Math.ceil(limit / 64) + 1024;

/** Creates the error for a body that a native middleware keeps from being read. */
const toUnreadable = (reason: string): Error =>
  new ServerFault(
    "SLP_BODY_UNREADABLE",
    `The body cannot be read, because a middleware ${reason}. Let it leave the request alone, or read \`request.body\` instead.`,
  );

/** Creates the error for a client that disconnected before its body was complete; no response is sent. */
const toDeparture = (): Error => new ClientLeft("The client disconnected while sending the body");

/** Node's own methods of streams, for comparison. */
const { on, emit } = Object.getPrototypeOf(loadNodeHttp().IncomingMessage.prototype) as {
  readonly on: unknown;
  readonly emit: unknown;
};

/** Checks whether nothing has begun to read a request, and no tracing tool has replaced its methods to watch it. */
export const isUnread = (request: IncomingMessage): boolean =>
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

/**
 * Calls a function if a client pauses for too long while it sends a body. The timer is to be refreshed with each chunk
 * and cleared in the end.
 */
export const watchPauses = (
  request: IncomingMessage,
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

/** How many chunks are kept before they are joined, because each Buffer has an overhead of a hundred bytes. */
const mostPieces = 1024;

/**
 * Reads a body. The limit applies to the bytes after decompression and, with a small margin, to those before it.
 *
 * @param limit the maximum number of bytes
 * @param idleTimeout how long the client may pause, in milliseconds
 * @throws {@link RequestError} when the body is too large, when its encoding is unknown or corrupt, or when the client
 * pauses for too long.
 */
export const readBytes = async (
  request: Request,
  response: Response,
  limit: number,
  idleTimeout: number,
): Promise<Buffer> => {
  const createDecoder = findDecoder(request);
  const encodedLimit = createDecoder ? toEncodedLimit(limit) : limit;
  const length = Number(request.headers["content-length"]);
  if (length > encodedLimit) {
    closeAfterReply(request, response);
    throw new RequestError("SLP_BODY_TOO_LARGE");
  }
  // Node parses a short body in the same turn as the head, so it has arrived a microtask later
  if (!request.complete) await Promise.resolve();
  // a destroyed request does not emit `close` again
  if (request.destroyed)
    throw isAbandoned(response) ? toDeparture() : toUnreadable("has destroyed the request");
  if (request.readableEncoding !== null) throw toUnreadable("has called `setEncoding`");
  if (request.readableDidRead) throw toUnreadable("has read a part of it");
  // a client that asks for permission to send a body gets it when the body is listened for
  const isAsked = request.headers.expect !== undefined;
  if (
    length > 0 &&
    request.readableLength === length &&
    !createDecoder &&
    !isAsked &&
    isUnread(request)
  )
    return readWhole(request);
  return new Promise((resolve, reject) => {
    const reader = new BodyReader(request, response, limit, resolve, reject);
    reader.listen(createDecoder?.(), encodedLimit, idleTimeout);
  });
};

/** Reads a body that has arrived whole; it counts as read once the request has ended. */
const readWhole = (request: Request): Promise<Buffer> =>
  new Promise((resolve) => {
    const bytes = request.read() as Buffer;
    const end = (): void => resolve(bytes);
    request.on("end", end).on("close", end).resume();
  });

/** A reader for one body that arrives piece by piece, or is compressed. */
class BodyReader {
  readonly #request: Request;
  readonly #response: Response;
  readonly #limit: number;
  readonly #resolve: (bytes: Buffer) => void;
  readonly #reject: (error: unknown) => void;
  readonly #pieces: Buffer[] = [];
  /** The latest chunks, which are joined once there are many. */
  #latest: Buffer[] = [];
  #size = 0;
  /** Ends the reading of the stream. */
  #stop = (): void => undefined;

  constructor(
    request: Request,
    response: Response,
    limit: number,
    resolve: (bytes: Buffer) => void,
    reject: (error: unknown) => void,
  ) {
    this.#request = request;
    this.#response = response;
    this.#limit = limit;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  /** Reads the stream of the request, through a decoder if there is one. */
  listen(decoder: Decoder | undefined, encodedLimit: number, idleTimeout: number): void {
    const request = this.#request;
    const fail = (error: unknown): void => this.#fail(error);
    const source = decoder ? request.pipe(decoder) : request;
    const timer = setTimeout(() => {
      const isHeldBack = request.complete || request.readableLength > 0;
      fail(
        isHeldBack
          ? toUnreadable("listens to `readable`, or iterates over the request")
          : new RequestError("SLP_BODY_TIMEOUT"),
      );
    }, idleTimeout).unref();
    let encodedSize = 0;
    const onEncoded = safely(fail, (piece: Buffer) => {
      timer.refresh();
      encodedSize += piece.length;
      if (encodedSize > encodedLimit) this.#refuse();
    });
    const onData = safely(fail, (piece: Buffer) => {
      timer.refresh();
      this.#take(piece);
    });
    const onEnd = safely(this.#reject, () => this.#end());
    // only the `end` event shows whether the whole body has been read; it may have arrived but not been read yet
    const onClose = (): void => {
      if (!request.readableEnded) fail(toDeparture());
    };
    this.#stop = () => {
      clearTimeout(timer);
      source.off("data", onData).off("end", onEnd);
      request.off("close", onClose);
      if (!decoder) return;
      request.off("data", onEncoded).unpipe(decoder);
      decoder.on("error", () => undefined).destroy();
      // data after the end of the compressed bytes is ignored
      if (!request.readableEnded) request.resume();
    };
    if (decoder) request.on("data", onEncoded);
    source.on("data", onData).on("end", onEnd);
    // a middleware may have paused the request
    if (!decoder) request.resume();
    request.on("close", onClose);
    decoder?.on("error", (cause: Error) => {
      fail(new RequestError("SLP_BODY_CORRUPT_ENCODING", { cause }));
      request.resume();
    });
  }

  #take(piece: Buffer): void {
    this.#size += piece.length;
    if (this.#size > this.#limit) this.#refuse();
    else if (this.#latest.push(piece) === mostPieces) {
      this.#pieces.push(Buffer.concat(this.#latest));
      this.#latest = [];
    }
  }

  #end(): void {
    this.#stop();
    const all = [...this.#pieces, ...this.#latest];
    this.#resolve(all.length === 1 ? (all[0] as Buffer) : Buffer.concat(all));
  }

  #refuse(): void {
    closeAfterReply(this.#request, this.#response);
    this.#fail(new RequestError("SLP_BODY_TOO_LARGE"));
    this.#request.pause();
  }

  #fail(error: unknown): void {
    this.#reject(error);
    this.#stop();
  }
}
