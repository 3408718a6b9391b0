import { tmpdir } from "node:os";
import { Readable, type Writable } from "node:stream";
import type { BusboyFileStream } from "@fastify/busboy";
import type { Request, Response } from "express";
import { defaults } from "../../basics/defaults.ts";
import type { MaybePromise } from "../../define/endpoint/handler-arguments.ts";
import type { UploadLimits } from "../../define/endpoint/body-limits.ts";
import { RequestError } from "../../basics/errors.ts";
import type { ContentType } from "../../basics/http/content-type.ts";
import type { Logger } from "../../basics/logger/logger.ts";
import { closeAfterReply } from "../../wire/reply/close-after-reply.ts";
import { add, parseParts, toMultipartField, type Several } from "./multipart-parser.ts";
import { isUnread, safely, toDeparture, startPauseTimer } from "./read-bytes.ts";
import { Spool, type MemoryBudget } from "./spool.ts";
import { UploadedFile, toBaseName } from "./uploaded-file.ts";

/** Options for uploads. */
export interface UploadOptions {
  readonly limits?: UploadLimits | undefined;
  /**
   * The directory for temporary files.
   *
   * @default the temporary directory of the operating system
   */
  readonly tempFileDir?: string | undefined;
  /**
   * The error of an upload that exceeds a limit, such as `createHttpError(413, "At most 5 MB")`.
   *
   * @default a 413 that names the exceeded limit
   */
  readonly limitError?: Error | undefined;
  /** Runs before any of the body is read; throw an error to reject the upload. */
  readonly beforeUpload?:
    | ((args: { readonly request: Request; readonly logger: Logger }) => MaybePromise<void>)
    | undefined;
}

type AllLimits = { readonly [K in keyof UploadLimits]-?: number };

export type ReadUpload = ReturnType<typeof prepareUploads>;

/**
 * Creates the function that reads a multipart body, or the `given` bytes of one: its fields into `request.body`, its
 * files into `request.files`; repeated names become arrays. Files that were not moved are deleted when the body is refused, or the response
 * finished or cut off.
 */
export const prepareUploads = (option: true | UploadOptions) => {
  // `true` has no properties
  const { limits, tempFileDir = tmpdir(), limitError, beforeUpload } = option as UploadOptions;
  const general = toLimits(limits);
  return async (
    contentType: ContentType,
    routeLimits: UploadLimits | undefined,
    idleTimeout: number,
    request: Request,
    response: Response,
    logger: Logger,
    given?: Buffer,
  ): Promise<void> => {
    const { "content-encoding": encoding = "identity" } = request.headers;
    if (!given && encoding.toLowerCase() !== "identity")
      throw new RequestError("SLP_BODY_ENCODING", { headers: { "Accept-Encoding": "identity" } });
    await beforeUpload?.({ request, logger });
    const allLimits = routeLimits ? toLimits({ ...limits, ...routeLimits }) : general;
    const field = toMultipartField(contentType);
    if (Number(request.headers["content-length"]) > allLimits.total) {
      closeAfterReply(request, response);
      throw limitError ?? new RequestError("SLP_UPLOAD_TOO_LARGE");
    }
    const source = given ? Readable.from(given) : request;
    if (source.destroyed) throw toDeparture();
    const upload = new Upload(allLimits, tempFileDir);
    response.once("close", () => void upload.discard());
    try {
      await upload.read(source, field, idleTimeout);
    } catch (error) {
      const isTooLarge = error instanceof RequestError && error.statusCode === 413;
      if (isTooLarge) closeAfterReply(request, response);
      else request.resume();
      await upload.discard();
      throw isTooLarge ? (limitError ?? error) : error;
    }
    request.body = upload.fields;
    (request as { files?: unknown }).files = upload.files;
  };
};

const toLimits = (limits: UploadLimits = {}): AllLimits => {
  const { upload } = defaults;
  const { fileSize = upload.fileSize, files = upload.files, fields = upload.fields } = limits;
  const { parts = upload.parts, fieldSize = upload.fieldSize, memory = upload.memory } = limits;
  const { fieldsSize = Math.max(upload.fieldsSize, fieldSize) } = limits;
  const { total = files * fileSize + fieldsSize + upload.overhead } = limits;
  return { fileSize, files, fields, parts, fieldSize, fieldsSize, total, memory };
};

/** A file of a multipart body, with the headers of its part. */
interface Arrival {
  readonly field: string | undefined;
  readonly info: Pick<UploadedFile, "encoding" | "mimetype" | "name">;
  /** Whether the file name was sent empty, as it is for a file input of a form in which no file was chosen. */
  readonly isUnnamed: boolean;
  readonly stream: BusboyFileStream;
  readonly spool: Spool;
  /** The complete file, which may be moved. */
  file?: UploadedFile;
}

class Upload {
  readonly fields = Object.create(null) as Several<string>;
  readonly files = Object.create(null) as Several<UploadedFile>;
  readonly #limits: AllLimits;
  readonly #tempFileDir: string;
  readonly #budget: MemoryBudget;
  readonly #arrivals: Arrival[] = [];
  /** A promise that resolves once the pending writes are done. */
  #settling = Promise.resolve();
  #isOver = false;

