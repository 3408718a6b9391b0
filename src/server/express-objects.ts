import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import type { Application, Express, Request, Response } from "express";
import { RequestError } from "../errors.ts";
import { sendingMark } from "../pipeline/response-state.ts";
import { failWalk } from "../pipeline/send-result.ts";
import { Stoppables, stoppables } from "../pipeline/stoppables.ts";
import { currentWalk, type Walk } from "../pipeline/walk.ts";
import { loadNodeHttp } from "../http/node-modules.ts";
import { unreadQuery } from "../http/query.ts";
import {
  type AppSettings,
  type SentFields,
  appSettings,
  sentFields,
  untouched,
  watchedMark,
} from "../results/send-json.ts";
import { bodySink, type BodySink } from "./body-sink.ts";
import type { ServerConfig } from "./config.ts";
import {
  adopt,
  adoptLater,
  isExpressLoaded,
  loadExpress,
  requestMembers,
  responseMembers,
} from "./lazy-express.ts";
import { markSending } from "./mark-sending.ts";
import { readQuery, toQueryText } from "./read-query.ts";
import { endQuietly } from "./quiet-end.ts";
import { runningReply } from "./running-reply.ts";
import { dropStalledReader, type StalledReaderOptions } from "./stalled-reader.ts";

/** The request and response classes of one application, for `http.createServer`. */
export interface ExpressObjects {
  readonly IncomingMessage: typeof IncomingMessage;
  readonly ServerResponse: typeof ServerResponse<IncomingMessage>;
  /** The application; it is created, and Express loaded, when first needed. */
  readonly getApp: () => Express;
  /** The application, if it has been created. */
  readonly findApp: () => Express | undefined;
  /** The requests to notify of a shutdown. */
  readonly toStop: Stoppables;
}

/** What the requests and responses of an application are created with. */
export interface ExpressPlan {
  readonly etag?: ServerConfig["etag"];
  readonly queryParser?: ServerConfig["queryParser"];
  readonly stalled: StalledReaderOptions;
  /** Handles errors that occur while Express sends a file. */
  readonly fail: (error: unknown, request: Request, response: Response) => void;
  /** Logs that something was written to a response that had ended. */
  readonly sentTwice: (response: ServerResponse) => void;
  /** Adds the API to the application once it is created. */
  readonly build: (app: Express) => void;
}

/**
 * The classes between an application's and Node's in the prototype chain, for tools that replace them, such as
 * light-my-request.
 */
const toOwnClasses = () => {
  const node = loadNodeHttp();
  class OwnMessage extends node.IncomingMessage {}
  class OwnResponse extends node.ServerResponse {}
  const { _dump: dump } = node.IncomingMessage.prototype as unknown as { _dump: () => void };
  return { OwnMessage, OwnResponse, dump };
};

/**
 * Creates an Express application, and classes whose instances are its requests and responses from the start.
 *
 * Express sets the prototypes of each request and response; here the classes have them already, so a request costs no
 * `setPrototypeOf`. Fields are declared in the constructor, so that all requests share one shape. Express itself is
 * loaded when one of its members is first used, which saves 90 milliseconds at start.
 */
