import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import {
  harmlessCloses,
  harmlessFinishes,
  noteReply,
  watchPipes,
} from "../../http/node-internals.ts";
import { sendingMark } from "../../pipeline/response-state.ts";
import { type Stoppables, stoppables } from "../../pipeline/stoppables.ts";
import { currentWalk, type Walk } from "../../pipeline/walk.ts";
import {
  type AppSettings,
  type SentFields,
  appSettings,
  patchedMark,
  sentFields,
  watchedMark,
} from "../../results/send-json.ts";
import { countChunk, countLastChunk, writtenBytes } from "./content-length.ts";
import { dropStalledReader, type StalledReaderOptions } from "../connection/stalled-reader.ts";

type NodeResponse = typeof ServerResponse<IncomingMessage>;

/** The options that an application's responses share. */
export interface ResponseOptions {
  /** The settings of the application before it is created. */
  readonly settings: AppSettings;
  /** The walks to notify of a shutdown. */
  readonly toStop: Stoppables;
  readonly stalled: StalledReaderOptions;
  /** Logs that something was written to a response that had already ended. */
  readonly sentTwice: (response: ServerResponse) => void;
  /** Logs that the body has another length than the Content-Length that was sent. */
  readonly wrongLength: (response: ServerResponse, length: number) => void;
}

/** The response class of an application. */
export interface ResponseClass {
  readonly ExpressResponse: NodeResponse;
  /** Makes responses use the settings of the created application from now on. */
  readonly useSettings: (settings: AppSettings) => void;
}

/** Creates the class of an application's responses. */
export const createResponseClass = (
  OwnResponse: NodeResponse,
  { settings: firstSettings, toStop, stalled, sentTwice, wrongLength }: ResponseOptions,
): ResponseClass => {
  // for speed, the settings, which responses read often, are kept in a variable
  let settings = firstSettings;
  const lazyLocals: unique symbol = Symbol("locals");

  const { end, setHeader, write } = OwnResponse.prototype as Methods;

  /**
   * Checks whether a response has ended. This reads Node's own `finished`, because compression replaces
   * `writableEnded`.
   */
  const hasEnded = (response: object): boolean => (response as { finished: boolean }).finished;

  /**
   * Reports a write after the end of a response that has no `error` listener; Node would emit an error, which would end
   * the process. The response that was sent is kept.
   */
  const isSentTwice = (response: ServerResponse, ...args: readonly unknown[]): boolean => {
    if (response.listenerCount("error") > 0) return false;
    sentTwice(response);
    const onWritten = args.find((one) => typeof one === "function");
    const code = "ERR_STREAM_WRITE_AFTER_END";
    if (onWritten)
      process.nextTick(onWritten, Object.assign(new Error("write after end"), { code }));
    return true;
  };

  class ExpressResponse extends OwnResponse {
    [lazyLocals]: unknown = undefined;
    [sendingMark] = false;
    [harmlessFinishes] = 0;
    [harmlessCloses] = 0;
    [watchedMark]: boolean | "native" = false;
    [sentFields]: SentFields | undefined = undefined;
    [writtenBytes] = 0;

    get [patchedMark](): boolean {
      const now: Methods = OwnResponse.prototype;
      return now.end !== end || now.setHeader !== setHeader || now.write !== write;
    }

    get [stoppables](): Stoppables {
      return toStop;
    }

    get [appSettings](): AppSettings {
      return settings;
    }

    override assignSocket(socket: Socket): void {
      super.assignSocket(socket);
      noteReply(socket, this);
    }

    // fields that were sent without `setHeader` are returned too
    override getHeader(name: string): number | string | string[] | undefined {
      return super.getHeader(name) ?? findField(this[sentFields], name);
    }

    override getHeaders(): OutgoingHttpHeaders {
      const fields = this[sentFields];
      const headers = super.getHeaders();
      if (fields)
        for (const [name, value] of Object.entries(fields))
          headers[name.toLowerCase()] ??= String(value);
      return headers;
    }

    override getHeaderNames(): string[] {
      return this[sentFields] ? Object.keys(this.getHeaders()) : super.getHeaderNames();
    }

    override hasHeader(name: string): boolean {
      return super.hasHeader(name) || findField(this[sentFields], name) !== undefined;
    }

    /**
     * Writes a chunk. The response to HEAD has no body, so the first chunk ends the response and tells the producer to
     * stop.
     */
    override write(chunk: unknown, encoding?: unknown, callback?: unknown): boolean {
      if (this.req.method !== "HEAD") {
        if (hasEnded(this) && isSentTwice(this, encoding, callback)) return false;
        const tooShort = countChunk(this, chunk, encoding);
        if (tooShort !== undefined) {
          wrongLength(this, tooShort);
          return false;
        }
        const isTaken = super.write(chunk, encoding as BufferEncoding, callback as () => void);
        // Node may hand the chunk to the socket as late as the next tick
        if (!isTaken) process.nextTick(dropStalledReader, this, stalled);
        return isTaken;
      }
      this.once("unpipe", (source: Readable) => source.destroy());
      super.end();
      (this.req as WalkedRequest)[currentWalk]?.stop(new Error("HEAD needs no body"));
      const onWritten = callback ?? encoding;
      if (typeof onWritten === "function") process.nextTick(onWritten);
      return true;
    }

    /**
     * Ends the response. A producer that has not noticed the end of a response to HEAD may end it again, with a last
     * chunk.
     */
    override end(chunk?: unknown, encoding?: unknown, callback?: unknown): this {
      if (this.writableEnded && this.req.method === "HEAD") return this;
      if (hasEnded(this)) {
        const hasChunk = chunk !== undefined && chunk !== null && typeof chunk !== "function";
        if (hasChunk && isSentTwice(this, encoding, callback)) return this;
      }
      // the length of a response that the framework has serialised is right
      if (this[sentFields] === undefined && this.req.method !== "HEAD") {
        const wrong = countLastChunk(this, chunk, encoding);
        if (wrong !== undefined) {
          wrongLength(this, wrong);
          return this;
        }
      }
      super.end(chunk, encoding as BufferEncoding, callback as () => void);
      dropStalledReader(this, stalled);
      return this;
    }

    get locals(): unknown {
      return (this[lazyLocals] ??= Object.create(null));
    }

    set locals(locals: unknown) {
      this[lazyLocals] = locals;
    }
  }

  watchPipes(ExpressResponse.prototype);
  return {
    ExpressResponse,
    useSettings: (made) => {
      settings = made;
    },
  };
};

/** The methods that tools replace to add header fields, for comparison. */
type Methods = { readonly [Name in "end" | "setHeader" | "write"]: unknown };

type WalkedRequest = IncomingMessage & { readonly [currentWalk]?: Walk | undefined };

/** Returns a header field as a string, as Express sets it. */
const findField = (fields: SentFields | undefined, name: string): string | undefined => {
  if (!fields) return undefined;
  const wanted = name.toLowerCase();
  const found = Object.entries(fields).find(([field]) => field.toLowerCase() === wanted);
  return found && String(found[1]);
};
