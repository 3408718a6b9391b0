import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createRequire } from "node:module";
import { createWriteStream, type WriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import type { Busboy, BusboyFileStream } from "@fastify/busboy";
import type { Request, Response } from "express";
import type { MaybePromise } from "../endpoint/handler-arguments.ts";
import { RequestError } from "../errors.ts";
import type { ContentType } from "../http/content-type.ts";
import type { Logger } from "../logger/logger.ts";
import { closeAfterReply } from "./lingering-close.ts";
import { UploadedFile } from "./uploaded-file.ts";

const require = createRequire(import.meta.url);

/** Loads the parser when it is first needed. */
const loadBusboy = (): typeof Busboy =>
  (require("@fastify/busboy") as { readonly Busboy: typeof Busboy }).Busboy;

/** Limits of uploads. */
export interface UploadLimits {
  /**
   * The largest file, in bytes; one of exactly this size is accepted.
   *
   * @default 10485760
   */
  readonly fileSize?: number | undefined;
  /** @default 10 */
  readonly files?: number | undefined;
  /** @default 1000 */
  readonly fields?: number | undefined;
  /** Files and fields together. @default 1000 */
  readonly parts?: number | undefined;
  /**
   * The largest text field, in bytes.
   *
   * @default 1048576
   */
  readonly fieldSize?: number | undefined;
  /**
   * How much of the files of one request may be held in memory, in bytes; the rest goes to temporary files.
   *
   * @default 1048576
   */
  readonly memory?: number | undefined;
}

/** Options of uploads. */
export interface UploadOptions {
  readonly limits?: UploadLimits | undefined;
  /**
   * Where temporary files are kept.
   *
   * @default the temporary directory of the operating system
   */
  readonly tempFileDir?: string | undefined;
  /** Runs before a byte of the body is read; throws to refuse the upload. */
  readonly beforeUpload?:
    | ((args: { readonly request: Request; readonly logger: Logger }) => MaybePromise<void>)
    | undefined;
}

/** The settled options of uploads. */
export interface UploadPlan {
  readonly limits: { readonly [K in keyof UploadLimits]-?: number };
  readonly tempFileDir: string;
  readonly beforeUpload: UploadOptions["beforeUpload"];
  /**
   * Reads a multipart body: its fields to `request.body`, its files to `request.files`; a repeated name has a list.
   *
   * What is left of the files is deleted when the response is finished or the client has left.
   *
   * @throws {@link RequestError} when the body is malformed or over a limit; no file is left then.
   */
  readonly parse: (type: ContentType, request: Request, response: Response) => Promise<void>;
}

/** Settles the options of uploads. */
export const planUploads = (option: true | UploadOptions): UploadPlan => {
  const { limits = {}, tempFileDir = tmpdir(), beforeUpload } = option === true ? {} : option;
  const plan: UploadPlan = {
    limits: {
      fileSize: limits.fileSize ?? 10_485_760,
      files: limits.files ?? 10,
      fields: limits.fields ?? 1000,
      parts: limits.parts ?? 1000,
      fieldSize: limits.fieldSize ?? 1_048_576,
      memory: limits.memory ?? 1_048_576,
    },
    tempFileDir,
    beforeUpload,
    parse: (...args) => parseUpload(plan, ...args),
  };
  return plan;
};

type Several<T> = Record<string, T | T[]>;

const parseUpload = async (
  { limits, tempFileDir }: UploadPlan,
  { type, parameters }: ContentType,
  request: Request,
  response: Response,
): Promise<void> => {
  const boundary = parameters.get("boundary") ?? "";
  if (!/^[\w'()+,./:=? -]{0,69}[\w'()+,./:=?-]$/.test(boundary))
    throw new RequestError("SLP_UPLOAD_MALFORMED");
  const upload = new Upload(limits, tempFileDir);
  response.once("close", () => void upload.discard());
  try {
    await upload.read(request, `${type}; boundary="${boundary}"`);
  } catch (error) {
    request.unpipe();
    if (error instanceof RequestError && error.statusCode === 413)
      closeAfterReply(request, response);
    else request.resume();
    await upload.discard();
    throw error;
  }
  request.body = upload.fields;
  (request as { files?: unknown }).files = upload.files;
};

/** One multipart body on its way in. */
class Upload {
  readonly fields = Object.create(null) as Several<string>;
  readonly files = Object.create(null) as Several<UploadedFile>;
  readonly #limits: UploadPlan["limits"];
  readonly #tempFileDir: string;
  /** The files that are still being written. */
  readonly #writing = new Set<Promise<void>>();
  readonly #streams = new Set<BusboyFileStream>();
  readonly #kept = new Set<UploadedFile>();
  readonly #paths = new Set<string>();
  #memory = 0;

  constructor(limits: UploadPlan["limits"], tempFileDir: string) {
    this.#limits = limits;
    this.#tempFileDir = tempFileDir;
  }

  async read(request: Request, contentType: string): Promise<void> {
    const { fieldSize, files, fields, parts } = this.#limits;
    const parser = new (loadBusboy())({
      headers: { "content-type": contentType },
      limits: { fieldSize, files, fields, parts, headerPairs: 100, headerSize: 16_384 },
    });
    await new Promise<void>((resolve, reject) => {
      const malformed = (cause?: unknown): void =>
        reject(new RequestError("SLP_UPLOAD_MALFORMED", { cause }));
      const tooMany = (): void => reject(new RequestError("SLP_UPLOAD_TOO_MANY"));
      parser.on("field", (name, value, _isNameCut, isCut) => {
        if (isCut) reject(new RequestError("SLP_UPLOAD_FIELD_TOO_LARGE", { field: name }));
        else if (!add(this.fields, name, value)) reject(new RequestError("SLP_BODY_FORBIDDEN_KEY"));
      });
      parser.on("file", (name, stream, fileName, encoding, mimetype) => {
        this.#streams.add(stream);
        const writing = this.#readFile(name, stream, toBaseName(fileName), encoding, mimetype);
        this.#writing.add(writing);
        writing.catch(reject);
      });
      parser.on("partsLimit", tooMany).on("filesLimit", tooMany).on("fieldsLimit", tooMany);
      parser.on("error", malformed);
      parser.on("finish", () => void Promise.all(this.#writing).then(() => resolve(), reject));
      request.once("close", () => {
        if (!request.complete) reject(new Error("The client has left while sending the body"));
      });
      request.pipe(parser);
    });
  }

  /** Deletes everything, also what is still being written. */
  async discard(): Promise<void> {
    for (const stream of this.#streams) stream.on("error", ignore).destroy();
    await Promise.allSettled(this.#writing);
    await Promise.allSettled([
      ...[...this.#kept].map((file) => file.discard()),
      ...[...this.#paths].map((path) => rm(path, { force: true })),
    ]);
  }

  async #readFile(
    field: string,
    stream: BusboyFileStream,
    name: string,
    encoding: string,
    mimetype: string,
  ): Promise<void> {
    const chunks: Buffer[] = [];
    let size = 0;
    let spool: WriteStream | undefined;
    let path: string | undefined;
    try {
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        size += chunk.length;
        if (size > this.#limits.fileSize)
          throw new RequestError("SLP_UPLOAD_FILE_TOO_LARGE", { field });
        if (!spool && this.#memory + chunk.length <= this.#limits.memory) {
          this.#memory += chunk.length;
          chunks.push(chunk);
          continue;
        }
        if (!spool) {
          path = join(this.#tempFileDir, `sallyport-${randomUUID()}`);
          this.#paths.add(path);
          spool = createWriteStream(path, { flags: "wx", mode: 0o600 });
          // a failure reaches the one who writes
          spool.on("error", ignore);
          for (const earlier of chunks.splice(0)) {
            this.#memory -= earlier.length;
            await write(spool, earlier);
          }
        }
        await write(spool, chunk);
      }
      if (spool) {
        spool.end();
        await finished(spool);
      }
    } catch (error) {
      stream.on("error", ignore).resume();
      if (spool) await close(spool);
      throw error;
    }
    const content = spool ? undefined : Buffer.concat(chunks, size);
    const parts = { name, mimetype, encoding, size, content, tempFilePath: path };
    const file = new UploadedFile(parts);
    this.#kept.add(file);
    if (path !== undefined) this.#paths.delete(path);
    if (!add(this.files, field, file)) throw new RequestError("SLP_BODY_FORBIDDEN_KEY");
  }
}

const ignore = (): void => undefined;

/** Waits until a file is closed, so that it can be deleted. */
const close = async (spool: WriteStream): Promise<void> => {
  spool.destroy();
  if (!spool.closed) await once(spool, "close");
};

/** Waits for the disk where it is slower than the network. */
const write = (spool: WriteStream, chunk: Buffer): Promise<void> =>
  new Promise((resolve, reject) => {
    spool.write(chunk, (error) => (error ? reject(error) : resolve()));
  });

/** @returns false for a name that could change a prototype, or none at all */
const add = <T>(target: Several<T>, name: string | undefined, value: T): boolean => {
  if (name === undefined || name === "" || name === "__proto__") return false;
  const known = target[name];
  if (known === undefined) target[name] = value;
  else if (Array.isArray(known)) known.push(value);
  else target[name] = [known, value];
  return true;
};

// oxlint-disable-next-line no-control-regex -- control characters are what it finds
const unsafeCharacters = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** The base name, without what could steer a terminal, a header or a file system. */
const toBaseName = (given = ""): string =>
  (given.split(/[/\\]/).at(-1) ?? "").replace(unsafeCharacters, "").slice(0, 255);