  constructor(limits: AllLimits, tempFileDir: string) {
    this.#limits = limits;
    this.#tempFileDir = tempFileDir;
    this.#budget = { limit: limits.memory, used: 0 };
  }

  async read(request: Readable, contentType: string, idleTimeout: number): Promise<void> {
    let stop: () => void = ignore;
    try {
      const settle = (): Promise<void> => this.#settle();
      await parseParts(contentType, this.#limits, this.fields, settle, (parser, fail) => {
        parser.on(
          "file",
          safely(fail, (field, stream, name, encoding, mimetype) => {
            if (!field) fail(new RequestError("SLP_UPLOAD_MALFORMED"));
            if (this.#arrivals.length >= this.#limits.files) {
              this.#isOver = true;
              fail(new RequestError("SLP_UPLOAD_TOO_MANY", { field }));
            }
            const info = { name: toBaseName(name), mimetype, encoding };
            this.#receive({ field, stream, info, isUnnamed: name === "" }, fail);
          }),
        );
        // only the `end` event shows whether the whole body has been read; it may have arrived but not been read yet
        request.once("close", () => {
          if (!request.readableEnded) fail(toDeparture());
        });
        stop = this.#feed(request, parser, idleTimeout, fail);
      });
    } finally {
      this.#isOver = true;
      stop();
    }
    // data after the last part is ignored
    request.resume();
    for (const arrival of this.#arrivals) {
      const { field, info, isUnnamed, spool } = arrival;
      const { size, path: tempFilePath } = spool;
      if (isUnnamed && size === 0) continue;
      const content = spool.takeContent();
      arrival.file = new UploadedFile({ ...info, size, content, tempFilePath });
      if (!add(this.files, field, arrival.file)) throw new RequestError("SLP_BODY_FORBIDDEN_KEY");
    }
  }

  /** Deletes all files, including those still being written. */
  async discard(): Promise<void> {
    this.#isOver = true;
    await this.#settling.catch(ignore);
    await Promise.allSettled(this.#arrivals.map(({ file, spool }) => (file ?? spool).discard()));
  }

  /** Passes the chunks of the body to the parser, each once the data of the previous one has been stored. */
  #feed(
    request: Readable,
    parser: Writable,
    idleTimeout: number,
    fail: (error: unknown) => void,
  ): () => void {
    const isOurs = isUnread(request);
    let left = this.#limits.total;
    const timer = startPauseTimer(request, idleTimeout, () =>
      fail(new RequestError("SLP_BODY_TIMEOUT")),
    );
    const onData = safely(fail, (data: Buffer | string) => {
      timer.refresh();
      // data is a string if an encoding was set on the request
      const piece =
        typeof data === "string" ? Buffer.from(data, request.readableEncoding ?? "utf8") : data;
      left -= piece.length;
      if (left < 0) {
        fail(new RequestError("SLP_UPLOAD_TOO_LARGE"));
        return;
      }
      request.pause();
      // by the next turn of the event loop, the streams have passed on the data that they held
      parser.write(piece, () => setImmediate(() => void goOn(piece).catch(fail)));
    });
    const goOn = async (piece: Buffer): Promise<void> => {
      await this.#settle();
      if (this.#isOver) return;
      const isTaken = this.#arrivals.every(({ stream }) => stream.readableLength === 0);
      if (isOurs && isTaken && request.listenerCount("data") === 1) free(piece);
      // what has arrived in the meantime is read as one chunk, because a body may consist of chunks of one byte
      if (request.read() === null) request.resume();
    };
    const onEnd = safely(fail, () => void parser.end());
    request.on("data", onData).on("end", onEnd);
    return () => {
      clearTimeout(timer);
      request.off("data", onData).off("end", onEnd);
    };
  }

  #receive(part: Omit<Arrival, "spool">, fail: (error: unknown) => void): void {
    const spool = new Spool(this.#budget, this.#tempFileDir);
    this.#arrivals.push({ ...part, spool });
    const onData = safely(fail, (data: Buffer) => {
      if (this.#isOver) return;
      if (spool.size + data.length <= this.#limits.fileSize) spool.take(data);
      else {
        this.#isOver = true;
        fail(new RequestError("SLP_UPLOAD_FILE_TOO_LARGE", { field: part.field }));
      }
    });
    part.stream.on("data", onData).on("end", () => (spool.isEnded = true));
  }

  /** Writes the data of the files, one call after the other: a part may end while it is still being written. */
  #settle(): Promise<void> {
    const earlier = this.#settling;
    const settle = async (): Promise<void> => {
      await earlier;
      for (const { spool } of this.#arrivals) if (!this.#isOver) await spool.settle();
    };
    return (this.#settling = settle());
  }
}

const ignore = (): void => undefined;

/** Frees the memory of a chunk unless other buffers share it; before version 21, Node cannot do this. */
const free = ({ buffer, byteLength }: Buffer): void => {
  if (buffer.byteLength === byteLength)
    (buffer as { transfer?: (length: number) => unknown }).transfer?.(0);
};
