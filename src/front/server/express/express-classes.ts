import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { Readable } from "node:stream";
import { discardRestOfBody } from "../../../wire/reply/close-after-reply.ts";
import { findState, type RequestState } from "../../../serve/pipeline/request-state.ts";
import { requestState } from "../../../wire/exchange/exchange.ts";
import { cutOff, isPiped, stopSource } from "../../../wire/exchange/node-response.ts";
import type { AppFacts, AppSettings } from "../../../wire/exchange/ways.ts";
import type { Application, Express, Request, Response } from "express";
import { RequestError, ServerFault } from "../../../basics/errors.ts";
import { warnAlreadySent } from "../../../serve/pipeline/answer.ts";
import { logServerFault } from "../../../define/results/log-fault.ts";
import { hasNodeState } from "../../../basics/http/node-internals.ts";
import { readOtherQuery } from "../../../serve/request/other-query.ts";
import { hasTooManyPairs, parseQuery, toQueryText } from "../../../basics/http/query.ts";
import { requestNext } from "./request-next.ts";

/** Node creates a request with one value, and Bun with eight. */
type AnyMessage = typeof IncomingMessage & (new (...given: readonly unknown[]) => IncomingMessage);

export const createRequestClass = (
  OwnMessage: typeof IncomingMessage,
  facts: AppFacts,
  getApp: () => Express,
): typeof IncomingMessage => {
  /** Finds the mounted application that has changed the prototype of a request, and whose settings then apply. */
  const findMounted = (request: object): Application | undefined =>
    Object.getPrototypeOf(request) === ExpressRequest.prototype
      ? undefined
      : (request as Request).app;

  class ExpressRequest extends (OwnMessage as AnyMessage) {
    res: unknown = undefined;
    body: unknown = undefined;
    params: unknown = undefined;
    route: unknown = undefined;
    baseUrl = "";
    originalUrl = "";
    [requestState]: RequestState | undefined = undefined;

    // oxlint-disable-next-line no-useless-constructor -- it also initialises the fields; an array of values would take 0.2 µs
    constructor(
      a?: unknown,
      b?: unknown,
      c?: unknown,
      d?: unknown,
      e?: unknown,
      f?: unknown,
      g?: unknown,
      h?: unknown,
    ) {
      super(a, b, c, d, e, f, g, h);
    }

    get query(): unknown {
      const url = this.url ?? "";
      const app = findMounted(this);
      const state = findState(this);
      const known = state?.query;
      // the query is parsed again if a middleware has rewritten the URL
      if (known?.url === url && known.app === app) return known.value;
      const own = (app as { readonly settings?: AppSettings } | undefined)?.settings;
      const text = toQueryText(url);
      if (hasTooManyPairs(text)) throw new RequestError("SLP_QUERY_TOO_MANY_PARAMETERS");
      const settings = own ?? facts.settings;
      const value =
        settings["query parser"] === "simple"
          ? parseQuery(text)
          : readOtherQuery(text, settings, app ?? getApp());
      if (state) state.query = { value, url, app };
      return value;
    }

    set query(value: unknown) {
      const state = findState(this);
      if (state) state.query = { value, url: this.url ?? "", app: findMounted(this) };
    }
  }

  Object.defineProperty(ExpressRequest.prototype, "next", requestNext);
  facts.ways.endRequests(ExpressRequest.prototype);
  return ExpressRequest;
};

type NodeResponse = typeof ServerResponse<IncomingMessage>;

