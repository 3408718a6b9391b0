import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Application, Express, Request, Response } from "express";
import { RequestError } from "../../errors.ts";
import { endQuietly, watchDump, watchPush } from "../../http/node-internals.ts";
import { failSending } from "../../pipeline/send-result.ts";
import { currentWalk, type Walk } from "../../pipeline/walk.ts";
import type { AppSettings } from "../../results/send-json.ts";
import { bodySink, type BodySink } from "../body/body-sink.ts";
import { readQuery, toQueryText } from "../head/read-query.ts";

/** The options that an application's requests share. */
export interface RequestOptions {
  /** The settings of the application before it is created. */
  readonly settings: AppSettings;
  readonly getApp: () => Express;
  /** Handles errors that occur while Express sends a file. */
  readonly fail: (error: unknown, request: Request, response: Response) => void;
}

/** The request class of an application. */
export interface RequestClass {
  readonly ExpressRequest: typeof IncomingMessage;
  /** Makes requests use the settings of the created application from now on. */
  readonly useSettings: (settings: AppSettings) => void;
}

/** Creates the class of an application's requests. */
export const createRequestClass = (
  OwnMessage: typeof IncomingMessage,
  { settings: firstSettings, getApp, fail }: RequestOptions,
): RequestClass => {
  // for speed, the settings, which requests read often, are kept in a variable
  let settings = firstSettings;
  const parsedQuery: unique symbol = Symbol("parsed query");
  const parsedFor: unique symbol = Symbol("parsed for");
  const parsedBy: unique symbol = Symbol("parsed by");
  const ownNext: unique symbol = Symbol("next");

  /** Finds the mounted application that has changed the prototype of a request, and whose settings then apply. */
  const findMounted = (request: object): Application | undefined =>
    Object.getPrototypeOf(request) === ExpressRequest.prototype
      ? undefined
      : (request as Request).app;

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

    // oxlint-disable-next-line no-useless-constructor -- Node passes the socket to this constructor, which also initialises the fields
    constructor(socket: Socket) {
      super(socket);
    }

    /** Receives the data that Node's parser has read. */
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
      // without a reader, the stream would only end after the response, but handlers expect the request to have ended
      this.read(0);
      return false;
    }

    override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
      this[bodySink]?.leave();
      super._destroy(error, callback);
    }

    /** The query, which is parsed when it is first read. */
    get query(): unknown {
      const url = this.url ?? "";
      // the query is parsed again if a middleware has rewritten the URL
      const mounted = findMounted(this);
      if (this[parsedFor] !== url || this[parsedBy] !== mounted) {
        const own = (mounted as { readonly settings?: AppSettings } | undefined)?.settings;
        this[parsedQuery] = readQuery(toQueryText(url), own ?? settings, () => mounted ?? getApp());
        this[parsedFor] = url;
        this[parsedBy] = mounted;
      }
      return this[parsedQuery];
    }

    set query(query: unknown) {
      this[parsedQuery] = query;
      this[parsedFor] = this.url ?? "";
      this[parsedBy] = findMounted(this);
    }

    /**
     * The function that Express calls, unbound, when it cannot send what a handler asked for; Express' router sets its
     * own.
     */
    get next(): unknown {
      const walk = this[currentWalk];
      if (walk?.next !== undefined) return walk.next;
      if (!walk && this[ownNext] !== undefined) return this[ownNext];
      return (error?: unknown): void => {
        // without an error, there was nothing to send, as for a directory
        const fault = error ?? new RequestError("SLP_NOT_FOUND");
        if (walk) failSending(walk, fault);
        else fail(fault, this as unknown as Request, this.res as Response);
      };
    }

    set next(next: unknown) {
      const walk = this[currentWalk];
      // a router within a native middleware sets its own `next`, and restores that of the middleware afterwards
      if (walk?.next === undefined) this[ownNext] = next;
      else walk.next = next;
    }
  }

  watchPush(ExpressRequest.prototype);
  watchDump(ExpressRequest.prototype);
  return {
    ExpressRequest,
    useSettings: (made) => {
      settings = made;
    },
  };
};
