import { findReplyState } from "../../reply/reply-state.ts";
import type { ServerResponse } from "node:http";
import { isUint8Array } from "node:util/types";
import type { RequestHandler, Response } from "express";
import { chooseEncoding } from "../../http/accept-encoding.ts";

import { listSendableEncodings, toThreshold } from "./compression-options.ts";
import type { CompressionOptions } from "./compression-options.ts";
import { createEncoder, flushEncoder, type Encoder } from "./encoders.ts";

/** The default of the option `threshold`, in bytes. */
const defaultThreshold = 1024;

/**
 * The maximum number of encoded bytes that are held back after the last write, to be sent together with the end of the
 * body.
 */
const maxLastSize = 16_384;

/** The compression settings, which are fixed when the server starts. */
interface Settings {
  readonly threshold: number;
  /** The offered encodings, in order of preference. */
  readonly encodings: readonly string[];
  readonly options: CompressionOptions;
}

/** Creates the middleware that compresses the responses of everything after it. */
export const createCompression = (options: CompressionOptions): RequestHandler => {
  const settings: Settings = {
    threshold: toThreshold(options.threshold) ?? defaultThreshold,
    encodings: options.encodings ?? listSendableEncodings(),
    options,
  };
  return (_request, response, next) => {
    new Layer(settings, response).install();
    next();
  };
};

type Call = (...args: readonly unknown[]) => unknown;

/**
 * Returns a function that calls the method that the response would have without this layer: its own, or the
 * prototype's, which a shutdown may replace.
 */
const toPrevious = (response: Response, name: "writeHead" | "write" | "end" | "emit"): Call => {
  const own = Object.hasOwn(response, name) ? (response[name] as Call) : undefined;
  return (...args) => {
    const { [name]: inherited } = Object.getPrototypeOf(response) as Record<typeof name, Call>;
    return (own ?? inherited).apply(response, [...args]);
  };
};

/** A layer between a response and the code that writes to it. */
class Layer {
  readonly #settings: Settings;
  readonly #response: Response;
  readonly #writeHead: Call;
  readonly #write: Call;
  readonly #end: Call;
  #encoder: Encoder | undefined;
  /** The length of a body that arrives in one chunk. */
  #length: number | undefined;
  #isEnded = false;
  /** Whether the client has stopped waiting for the response. */
  #isLeft = false;
  #onFinish: ((error?: Error) => void)[] = [];

  constructor(settings: Settings, response: Response) {
    this.#settings = settings;
    this.#response = response;
    this.#writeHead = toPrevious(response, "writeHead");
    this.#write = toPrevious(response, "write");
    this.#end = toPrevious(response, "end");
  }