/** @param idleTimeout how long a client may read nothing, in milliseconds; 0 for no limit */
export const createResponseClass = (
  OwnResponse: NodeResponse,
  { ways }: Pick<AppFacts, "ways">,
  idleTimeout: number,
): NodeResponse => {
  const isStrict = comparesLengths(OwnResponse);
  const isOfNode = hasNodeState(OwnResponse);
  const inherited: { readonly write: unknown } = OwnResponse.prototype;
  class ExpressResponse extends OwnResponse {
    override strictContentLength = isStrict;
    [requestState]: RequestState | undefined = undefined;

    // fields that were sent without `setHeader` are returned too
    override getHeader(name: string): number | string | string[] | undefined {
      return super.getHeader(name) ?? findField(this, name);
    }

    override getHeaders(): OutgoingHttpHeaders {
      const headers = super.getHeaders();
      for (const [name, value] of Object.entries(findState(this)?.sentFields ?? {}))
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
      if (this.req.method === "HEAD") return skip(this, () => super.end(), callback ?? encoding);
      // Node's own `finished`, because compression replaces `writableEnded`
      if (this.finished && isSentTwice(this, encoding, callback)) return false;
      // Node compares the first chunk with the Content-Length only if the head has been written; a tool may still add to it
      const mayWriteHead = !this.headersSent && !findState(this)?.app?.isPatched();
      if (mayWriteHead && this.hasHeader("content-length")) this.writeHead(this.statusCode);
      try {
        const isText =
          typeof chunk === "string" && encoding === undefined && callback === undefined;
        const hasRoom =
          (isText ? ways.writeText(this, chunk, inherited.write) : undefined) ??
          super.write(chunk, encoding as BufferEncoding, callback as () => void);
        // Node may hand the chunk to the socket as late as the next tick
        if (!hasRoom) process.nextTick(dropStalledReader, this, idleTimeout);
        return hasRoom;
      } catch (error) {
        cutWrongLength(this, error, true);
        return false;
      }
    }

    /** Ends the response; a producer that has not noticed the end of a response to HEAD may end it again. */
    override end(chunk?: unknown, encoding?: unknown, callback?: unknown): this {
      if (this.writableEnded && this.req.method === "HEAD") return this;
      if (this.finished) {
        const hasChunk = chunk !== undefined && chunk !== null && typeof chunk !== "function";
        if (hasChunk && isSentTwice(this, encoding, callback)) return this;
      }
      refuseBody(this);
      const hasBegun = this.headersSent;
      // before version 26, Node would send the chunks that `cork` holds after the end; Deno never counts down to 0 then
      for (let corks = this.writableCorked; corks > 0; corks--) this.uncork();
      try {
        super.end(chunk, encoding as BufferEncoding, callback as () => void);
        // on Node, the question to the socket is the cheaper one
        if (isOfNode ? this.socket?.writableLength : this.writableLength)
          dropStalledReader(this, idleTimeout);
      } catch (error) {
        cutWrongLength(this, error, hasBegun);
      }
      return this;
    }

    /** As of a socket, one call too many does nothing; before version 26, Node would hold each later chunk. */
    override uncork(): void {
      if (this.writableCorked > 0) super.uncork();
    }

    get locals(): unknown {
      return defineLocals(this, Object.create(null));
    }

    set locals(value: unknown) {
      defineLocals(this, value);
    }
  }

  return ExpressResponse;
};

/**
 * Checks whether Node compares the length of a body with a Content-Length that is a string, as Express sets it. Up to
 * versions 20.19.4 and 22.12, Node finds that any two differ, so that wrong lengths cannot be noticed there.
 */
const comparesLengths = (OwnResponse: NodeResponse): boolean => {
  const response = new OwnResponse({ method: "GET" } as IncomingMessage);
  response.strictContentLength = true;
  response.setHeader("Content-Length", "1");
  try {
    response.end("a");
    return true;
  } catch {
    return false;
  }
};

/** Defines a property of the response itself, because a mounted application replaces the prototype. */
const defineLocals = (response: object, value: unknown): unknown => {
  // not of the prototype, which all responses share; another server's response has no state
  const own = Object.hasOwn(response, "req") ? response : undefined;
  const owner: object | undefined = findState(response)?.response ?? own;
  const field = { value, writable: true, enumerable: true, configurable: true };
  if (owner) Object.defineProperty(owner, "locals", field);
  return owner && value;
};

/**
 * Skips a chunk of the response to HEAD, which has no body: the first chunk ends the response. The producer is told to
 * stop; until it does, it may produce one chunk in each turn of the event loop.
 */
