import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Application, Express, Request, Response } from "express";
import { RequestError } from "../../errors.ts";
import { watchDump } from "../../http/node-internals.ts";
import { unreadQuery } from "../../http/query.ts";
import { failSending } from "../../pipeline/send-result.ts";
import { currentWalk, type Walk } from "../../pipeline/walk.ts";
import { type AppSettings, untouched } from "../../results/send-json.ts";
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

    // oxlint-disable-next-line no-useless-constructor -- Node passes the socket to this constructor, which also initialises the fields
    constructor(socket: Socket) {
      super(socket);
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

    get [unreadQuery](): string | undefined {
      if (this[parsedFor] !== undefined || settings["query parser"] !== "simple") return undefined;
      // a middleware may have redefined `query` on this request, or a hook on all requests
      if (Object.hasOwn(this, "query") || findMounted(this) || isQueryRedefined()) return undefined;
      return toQueryText(this.url ?? "");
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

  const findQueryGetter = (): unknown =>
    (
      Object.getOwnPropertyDescriptor(ExpressRequest.prototype, "query") as
        | { get?: unknown }
        | undefined
    )?.get;
  const ownQueryGetter = findQueryGetter();
  /**
   * Checks whether a hook has redefined `query` on the prototype, which is `app.request`. This is impossible before the
   * application is created.
   */
  const isQueryRedefined = (): boolean =>
    settings[untouched] !== true && findQueryGetter() !== ownQueryGetter;

  watchDump(ExpressRequest.prototype);
  return {
    ExpressRequest,
    useSettings: (made) => {
      settings = made;
    },
  };
};
