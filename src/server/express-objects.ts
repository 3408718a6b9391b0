import type { IncomingMessage, ServerResponse } from "node:http";
import { createRequire } from "node:module";
import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import type express from "express";
import type { Express, Request, Response } from "express";
import { RequestError } from "../errors.ts";
import { sendingMark } from "../pipeline/response-state.ts";
import { failWalk } from "../pipeline/send-result.ts";
import { currentWalk, type Walk } from "../pipeline/walk.ts";
import { loadNodeHttp } from "../http/node-http.ts";
import { hasTooManyPairs, parseQuery } from "../http/query.ts";
import { dropStalledReader, type StalledReaderOptions } from "./stalled-reader.ts";

const require = createRequire(import.meta.url);

/** Loads Express when it is first needed, so that importing this package does not. */
export const loadExpress = (): typeof express => require("express") as typeof express;

/** The classes of the requests and responses of one application, for `http.createServer`. */
export interface ExpressObjects {
  readonly IncomingMessage: typeof IncomingMessage;
  readonly ServerResponse: typeof ServerResponse<IncomingMessage>;
}

/** From now on each reply ends its connection; put into the class when it is needed, so that it costs nothing before. */
export const endConnections = ({ ServerResponse: { prototype } }: ExpressObjects): void => {
  const { ServerResponse } = loadNodeHttp();
  Object.defineProperty(prototype, "writeHead", {
    configurable: true,
    writable: true,
    value(this: ServerResponse, ...head: Parameters<ServerResponse["writeHead"]>): ServerResponse {
      this.shouldKeepAlive = false;
      return ServerResponse.prototype.writeHead.apply(this, head);
    },
  });
};

/** Handles what goes wrong while Express sends a file. */
export type FailureHandler = (error: unknown, request: Request, response: Response) => void;

/**
 * Makes an Express application and classes whose instances are its requests and responses from their birth on.
 *
 * Express gives each request and response its prototypes; here they have them already, so a request costs
 * no `setPrototypeOf`, and its fields are declared at once, so that all requests share one shape.
 */
export const createExpressObjects = (
  fail: FailureHandler,
  stalled: StalledReaderOptions,
): ExpressObjects & { readonly app: Express } => {
  const { IncomingMessage, ServerResponse } = loadNodeHttp();
  const app = loadExpress()();
  const parsedQuery: unique symbol = Symbol("parsed query");
  const parsedFor: unique symbol = Symbol("parsed for");
  const ownNext: unique symbol = Symbol("next");
  const lazyLocals: unique symbol = Symbol("locals");

  class ExpressRequest extends IncomingMessage {
    res: unknown = undefined;
    body: unknown = undefined;
    params: unknown = undefined;
    route: unknown = undefined;
    baseUrl = "";
    originalUrl = "";
    [parsedQuery]: unknown = undefined;
    [parsedFor]: string | undefined = undefined;
    [ownNext]: unknown = undefined;
    [currentWalk]: Walk | undefined = undefined;

    // oxlint-disable-next-line no-useless-constructor -- Node passes the socket, and the fields must be declared after it
    constructor(socket: Socket) {
      super(socket);
    }

    /** Parsed once, when it is first read. */
    get query(): unknown {
      const url = this.url ?? "";
      // a middleware may rewrite the URL
      if (this[parsedFor] !== url) {
        this[parsedQuery] = readQuery(app, url);
        this[parsedFor] = url;
      }
      return this[parsedQuery];
    }

    set query(query: unknown) {
      this[parsedQuery] = query;
      this[parsedFor] = this.url;
    }

    /** What Express calls, unbound, when it cannot send what a handler asked for; its router sets its own. */
    get next(): unknown {
      const walk = this[currentWalk];
      if (!walk && this[ownNext] !== undefined) return this[ownNext];
      return (error?: unknown): void => {
        // without an error it means that there is nothing to send, such as a directory
        const fault = error ?? new RequestError("SLP_NOT_FOUND");
        if (walk) failWalk(walk, fault);
        else fail(fault, this as unknown as Request, this.res as Response);
      };
    }

    set next(next: unknown) {
      this[ownNext] = next;
    }
  }

  class ExpressResponse extends ServerResponse {
    [lazyLocals]: unknown = undefined;
    [sendingMark] = false;

    /** A pipelined response may be written before it has its turn on the socket. */
    override assignSocket(socket: Socket): void {
      super.assignSocket(socket);
      dropStalledReader(this, stalled);
    }

    /** The answer to HEAD needs no body, so its first byte ends it, and tells the producer to stop. */
    override write(chunk: unknown, encoding?: unknown, callback?: unknown): boolean {
      if (this.req.method !== "HEAD") {
        const isTaken = super.write(chunk, encoding as BufferEncoding, callback as () => void);
        if (!isTaken) dropStalledReader(this, stalled);
        return isTaken;
      }
      this.once("unpipe", (source: Readable) => source.destroy());
      super.end();
      (this.req as ExpressRequest)[currentWalk]?.abort(new Error("HEAD needs no body"));
      const onWritten = callback ?? encoding;
      if (typeof onWritten === "function") process.nextTick(onWritten);
      return true;
    }

    /** A producer that did not notice may end it again, with a last piece. */
    override end(chunk?: unknown, encoding?: unknown, callback?: unknown): this {
      if (this.writableEnded && this.req.method === "HEAD") return this;
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

  adopt(ExpressRequest.prototype, app.request, ["query", "next"]);
  adopt(ExpressResponse.prototype, app.response, ["locals"]);
  markSending(ExpressResponse.prototype as unknown as Response);
  app.request = ExpressRequest.prototype as unknown as Request;
  app.response = ExpressResponse.prototype as unknown as Response;
  return { app, IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse };
};

/** Gives a prototype what Express' own has: its methods and getters, and the application. */
const adopt = (target: object, own: object, except: readonly string[]): void => {
  for (const source of [Object.getPrototypeOf(own) as object, own]) {
    const descriptors = Object.getOwnPropertyDescriptors(source);
    for (const name of except) delete descriptors[name as keyof typeof descriptors];
    Object.defineProperties(target, descriptors);
  }
};

const marked = new WeakSet<Response>();

/** Makes the methods that send later, after they have returned, say so at once; for the prototype of an application's responses. */
export const markSending = (prototype: Response): void => {
  if (marked.has(prototype)) return;
  marked.add(prototype);
  for (const name of ["sendFile", "download", "render"] as const) {
    const original = prototype[name] as (this: Response, ...args: unknown[]) => unknown;
    Object.defineProperty(prototype, name, {
      configurable: true,
      writable: true,
      value(this: Response & { [sendingMark]?: boolean }, ...args: unknown[]): unknown {
        this[sendingMark] = true;
        try {
          return original.apply(this, args);
        } catch (error) {
          // nothing is being sent
          if (!this.headersSent) this[sendingMark] = false;
          throw error;
        }
      },
    });
  }
};

const readQuery = (app: Express, url: string): unknown => {
  const start = url.indexOf("?");
  const end = url.indexOf("#");
  const query = start < 0 ? "" : url.slice(start + 1, end < 0 ? undefined : end);
  if (hasTooManyPairs(query)) throw new RequestError("SLP_QUERY_TOO_MANY_PARAMETERS");
  if (app.get("query parser") === "simple") return parseQuery(query);
  const parseBySetting = app.get("query parser fn") as ((query: string) => unknown) | undefined;
  return parseBySetting?.(query) ?? {};
};

/** Connects a request and its response as Express does, where its stack is not entered. */
export const connect = (request: Request, response: Response): void => {
  request.res = response;
  response.req = request;
  request.originalUrl = request.url;
};