const skip = (response: ServerResponse, end: () => void, onWritten: unknown): false => {
  const state = findState(response);
  if (!response.writableEnded) {
    response.once("unpipe", (source: Readable) => stopSource(response, source));
    end();
    // a handler may begin to listen to the signal after its first piece
    setImmediate(() => state?.abort(new Error("HEAD needs no body")));
  }
  if (typeof onWritten === "function") process.nextTick(onWritten);
  if (!draining.has(response)) {
    draining.add(response);
    setImmediate(() => {
      draining.delete(response);
      response.emit("drain");
    });
  }
  return false;
};

/** The responses to HEAD that emit `drain` in the next turn of the event loop, for their producers. */
const draining = new WeakSet<ServerResponse>();

/** Listens for the errors that Node emits for each write after the end; one that nobody listens for ends the process. */
const ignoreLate = (): void => undefined;

/**
 * Reports a write after the end of a response that has no other `error` listener; otherwise, Node emits an error. The
 * response that was sent is kept.
 */
const isSentTwice = (response: ServerResponse, ...args: readonly unknown[]): boolean => {
  const isFedByPipe = isPiped(response);
  const isFirst = response.listenerCount("error", ignoreLate) === 0;
  const isHeard = response.listenerCount("error") > (isFirst ? 0 : 1);
  if (isFirst) response.on("error", ignoreLate);
  if (isHeard && !isFedByPipe) return false;
  const state = findState(response);
  if (state) warnAlreadySent(state);
  if (isFedByPipe) {
    // a stream that is piped stops at the error that Node emits
    if (isFirst) response.on("unpipe", (source: Readable) => stopSource(response, source));
    return false;
  }
  const onWritten = args.find((one) => typeof one === "function");
  const code = "ERR_STREAM_WRITE_AFTER_END";
  if (onWritten) process.nextTick(onWritten, Object.assign(new Error("write after end"), { code }));
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
  cutOff(response);
  const state = findState(response);
  const text = "The body has another length than its Content-Length";
  if (state)
    logServerFault(state.logger, state.request, new ServerFault("SLP_CONTENT_LENGTH", text, error));
};

/** Leaves the body of a request unread if the response that is about to begin is an error, or if nothing can read it. */
const refuseBody = (response: ServerResponse): void => {
  const { req } = response;
  if (req.complete || response.headersSent) return;
  if (response.statusCode >= 400 || req.destroyed) discardRestOfBody(req, response, true);
};

/** Returns a header field that was sent without `setHeader`. */
const findField = (response: ServerResponse, name: string) =>
  findState(response)?.sentFields && response.getHeaders()[name.toLowerCase()];

const watched = new WeakSet<ServerResponse>();

/** Drops a client that reads nothing for too long; called after each write. A timeout of 0 means no limit. */
export const dropStalledReader = (response: ServerResponse, timeout: number): void => {
  const { socket } = response;
  // that of an adapter's socket may be missing, and that of Bun's sockets is 0
  if (!socket || !response.writableLength || timeout === 0 || watched.has(response)) return;
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
    if (response.writableLength === 0) return;
    const text = "Closed the connection of a client that does not read its response";
    findState(response)?.logger.debug(text);
    socket.destroy();
  });
};

/** Returns a function that tells whether a tool has replaced methods of all responses, as it does to add header fields. */
export const toPatchCheck = (
  methods: Readonly<Record<"end" | "setHeader" | "write", unknown>>,
): AppFacts["isPatched"] => {
  const { end, setHeader, write } = methods;
  return () => methods.end !== end || methods.setHeader !== setHeader || methods.write !== write;
};

/** Returns a function that also tells whether the application has replaced one of Express' methods that send JSON. */
export const toExpressPatchCheck = (
  methods: Response,
  isNodePatched: AppFacts["isPatched"],
): AppFacts["isPatched"] => {
  const { get, header, json, send, set, status, type } = methods as unknown as ExpressMethods;
  const own = methods as unknown as ExpressMethods;
  return () =>
    isNodePatched() ||
    own.json !== json ||
    own.send !== send ||
    own.status !== status ||
    own.set !== set ||
    own.header !== header ||
    own.get !== get ||
    own.type !== type;
};

/** The methods that `response.json` calls. */
type ExpressMethods = Readonly<
  Record<"get" | "header" | "json" | "send" | "set" | "status" | "type", unknown>
>;