  install(): void {
    Object.assign(this.#response, {
      writeHead: (...args: readonly unknown[]) => this.#onWriteHead(args),
      write: (...args: readonly unknown[]) => this.#onWrite(args),
      end: (...args: readonly unknown[]) => this.#onEnd(args),
      flush: () => this.#flush(),
    });
  }

  /** Decides whether to encode the body; called when the head is about to be written. */
  #onWriteHead([status, ...rest]: readonly unknown[]): Response {
    const response = this.#response;
    // Node itself reports a second head or a missing status as an error
    if (response.headersSent || !(Number(status) >= 100 && Number(status) < 1000))
      return this.#writeHead(status, ...rest) as Response;
    const reason = typeof rest[0] === "string" ? rest.slice(0, 1) : [];
    setFields(response, rest[1] ?? rest[reason.length]);
    const encoding = this.#choose(Number(status));
    if (encoding === undefined) return this.#writeHead(status, ...reason) as Response;
    const hasBody = response.req.method !== "HEAD" && !response.destroyed;
    const encoder = hasBody
      ? createEncoder(encoding, this.#settings.options, this.#findLength())
      : undefined;
    announce(response, encoding);
    try {
      this.#writeHead(status, ...reason);
    } catch (error) {
      // another response may follow, which must not claim to be encoded
      response.removeHeader("Content-Encoding");
      encoder?.destroy();
      throw error;
    }
    if (encoder) this.#attach(encoder);
    return response;
  }

  /** Chooses the encoding of the body; returns undefined if the body is sent unencoded. */
  #choose(status: number): string | undefined {
    const response = this.#response;
    const { headers } = response.req;
    if (status === 304) mirrorTag(response, headers["if-none-match"]);
    if (status < 200 || !isOfCompressibleType(response, status)) return undefined;
    response.vary("Accept-Encoding");
    if (unencodedStatuses.has(status) || !mayBeEncoded(response)) return undefined;
    const length = this.#findLength();
    if (length !== undefined && length < Math.max(this.#settings.threshold, 1)) return undefined;
    return chooseEncoding(headers["accept-encoding"], this.#settings.encodings);
  }

  #findLength(): number | undefined {
    const length = Number(this.#response.getHeader("Content-Length") ?? this.#length);
    return length >= 0 ? length : undefined;
  }

  #onWrite(args: readonly unknown[]): unknown {
    const response = this.#response;
    const [chunk] = args;
    // writing an invalid chunk must fail before the head is written
    if (!isChunk(chunk)) return this.#write(...args);
    if (!response.headersSent) response.writeHead(response.statusCode);
    if (!this.#encoder) return this.#write(...args);
    if (this.#isEnded) {
      const callback = args.find(isFunction);
      if (callback) process.nextTick(callback, toError("ERR_STREAM_WRITE_AFTER_END"));
      return false;
    }
    const state = findReplyState(response);
    if (state) state.isSending = true;
    return this.#encoder.write(...(args as Parameters<Encoder["write"]>));
  }

  #onEnd(args: readonly unknown[]): unknown {
    const response = this.#response;
    const [given, encoding] = args.filter((argument) => !isFunction(argument));
    const chunk = given ? given : undefined;
    const isRight = chunk === undefined || isChunk(chunk);
    if (isRight && !response.headersSent) this.#writeHeadOf(chunk, encoding);
    const encoder = this.#encoder;
    if (!encoder || !isRight) return this.#end(...args);
    const callback = args.find(isFunction);
    if (callback) this.#callOnFinish(callback);
    if (this.#isEnded) return response;
    if (chunk === undefined) encoder.end();
    else encoder.end(chunk, encoding as BufferEncoding);
    this.#isEnded = true;
    return response;
  }

  /** Writes the head of a response whose entire body is known. */
  #writeHeadOf(chunk: string | Uint8Array | undefined, encoding: unknown): void {
    const response = this.#response;
    if (chunk !== undefined) this.#length = Buffer.byteLength(chunk, encoding as BufferEncoding);
    if (response.req.method === "HEAD") return;
    this.#length ??= 0;
    if (maySetLength(response)) response.setHeader("Content-Length", this.#length);
    response.writeHead(response.statusCode);
  }

  /** Passes everything written from now on through the encoder. */
  #attach(encoder: Encoder): void {
    const response = this.#response;
    const emit = toPrevious(response, "emit");
    this.#encoder = encoder;
    const last: Buffer[] = [];
    let lastSize = 0;
    encoder.on("data", (chunk: Buffer) => {
      // a short body is sent in one packet together with the head, which saves 10% of the time
      if (this.#isEnded && (lastSize += chunk.length) <= maxLastSize) {
        last.push(chunk);
        return;
      }
      const next = last.length === 0 ? chunk : Buffer.concat([...last.splice(0), chunk]);
      if (this.#write(next) === false) encoder.pause();
    });
    encoder.once("end", () => this.#end(Buffer.concat(last)));
    encoder.on("drain", () => emit("drain"));
    encoder.once("error", () => response.destroy());
    response.once("finish", () => this.#finish());
    response.once("close", () => {
      this.#isLeft = true;
      encoder.destroy();
      this.#finish(toError("ERR_STREAM_PREMATURE_CLOSE"));
    });
    Object.defineProperties(response, {
      emit: {
        configurable: true,
        writable: true,
        value: (...args: readonly unknown[]) => {
          // when the socket drains, the encoder resumes; writers wait for the encoder to drain instead
          if (args[0] !== "drain") return emit(...args);
          encoder.resume();
          return true;
        },
      },
      writableEnded: { configurable: true, get: () => this.#isEnded },
      writableNeedDrain: { configurable: true, get: () => encoder.writableNeedDrain },
    });
  }

  #callOnFinish(callback: (error?: Error) => void): void {
    if (this.#response.writableFinished) process.nextTick(callback);
    else if (this.#isLeft) process.nextTick(callback, toError("ERR_STREAM_PREMATURE_CLOSE"));
    else this.#onFinish.push(callback);
  }

  #finish(error?: Error): void {
    for (const callback of this.#onFinish.splice(0)) callback(error);
  }

  /** Sends the data that the encoder has buffered. */
  #flush(): void {
    const encoding = String(this.#response.getHeader("Content-Encoding"));
    if (this.#encoder) flushEncoder(this.#encoder, encoding);
  }
}

const isFunction = (value: unknown): value is (error?: Error) => void =>
  typeof value === "function";

const isChunk = (value: unknown): value is string | Uint8Array =>
  typeof value === "string" || isUint8Array(value);

/**
 * Checks whether the length of the body must be set here; without this layer, Node would set it when the response ends.
 */
const maySetLength = (response: ServerResponse): boolean =>
  response.statusCode !== 204 &&
  response.statusCode !== 304 &&
  !["Content-Length", "Transfer-Encoding", "Trailer"].some((name) => response.hasHeader(name));

const toError = (code: string): Error => Object.assign(new Error(code), { code });

/**
 * Sets the fields passed to `writeHead`: an object, a flat array or an array of pairs. In an array, a name may occur
 * twice.
 */
const setFields = (response: ServerResponse, given: unknown): void => {
  if (!Array.isArray(given)) {
    for (const [name, value] of Object.entries((given ?? {}) as Record<string, string>))
      response.setHeader(name, value);
    return;
  }
  const list: readonly unknown[] = given;
  const pairs = Array.isArray(list[0])
    ? (list as [string, string][])
    : list.flatMap((name, index) =>
        index % 2 === 0 ? [[name, list[index + 1]] as [string, string]] : [],
      );
  for (const [name] of pairs) response.removeHeader(name);
  for (const [name, value] of pairs) response.appendHeader(name, value);
};

/** Statuses that must not be encoded: those without a body, and partial content. */
const unencodedStatuses: ReadonlySet<number> = new Set([204, 205, 206, 304]);

const mayBeEncoded = (response: ServerResponse): boolean =>
  !response.hasHeader("Content-Range") &&
  // if a secret is compressed together with reflected input, the size of the response reveals the secret (BREACH)
  !response.hasHeader("Set-Cookie") &&
  String(response.getHeader("Content-Encoding") ?? "identity").toLowerCase() === "identity" &&
  !String(response.getHeader("Cache-Control") ?? "")
    .toLowerCase()
    .split(",")
    .some((directive) => directive.trim() === "no-transform");

/** Sets the header fields of an encoded body. */
const announce = (response: ServerResponse, encoding: string): void => {
  response.setHeader("Content-Encoding", encoding);
  response.removeHeader("Content-Length");
  const tag = response.getHeader("ETag");
  // the encoded bytes may vary, so the tag can no longer promise identical bytes
  if (typeof tag === "string" && tag.startsWith('"')) response.setHeader("ETag", `W/${tag}`);
};

/**
 * Weakens the tag if the client has sent the weak tag of an encoded body, so that the client gets the same tag back;
 * see RFC 9111, section 4.3.4.
 */
const mirrorTag = (response: ServerResponse, known: string | undefined): void => {
  const tag = response.getHeader("ETag");
  if (typeof tag !== "string" || !tag.startsWith('"')) return;
  if (known?.includes(`W/${tag}`)) response.setHeader("ETag", `W/${tag}`);
};

/**
 * Checks whether the type of a response may be compressed. A 304 has no type, but must have the `Vary` of the 200 that
 * it stands for; see RFC 9110, section 15.4.5.
 */
const isOfCompressibleType = (response: ServerResponse, status: number): boolean => {
  const field = response.getHeader("Content-Type");
  if (field === undefined) return status === 304;
  const [type = ""] = String(field).toLowerCase().split(";");
  return isCompressible(type.trim());
};

/**
 * Checks whether a media type may be compressed. Event streams may not, because events would wait until the buffer is
 * full.
 */
const isCompressible = (type: string): boolean =>
  type.startsWith("text/")
    ? type !== "text/event-stream"
    : type.endsWith("+json") || type.endsWith("+xml") || compressibleTypes.has(type);

const toTypes = (top: string, names: string): string[] =>
  names.split(" ").map((name) => `${top}/${name}`);

const compressibleTypes: ReadonlySet<string> = new Set([
  ...toTypes("application", "json json-seq jsonl ndjson x-ndjson xml xml-dtd yaml x-yaml toml sql"),
  ...toTypes("application", "javascript x-javascript ecmascript graphql wasm rtf postscript x-sh"),
  ...toTypes("application", "x-tar x-www-form-urlencoded vnd.ms-fontobject"),
  ...toTypes("image", "bmp x-ms-bmp x-icon vnd.microsoft.icon"),
  ...toTypes("font", "ttf otf collection"),
]);
