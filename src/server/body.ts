import { isUtf8 } from "node:buffer";
import type { Readable } from "node:stream";
import type { Request, Response } from "express";
import { keepRawBody } from "../endpoint/raw-body.ts";
import { RequestError } from "../errors.ts";
import { loadNodeZlib } from "../http/node-modules.ts";
import { parseContentType, type ContentType } from "../http/content-type.ts";
import type { Logger } from "../logger/logger.ts";
import { parseForm } from "./form.ts";
import type { IdleBodies } from "./idle-bodies.ts";
import { parseJson } from "./json.ts";
import { closeAfterReply } from "./lingering-close.ts";
import type { UploadPlan } from "./uploads.ts";

/** The default of the option `bodyLimit`: 1 MiB. */
export const defaultBodyLimit = 1_048_576;

const jsonType = /^application\/(?:json|[\w.!#$&^+-]+\+json)$/;
const formType = "application/x-www-form-urlencoded";
const multipartType = "multipart/form-data";

type Decoder = NodeJS.ReadWriteStream & Readable;

const toDecoders = (): ReadonlyMap<string, () => Decoder> => {
  const zlib = loadNodeZlib();
  const { createBrotliDecompress, createGunzip, createInflate } = zlib;
  // Node has it since 22.15 and 23.8
  const { createZstdDecompress } = zlib as { createZstdDecompress?: () => Decoder };
  return new Map<string, () => Decoder>([
    ["gzip", () => createGunzip()],
    ["deflate", () => createInflate()],
    ["br", () => createBrotliDecompress()],
    ...(createZstdDecompress ? ([["zstd", createZstdDecompress]] as const) : []),
  ]);
};

/** What a route and its server say of the body. */
export interface BodyPlan {
  readonly body: "none" | "parsed" | "raw";
  readonly keepsRawBody: boolean;
  readonly takesFiles: boolean;
}

/** What a server says of bodies. */
export interface BodyOptions {
  /** The largest body but an upload, in bytes. */
  readonly limit: number;
  readonly uploads: UploadPlan | undefined;
  /** Finds clients that pause for too long while they send a body. */
  readonly idle: IdleBodies;
}

/**
 * Reads and parses the body of a request to `request.body`, and the files of an upload to `request.files`;
 * leaves it alone where there is none, or where a native middleware has parsed it before.
 *
 * @throws {@link RequestError} when it is too large, of an unknown type, malformed, or when the client pauses for too long.
 */
export const parseBody = (
  plan: BodyPlan,
  options: BodyOptions,
  request: Request,
  response: Response,
  logger: Logger,
): Promise<void> | undefined => {
  if (plan.body === "none" || request.body !== undefined || !hasBody(request)) return undefined;
  return readAndParse(plan, options, request, response, logger);
};

const readAndParse = async (
  plan: BodyPlan,
  options: BodyOptions,
  request: Request,
  response: Response,
  logger: Logger,
): Promise<void> => {
  if (plan.body === "raw") {
    request.body = { raw: await readBytes(request, response, options) };
    return;
  }
  const field = request.headers["content-type"];
  const contentType = parseContentType(field ?? "");
  const { uploads, idle } = options;
  const takesFiles = uploads !== undefined && plan.takesFiles;
  if (takesFiles && contentType?.type === multipartType) {
    await readUpload(uploads, idle, contentType, request, response, logger);
    return;
  }
  // without a type there is nothing to parse it by, but it may be empty
  const early = field === undefined ? undefined : toBodyParser(contentType, takesFiles);
  const bytes = await readBytes(request, response, options);
  if (plan.keepsRawBody) keepRawBody(request, bytes);
  if (bytes.length === 0) return;
  const parse = early ?? toBodyParser(contentType, takesFiles);
  if (!isUtf8(bytes)) throw new RequestError("SLP_BODY_UTF8");
  const text = bytes.toString();
  request.body = parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
};

const readUpload = async (
  uploads: UploadPlan,
  idle: IdleBodies,
  contentType: ContentType,
  request: Request,
  response: Response,
  logger: Logger,
): Promise<void> => {
  const paused = new Promise<never>((_resolve, reject) => {
    idle.watch(request, () => reject(new RequestError("SLP_BODY_TIMEOUT")));
  });
  const reading = (async () => {
    await uploads.beforeUpload?.({ request, logger });
    await uploads.parse(contentType, request, response);
  })();
  try {
    await Promise.race([reading, paused]);
  } finally {
    idle.forget(request);
    reading.catch(() => undefined);
  }
};

const hasBody = ({ headers, readableEnded }: Request): boolean =>
  !readableEnded &&
  (headers["transfer-encoding"] !== undefined ||
    (headers["content-length"] !== undefined && headers["content-length"] !== "0"));

/** The media type is parsed once, strictly; nothing later looks at the header again. */
const toBodyParser = (
  contentType: ContentType | undefined,
  takesFiles: boolean,
): ((text: string) => object) => {
  const parse = contentType && findBodyParser(contentType.type);
  if (!contentType || !parse) {
    const types = ["application/json", formType, ...(takesFiles ? [multipartType] : [])];
    throw new RequestError("SLP_BODY_CONTENT_TYPE", { headers: { Accept: types.join(", ") } });
  }
  const charset = contentType.parameters.get("charset")?.toLowerCase() ?? "utf-8";
  if (!["utf-8", "utf8", "us-ascii"].includes(charset)) throw new RequestError("SLP_BODY_CHARSET");
  return parse;
};

const findBodyParser = (type: string): ((text: string) => object) | undefined => {
  if (jsonType.test(type)) return parseJson;
  return type === formType ? parseForm : undefined;
};

const toDecoder = ({ headers }: Request): Decoder | undefined => {
  const encoding = headers["content-encoding"]?.toLowerCase().replace(/^x-/, "") ?? "identity";
  if (encoding === "identity") return undefined;
  const decoders = toDecoders();
  const createDecoder = decoders.get(encoding);
  if (!createDecoder)
    throw new RequestError("SLP_BODY_ENCODING", {
      headers: { "Accept-Encoding": [...decoders.keys(), "identity"].join(", ") },
    });
  return createDecoder();
};

const refuseLarge = (request: Request, response: Response): never => {
  closeAfterReply(request, response);
  throw new RequestError("SLP_BODY_TOO_LARGE");
};

/** Reads a body; the limit counts its bytes after decompression. */
const readBytes = (
  request: Request,
  response: Response,
  { limit, idle }: BodyOptions,
): Promise<Buffer> => {
  const decoder = toDecoder(request);
  if (Number(request.headers["content-length"]) > limit) refuseLarge(request, response);
  return new Promise((resolve, reject) => {
    const source = decoder ? request.pipe(decoder) : request;
    let chunks: Buffer[] | undefined;
    let first: Buffer | undefined;
    let size = 0;
    const stop = (): void => {
      idle.forget(request);
      source.off("data", onData).off("end", onEnd);
      request.off("close", onClose).off("error", onClose);
    };
    const fail = (error: Error): void => {
      stop();
      if (decoder) {
        request.unpipe(decoder);
        decoder.on("error", () => undefined).destroy();
      }
      reject(error);
    };
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      if (size > limit) {
        request.pause();
        closeAfterReply(request, response);
        fail(new RequestError("SLP_BODY_TOO_LARGE"));
        return;
      }
      // most bodies come in one piece
      if (first) (chunks ??= [first]).push(chunk);
      else first = chunk;
    };
    const onEnd = (): void => {
      stop();
      resolve(chunks ? Buffer.concat(chunks, size) : (first ?? noBytes));
    };
    const onClose = (): void => {
      if (!request.complete) fail(new Error("The client has left while sending the body"));
    };
    idle.watch(request, () => fail(new RequestError("SLP_BODY_TIMEOUT")));
    source.on("data", onData).on("end", onEnd);
    request.on("close", onClose).on("error", onClose);
    decoder?.on("error", (cause: Error) => {
      request.resume();
      fail(new RequestError("SLP_BODY_CORRUPT_ENCODING", { cause }));
    });
  });
};

const noBytes = Buffer.alloc(0);
