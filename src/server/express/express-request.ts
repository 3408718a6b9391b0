import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Application, Express, Request } from "express";
import { RequestError } from "../../errors.ts";
import { findState, type RequestState } from "../../pipeline/request-state.ts";
import { interruptSending } from "../../pipeline/send-result.ts";
import { type AppFacts, type AppSettings, requestState } from "../../reply/reply-state.ts";
import { readQuery, toQueryText } from "../../request/query.ts";

/** Creates the class of an application's requests. */
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

  class ExpressRequest extends OwnMessage {
    res: unknown = undefined;
    body: unknown = undefined;
    params: unknown = undefined;
    route: unknown = undefined;
    baseUrl = "";
    originalUrl = "";
    [requestState]: RequestState | undefined = undefined;

    // oxlint-disable-next-line no-useless-constructor -- Node passes the socket to this constructor, which also initialises the fields
    constructor(socket: Socket) {
      super(socket);
    }

    /** The query, which is parsed when it is first read. */
    get query(): unknown {
      const url = this.url ?? "";
      const app = findMounted(this);
      const state = findState(this);
      const known = state?.query;
      // the query is parsed again if a middleware has rewritten the URL
      if (known?.url === url && known.app === app) return known.value;
      const own = (app as { readonly settings?: AppSettings } | undefined)?.settings;
      const value = readQuery(toQueryText(url), own ?? facts.settings, () => app ?? getApp());
      if (state) state.query = { value, url, app };
      return value;
    }

    set query(value: unknown) {
      const state = findState(this);
      if (state) state.query = { value, url: this.url ?? "", app: findMounted(this) };
    }

    /**
     * The function that Express calls, unbound, when it cannot send what a handler asked for; Express' router sets its
     * own.
     */
    get next(): unknown {
      const state = findState(this);
      return state?.next ?? (state?.plan ? undefined : state?.routerNext) ?? toNext(state);
    }

    set next(next: unknown) {
      const state = findState(this);
      if (!state) return;
      // a router within a native middleware sets its own `next`, and restores that of the middleware afterwards
      if (state.next === undefined) state.routerNext = next;
      else state.next = next;
    }
  }

  facts.ways.endRequests(ExpressRequest.prototype);
  return ExpressRequest;
};

/** Returns the function that Express calls if it cannot send what the application has asked for. */
const toNext =
  (state: RequestState | undefined) =>
  (error?: unknown): void => {
    // without an error, there was nothing to send, as for a directory
    if (state) interruptSending(state, error ?? new RequestError("SLP_NOT_FOUND"));
  };
