import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import type { Request, Response } from "express";
import { ClientLeft, RequestError } from "../../errors.ts";
import { loadNodeZlib } from "../../lazy/node-modules.ts";
import { closeAfterReply } from "../../http/lingering-close.ts";
import { safely } from "./safely.ts";

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

/** Creates the error for a client that disconnected before its body was complete; no response is sent. */
const toDeparture = (): Error => new ClientLeft("The client disconnected while sending the body");

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
export const readBytes = (
  request: Request,
  response: Response,
  limit: number,
  idleTimeout: number,
): Promise<Buffer> => {
  const createDecoder = findDecoder(request);
  const encodedLimit = createDecoder ? toEncodedLimit(limit) : limit;
  if (Number(request.headers["content-length"]) > encodedLimit) {
    closeAfterReply(request, response);
    throw new RequestError("SLP_BODY_TOO_LARGE");
  }
  // a destroyed request does not emit `close` again
  if (request.destroyed) throw toDeparture();
  return new Promise((resolve, reject) => {
    const decoder = createDecoder?.();
    const source = decoder ? request.pipe(decoder) : request;
    const pieces: Buffer[] = [];
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
    const timer = watchPauses(request, idleTimeout, () =>
      fail(new RequestError("SLP_BODY_TIMEOUT")),
    );
    const onEncoded = safely(fail, (piece: Buffer) => {
      timer.refresh();
      encodedSize += piece.length;
      if (encodedSize > encodedLimit) refuse();
    });
    const onData = safely(fail, (piece: Buffer) => {
      if (!decoder) timer.refresh();
      size += piece.length;
      if (size > limit) refuse();
      else if (latest.push(piece) === mostPieces) {
        pieces.push(Buffer.concat(latest));
        latest = [];
      }
    });
    const onEnd = safely(reject, () => {
      stop();
      const all = [...pieces, ...latest];
      resolve(all.length === 1 ? (all[0] as Buffer) : Buffer.concat(all));
    });
    // only the `end` event shows whether the whole body has been read; it may have arrived but not been read yet
    const onClose = (): void => {
      if (!request.readableEnded) fail(toDeparture());
    };
    const stop = (): void => {
      clearTimeout(timer);
      source.off("data", onData).off("end", onEnd);
      request.off("close", onClose).off("error", onClose);
      if (!decoder) return;
      request.off("data", onEncoded).unpipe(decoder);
      decoder.on("error", () => undefined).destroy();
      // data after the end of the compressed bytes is ignored
      if (!request.readableEnded) request.resume();
    };
    if (decoder) request.on("data", onEncoded);
    source.on("data", onData).on("end", onEnd);
    request.on("close", onClose).on("error", onClose);
    decoder?.on("error", (cause: Error) => {
      fail(new RequestError("SLP_BODY_CORRUPT_ENCODING", { cause }));
      request.resume();
    });
  });
};