export const createExpressObjects = (plan: ExpressPlan): ExpressObjects => {
  const { etag = false, queryParser = "simple", stalled, fail, sentTwice, build } = plan;
  const { OwnMessage, OwnResponse, dump } = toOwnClasses();
  /** The application's settings, as far as they matter, even before it is created. */
  let settings: AppSettings = { "query parser": queryParser, [untouched]: true };
  let app: Express | undefined;
  const toStop = new Stoppables();
  const getApp = (): Express => {
    if (app) return app;
    app = loadExpress()();
    adopt(ExpressRequest.prototype, app.request, ["query", "next"]);
    adopt(ExpressResponse.prototype, app.response, ["locals"]);
    markSending(ExpressResponse.prototype as unknown as Response);
    app.request = ExpressRequest.prototype as unknown as Request;
    app.response = ExpressResponse.prototype as unknown as Response;
    app.disable("x-powered-by");
    app.set("etag", etag);
    app.set("query parser", queryParser);
    ({ settings } = app as unknown as { readonly settings: AppSettings });
    build(app);
    return app;
  };
  const parsedQuery: unique symbol = Symbol("parsed query");
  const parsedFor: unique symbol = Symbol("parsed for");
  const parsedBy: unique symbol = Symbol("parsed by");
  const ownNext: unique symbol = Symbol("next");
  const lazyLocals: unique symbol = Symbol("locals");

  /** A mounted application gives a request its own prototype, and has its own settings. */
  const findMounted = (request: object): Application | undefined =>
    Object.getPrototypeOf(request) === ExpressRequest.prototype
      ? undefined
      : (request as Request).app;

  /** Node's own `writableEnded`, which compression replaces. */
  const hasEnded = (response: object): boolean => (response as { finished: boolean }).finished;

  /** Node would emit an error, which ends the process if nobody listens; the first response stands. */
  const isSentTwice = (response: ServerResponse, ...args: readonly unknown[]): boolean => {
    if (response.listenerCount("error") > 0) return false;
    sentTwice(response);
    const onWritten = args.find((one) => typeof one === "function");
    const code = "ERR_STREAM_WRITE_AFTER_END";
    if (onWritten)
      process.nextTick(onWritten, Object.assign(new Error("write after end"), { code }));
    return true;
  };

  class ExpressRequest extends OwnMessage {
    res: unknown = undefined;
    body: unknown = undefined;
    params: unknown = undefined;
    route: unknown = undefined;
    baseUrl = "";
    originalUrl = "";
    [parsedQuery]: unknown = undefined;
    [parsedFor]: string | undefined = undefined;
    [parsedBy]: Application | undefined = undefined;
    [ownNext]: unknown = undefined;
    [currentWalk]: Walk | undefined = undefined;
    [bodySink]: BodySink | undefined = undefined;

    // oxlint-disable-next-line no-useless-constructor -- Node passes the socket, and the fields must be declared after it
    constructor(socket: Socket) {
      super(socket);
    }

    /** What the parser of node:http has read. */
    override push(piece: Buffer | null, encoding?: BufferEncoding): boolean {
      const sink = this[bodySink];
      if (!sink) return super.push(piece, encoding);
      if (piece !== null) {
        sink.take(piece);
        return true;
      }
      sink.end();
      if (endQuietly(this)) return false;
      super.push(null);
      // without a reader, the stream would end with the response; handlers and middlewares rely on a request that has ended
      this.read(0);
      return false;
    }

    /** Node calls this once the response is out, to read the rest of the body. */
    _dump(): void {
      if (!endQuietly(this)) dump.call(this);
    }

    override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
      this[bodySink]?.leave();
      super._destroy(error, callback);
    }

    /** Parsed once, when first read. */
    get query(): unknown {
      const url = this.url ?? "";
      // a middleware may rewrite the URL
      const mounted = findMounted(this);
      if (this[parsedFor] !== url || this[parsedBy] !== mounted) {
        const own = (mounted as { readonly settings?: AppSettings } | undefined)?.settings;
        this[parsedQuery] = readQuery(toQueryText(url), own ?? settings, () => mounted ?? getApp());
        this[parsedFor] = url;
        this[parsedBy] = mounted;
      }
      return this[parsedQuery];
    }

    get [unreadQuery](): string | undefined {
      if (this[parsedFor] !== undefined || settings["query parser"] !== "simple") return undefined;
      // a middleware may redefine it
      if (Object.hasOwn(this, "query") || findMounted(this)) return undefined;
      return toQueryText(this.url ?? "");
    }

    set query(query: unknown) {
      this[parsedQuery] = query;
      this[parsedFor] = this.url ?? "";
      this[parsedBy] = findMounted(this);
    }

    /** Express calls this, unbound, when it cannot send what a handler asked for; its router sets its own. */
    get next(): unknown {
      const walk = this[currentWalk];
      if (walk?.next !== undefined) return walk.next;
      if (!walk && this[ownNext] !== undefined) return this[ownNext];
      return (error?: unknown): void => {
        // without an error, there is nothing to send, as for a directory
        const fault = error ?? new RequestError("SLP_NOT_FOUND");
        if (walk) failWalk(walk, fault);
        else fail(fault, this as unknown as Request, this.res as Response);
      };
    }

    set next(next: unknown) {
      const walk = this[currentWalk];
      // a router within a native middleware sets its own, and restores that of the middleware afterwards
      if (walk?.next === undefined) this[ownNext] = next;
      else walk.next = next;
    }
  }

  class ExpressResponse extends OwnResponse {
    [lazyLocals]: unknown = undefined;
    [sendingMark] = false;
    [watchedMark] = false;
    [sentFields]: SentFields | undefined = undefined;

    get [stoppables](): Stoppables {
      return toStop;
    }

    get [appSettings](): AppSettings {
      return settings;
    }

    override assignSocket(socket: Socket): void {
      super.assignSocket(socket);
      (socket as ReplyingSocket)[runningReply] = this;
    }

    // fields sent without `setHeader` are listed too
    override getHeader(name: string): number | string | string[] | undefined {
      return super.getHeader(name) ?? findField(this[sentFields], name);
    }

    override getHeaders(): OutgoingHttpHeaders {
      const fields = this[sentFields];
      const headers = super.getHeaders();
      if (fields)
        for (const [name, value] of Object.entries(fields)) headers[name.toLowerCase()] ??= value;
      return headers;
    }

    override getHeaderNames(): string[] {
      return this[sentFields] ? Object.keys(this.getHeaders()) : super.getHeaderNames();
    }

    override hasHeader(name: string): boolean {
      return super.hasHeader(name) || findField(this[sentFields], name) !== undefined;
    }

    /** The response to HEAD has no body, so its first byte ends it and tells the producer to stop. */
    override write(chunk: unknown, encoding?: unknown, callback?: unknown): boolean {
      if (this.req.method !== "HEAD") {
        if (hasEnded(this) && isSentTwice(this, encoding, callback)) return false;
        const isTaken = super.write(chunk, encoding as BufferEncoding, callback as () => void);
        // Node may hand it to the socket only in the next tick
        if (!isTaken) process.nextTick(dropStalledReader, this, stalled);
        return isTaken;
      }
      this.once("unpipe", (source: Readable) => source.destroy());
      super.end();
      (this.req as ExpressRequest)[currentWalk]?.abort(new Error("HEAD needs no body"));
      const onWritten = callback ?? encoding;
      if (typeof onWritten === "function") process.nextTick(onWritten);
      return true;
    }

    /** A producer that did not notice may end it again, with a last chunk. */
    override end(chunk?: unknown, encoding?: unknown, callback?: unknown): this {
      if (this.writableEnded && this.req.method === "HEAD") return this;
      if (hasEnded(this)) {
        const hasChunk = chunk !== undefined && chunk !== null && typeof chunk !== "function";
        if (hasChunk && isSentTwice(this, encoding, callback)) return this;
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

  adoptLater(ExpressRequest.prototype, requestMembers, getApp);
  adoptLater(ExpressResponse.prototype, responseMembers, getApp);
  if (etag || isExpressLoaded()) getApp();
  return {
    getApp,
    findApp: () => app,
    toStop,
    IncomingMessage: ExpressRequest,
    ServerResponse: ExpressResponse,
  };
};

type ReplyingSocket = Socket & { [runningReply]?: ServerResponse | undefined };

const findField = (fields: SentFields | undefined, name: string): string | number | undefined => {
  if (!fields) return undefined;
  const wanted = name.toLowerCase();
  return Object.entries(fields).find(([field]) => field.toLowerCase() === wanted)?.[1];
};

/** Connects a request and its response as Express does, for requests that skip its stack. */
export const connect = (request: Request, response: Response): void => {
  request.res = response;
  response.req = request;
  request.originalUrl = request.url;
};
