import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { Readable } from "node:stream";
import { leaveBody } from "../../reply/closing.ts";
import { isPiped } from "../../http/node-internals.ts";
import { findState, type RequestState } from "../../pipeline/request-state.ts";
import { stopSource } from "../../reply/response-state.ts";
import { type SentFields, requestState } from "../../reply/reply-state.ts";

type NodeResponse = typeof ServerResponse<IncomingMessage>;

/** The options that an application's responses share. */
export interface ResponseOptions {
  readonly stalled: StalledReaderOptions;
  /** Logs that something was written to a response that had already ended. */
  readonly sentTwice: (response: ServerResponse) => void;
  /** Logs Node's error for a body that has another length than the Content-Length, and closes the connection. */
  readonly wrongLength: (response: ServerResponse, error: unknown) => void;
}

/** Creates the class of an application's responses. */
export const createResponseClass = (
  OwnResponse: NodeResponse,
  { stalled, sentTwice, wrongLength }: ResponseOptions,
): NodeResponse => {
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
    if ((error as NodeJS.ErrnoException).code !== "ERR_HTTP_CONTENT_LENGTH_MISMATCH") throw error;
    // the response of a client that has left is never complete
    if (response.destroyed) return;
    // Node holds a response that began with its end, and no part of it is sent
    if (!hasBegun) response.destroy();
    wrongLength(response, error);
  };

  class ExpressResponse extends OwnResponse {
    override strictContentLength = true;
    [requestState]: RequestState | undefined = undefined;

    // fields that were sent without `setHeader` are returned too
    override getHeader(name: string): number | string | string[] | undefined {
      return super.getHeader(name) ?? findField(this, name);
    }

    override getHeaders(): OutgoingHttpHeaders {
      const fields = findState(this)?.sentFields;
      const headers = super.getHeaders();
      if (fields)
        for (const [name, value] of Object.entries(fields))
          headers[name.toLowerCase()] ??= String(value);
      return headers;
    }

    override getHeaderNames(): string[] {
      return findState(this)?.sentFields ? Object.keys(this.getHeaders()) : super.getHeaderNames();
    }

    override hasHeader(name: string): boolean {
      return super.hasHeader(name) || findField(this, name) !== undefined;
    }

    override write(chunk: unknown, encoding?: unknown, callback?: unknown): boolean {
      refuseBody(this);
      if (this.req.method === "HEAD") return this.#skip(callback ?? encoding);
      if (hasEnded(this) && isSentTwice(this, encoding, callback)) return false;
      // Node compares the first chunk with the Content-Length only if the head has been written; a tool may still add to it
      if (!this.headersSent && !isPatched(this) && this.hasHeader("content-length"))
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
        findState(this)?.abort(new Error("HEAD needs no body"));
      }
      if (typeof onWritten === "function") process.nextTick(onWritten);
      const state = findState(this);
      if (state && !state.isDraining) {
        state.isDraining = true;
        setImmediate(() => {
          state.isDraining = false;
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
      const state = findState(this);
      return state && (state.locals ??= Object.create(null));
    }

    set locals(locals: unknown) {
      const state = findState(this);
      if (state) state.locals = locals;
    }
  }

  return ExpressResponse;
};

/** Leaves the body of a request unread if the response that is about to begin is an error, or if nothing can read it. */
const refuseBody = (response: ServerResponse): void => {
  const { req } = response;
  if (req.complete || response.headersSent) return;
  if (response.statusCode >= 400 || req.destroyed) leaveBody(req, response, true);
};

const isPatched = (response: ServerResponse): boolean =>
  findState(response)?.app?.isPatched() === true;

const ignore = (): void => undefined;

/** Returns a header field that was sent without `setHeader` as a string, as Express sets it. */
const findField = (response: ServerResponse, name: string): string | undefined => {
  const fields: SentFields | undefined = findState(response)?.sentFields;
  if (!fields) return undefined;
  const wanted = name.toLowerCase();
  const found = Object.entries(fields).find(([field]) => field.toLowerCase() === wanted);
  return found && String(found[1]);
};

/** The default of the option `responseIdleTimeout`, in milliseconds. */
export const defaultResponseIdleTimeout = 30_000;

/** Options for dropping clients that do not read their responses. */
export interface StalledReaderOptions {
  /** How long a client may read nothing, in milliseconds; 0 for no limit. */
  readonly timeout: number;
  readonly report: (response: ServerResponse) => void;
}

/** The responses whose clients are watched. */
const watched = new WeakSet<ServerResponse>();

/**
 * Drops the connection of a response whose client reads nothing for too long; called after each write. As long as the
 * kernel accepts everything that is written, no timer is started.
 */
export const dropStalledReader = (
  response: ServerResponse,
  { timeout, report }: StalledReaderOptions,
): void => {
  const { socket } = response;
  // an adapter's socket may have no `writableLength`
  if (!socket?.writableLength || timeout === 0 || watched.has(response)) return;
  // the application may have set its own timeout, and an adapter's socket may have no `setTimeout`
  if (socket.timeout || !("setTimeout" in socket)) return;
  watched.add(response);
  // Node's timeout also restarts when the client has read a part of a write
  socket.setTimeout(timeout);
  // this must run before Node sets the timeout of the idle connection
  response.prependOnceListener("finish", () => {
    if (socket.timeout === timeout) socket.setTimeout(0);
  });
  response.on("timeout", () => {
    // the timeout also expires if the handler pauses after the client has read everything
    if (socket.writableLength === 0) return;
    report(response);
    socket.destroy();
  });
};
