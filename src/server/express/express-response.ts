import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import { leaveBody } from "../../http/leave-body.ts";
import {
  harmlessCloses,
  harmlessFinishes,
  isPiped,
  noteReply,
  watchPipes,
} from "../../http/node-internals.ts";
import { sendingMark, stopSource } from "../../pipeline/response-state.ts";
import { type RunningRequests, running } from "../../pipeline/running-requests.ts";
import { currentWalk, type Walk } from "../../pipeline/walk.ts";
import {
  type AppSettings,
  type SentFields,
  appSettings,
  patchedMark,
  sentFields,
  watchedMark,
} from "../../results/send-json.ts";
import { dropStalledReader, type StalledReaderOptions } from "../connection/stalled-reader.ts";

type NodeResponse = typeof ServerResponse<IncomingMessage>;

/** The options that an application's responses share. */
export interface ResponseOptions {
  /** The settings of the application before it is created. */
  readonly settings: AppSettings;
  /** The requests that a shutdown notifies and waits for. */
  readonly requests: RunningRequests;
  readonly stalled: StalledReaderOptions;
  /** Logs that something was written to a response that had already ended. */
  readonly sentTwice: (response: ServerResponse) => void;
  /** Logs Node's error for a body that has another length than the Content-Length, and closes the connection. */
  readonly wrongLength: (response: ServerResponse, error: unknown) => void;
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
  { settings: firstSettings, requests, stalled, sentTwice, wrongLength }: ResponseOptions,
): ResponseClass => {
  // for speed, the settings, which responses read often, are kept in a variable
  let settings = firstSettings;
  const lazyLocals: unique symbol = Symbol("locals");
  const isDraining: unique symbol = Symbol("is draining");

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
    if (isPiped(response)) {
      // a stream that is piped stops at the error that Node emits, but would throw the error if nothing else listened
      sentTwice(response);
      response
        .once("error", ignore)
        .once("unpipe", (source: Readable) => stopSource(response, source));
      return false;
    }
    if (response.listenerCount("error") > 0) return false;
    sentTwice(response);
    const onWritten = args.find((one) => typeof one === "function");
    const code = "ERR_STREAM_WRITE_AFTER_END";
    if (onWritten)
      process.nextTick(onWritten, Object.assign(new Error("write after end"), { code }));
    return true;
  };

  /**
   * Cuts off a response whose length is not its Content-Length, which would frame the next response. Node throws this
   * error even where a stream writes, so that nothing could catch it.
   */
  const cutWrongLength = (response: ServerResponse, error: unknown, hasBegun: boolean): void => {
    if ((error as NodeJS.ErrnoException).code !== "ERR_HTTP_CONTENT_LENGTH_MISMATCH") {
      // Node has counted the bytes of this attempt, and another response may follow
      response.strictContentLength = false;
      throw error;
    }
    // the response of a client that has left is never complete
    if (response.destroyed) return;
    // Node holds a response that began with its end, and no part of it is sent
    if (!hasBegun) response.destroy();
    wrongLength(response, error);
  };

  class ExpressResponse extends OwnResponse {
    [lazyLocals]: unknown = undefined;
    [sendingMark] = false;
    [harmlessFinishes] = 0;
    [harmlessCloses] = 0;
    [watchedMark]: boolean | "native" = false;
    [sentFields]: SentFields | undefined = undefined;
    [isDraining] = false;
    override strictContentLength = true;

    get [patchedMark](): boolean {
      const now: Methods = OwnResponse.prototype;
      return now.end !== end || now.setHeader !== setHeader || now.write !== write;
    }

    get [running](): RunningRequests {
      return requests;
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

    override write(chunk: unknown, encoding?: unknown, callback?: unknown): boolean {
      refuseBody(this);
      if (this.req.method === "HEAD") return this.#skip(callback ?? encoding);
      if (hasEnded(this) && isSentTwice(this, encoding, callback)) return false;
      // Node compares the first chunk with the Content-Length only if the head has been written; a tool may still add to it
      if (!this.headersSent && !this[patchedMark] && this.hasHeader("content-length"))
        this.writeHead(this.statusCode);
      try {
        const isTaken = super.write(chunk, encoding as BufferEncoding, callback as () => void);
        // Node may hand the chunk to the socket as late as the next tick
        if (!isTaken) process.nextTick(dropStalledReader, this, stalled);
        return isTaken;
      } catch (error) {
        cutWrongLength(this, error, true);
        return false;
      }
    }

    /**
     * Skips a chunk of the response to HEAD, which has no body: the first chunk ends the response. The producer is told
     * to stop; until it does, it may produce one chunk in each turn of the event loop.
     */
    #skip(onWritten: unknown): boolean {
      if (!this.writableEnded) {
        this.once("unpipe", (source: Readable) => stopSource(this, source));
        super.end();
        (this.req as WalkedRequest)[currentWalk]?.abort(new Error("HEAD needs no body"));
      }
      if (typeof onWritten === "function") process.nextTick(onWritten);
      if (!this[isDraining]) {
        this[isDraining] = true;
        setImmediate(() => {
          this[isDraining] = false;
          this.emit("drain");
        });
      }
      return false;
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
      refuseBody(this);
      const hasBegun = this.headersSent;
      try {
        super.end(chunk, encoding as BufferEncoding, callback as () => void);
        dropStalledReader(this, stalled);
      } catch (error) {
        cutWrongLength(this, error, hasBegun);
      }
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

/** Leaves the body of a request unread if the response that is about to begin is an error, or if nothing can read it. */
const refuseBody = (response: ServerResponse): void => {
  const { req } = response;
  if (req.complete || response.headersSent) return;
  if (response.statusCode >= 400 || req.destroyed) leaveBody(req, response, true);
};

const ignore = (): void => undefined;

type WalkedRequest = IncomingMessage & { readonly [currentWalk]?: Walk | undefined };

/** Returns a header field as a string, as Express sets it. */
const findField = (fields: SentFields | undefined, name: string): string | undefined => {
  if (!fields) return undefined;
  const wanted = name.toLowerCase();
  const found = Object.entries(fields).find(([field]) => field.toLowerCase() === wanted);
  return found && String(found[1]);
};
