import { Readable, Transform, type TransformCallback } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import type { Request, Response } from "express";
import { RequestError } from "../../basics/errors.ts";
import { findExchange } from "../../wire/exchange/exchange.ts";
import { closeAfterReply } from "../../wire/reply/close-after-reply.ts";
import type { BodyStream } from "../../basics/schemas/content.ts";
import { assertReadable, findRequestDecoder, startPauseTimer, toDeparture } from "./read-bytes.ts";

/** A body that a handler reads while it arrives, up to a number of bytes. */
class LimitedBody extends Transform {
  readonly #limit: number;
  readonly #onExcess: () => void;
  #size = 0;
  #web: ReadableStream<Uint8Array> | undefined;

  constructor(limit: number, onExcess: () => void) {
    super();
    this.#limit = limit;
    this.#onExcess = onExcess;
    // an error that comes when nobody reads would end the process
    this.on("error", () => undefined);
  }

  override _transform(chunk: Buffer, _: string, done: TransformCallback): void {
    this.#size += chunk.length;
    if (this.#size <= this.#limit) {
      done(null, chunk);
      return;
    }
    this.#onExcess();
    done(new RequestError("SLP_BODY_TOO_LARGE"));
  }

  get web(): ReadableStream<Uint8Array> {
    return (this.#web ??= Readable.toWeb(this) as ReadableStream<Uint8Array>);
  }
}

/** Passes on a body that has been read already, or one that is empty. */
export const streamBytes = (bytes: string | Uint8Array): BodyStream => {
  const body = new LimitedBody(Infinity, () => undefined);
  body.end(Buffer.from(bytes as Uint8Array));
  return body;
};

/**
 * Passes a body on while it arrives; what is left of it when the response has been sent is discarded.
 *
 * @param limit the maximum number of bytes after decompression
 * @param idleTimeout how long the client may pause, in milliseconds
 * @throws {@link RequestError} when the body declares more bytes, or an encoding that is not supported.
 */
export const streamBody = (
  request: Request,
  response: Response,
  limit: number,
  idleTimeout: number,
): BodyStream => {
  assertReadable(request, response);
  const refuse = (): void => closeAfterReply(request, response);
  const decoder = findRequestDecoder(request)?.();
  if (!decoder && Number(request.headers["content-length"]) > limit) {
    refuse();
    throw new RequestError("SLP_BODY_TOO_LARGE");
  }
  const body = new LimitedBody(limit, refuse);
  const timer = startPauseTimer(request, idleTimeout, () =>
    body.destroy(new RequestError("SLP_BODY_TIMEOUT")),
  );
  const refresh = (): void => void timer.refresh();
  const leave = (): void => {
    if (!request.complete) body.destroy(toDeparture());
  };
  const stop = (): void => {
    clearTimeout(timer);
    request.off("data", refresh).off("close", leave).unpipe();
    decoder?.unpipe().destroy();
    // the rest must not wait for a reader
    if (!request.complete) request.resume();
  };
  request.on("close", leave).once("end", () => clearTimeout(timer));
  if (decoder) {
    decoder.on("error", (cause: Error) =>
      body.destroy(new RequestError("SLP_BODY_CORRUPT_ENCODING", { cause })),
    );
    decoder.pipe(body);
  }
  body.once("close", stop);
  const state = findExchange(request);
  if (state)
    state.onEnd(() => {
      leave();
      body.destroy();
    });
  request.pipe(decoder ?? body);
  request.on("data", refresh);
  return body;
};
