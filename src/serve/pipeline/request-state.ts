import { setMaxListeners } from "node:events";
import type { Request, Response } from "express";
import type { HandlerArguments } from "../../define/endpoint/handler-arguments.ts";
import { ClientLeft, RequestError } from "../../basics/errors.ts";
import { Exchange, requestState } from "../../wire/exchange/exchange.ts";
import type { AppFacts } from "../../wire/exchange/ways.ts";
import type { Logger } from "../../basics/logger/logger.ts";
import type { AnyResultHandler } from "../../define/results/result-handler.ts";
import type { BodyOptions } from "../request/parse-body.ts";
import type { CombinedInput } from "../request/combine-input.ts";
import type { EndpointRun, RequestContext } from "./endpoint-run.ts";
import { toLoggedRoute } from "../../basics/http/logged-path.ts";

/** What the requests of one server, or of one attached API, share. */
export interface Service {
  /** The application that creates the responses; undefined if it is the user's own. */
  readonly app: AppFacts | undefined;
  /** The logger as configured. */
  readonly logger: Logger;
  /** Responds to errors of paths without an endpoint, unless their prefix has its own handler. */
  readonly errorHandler: AnyResultHandler;
  readonly bodies: BodyOptions;
  readonly running: RunningRequests;
  /** Offers faults to the error handlers of the application, if it may have any. */
  readonly offerFault: OfferFault | undefined;
}

const noHeaders: object = Object.freeze({});

/** Everything that the stages of one request tell each other; created when the request begins. */
export class RequestState extends Exchange {
  readonly service: Service;
  logger: Logger;

  isUnlogged = false;
  /** Whether the error handlers of the application have seen an error of the request. */
  isOffered = false;

  /** Sends the errors of a path without an endpoint. */
  errorHandler: AnyResultHandler;
  /** What the stages of the endpoint have found out; undefined if no endpoint was reached. */
  run: EndpointRun | undefined = undefined;
  /** The `next` of the router that serves the request; it counts until an endpoint is reached. */
  next: unknown = undefined;
  /** The parsed query, with the URL and the mounted application for which it was parsed. */
  query: { readonly value: unknown; readonly url: string; readonly app: unknown } | undefined =
    undefined;

  /** The error with which the result handler has been called, if any. */
  handledError: Error | undefined = undefined;

  private controller: AbortController | undefined = undefined;

  constructor(request: Request, response: Response, service: Service) {
    super(request, response);
    this.service = service;
    this.logger = service.logger;
    this.errorHandler = service.errorHandler;
    // as Express does, which may have done so before
    request.res = response;
    request.originalUrl ||= request.url;
    (request as StatefulMessage)[requestState] = this;
    (response as StatefulMessage)[requestState] = this;
  }

  get app(): AppFacts | undefined {
    return this.service.app;
  }

  /** Created when first read, because most handlers never use it. */
  get signal(): AbortSignal {
    if (!this.controller) {
      this.controller = createController();
      this.#watchClient();
    }
    return this.controller.signal;
  }

  #watchClient(): void {
    const abort = (): void => {
      if (!this.isDelivered) this.abort(new ClientLeft());
    };
    if (this.isClosed) abort();
    else this.onEnd(abort);
  }

  /** Asks the code that uses the signal to finish; the signal is aborted even if it is first read later. */
  abort(reason: Error): void {
    this.controller ??= createController();
    this.controller.abort(reason);
  }

  /** Reaches an endpoint, or leaves the one that has guarded what follows. */
  enter(run: EndpointRun | undefined): void {
    this.run = run;
  }
}

const createController = (): AbortController => {
  const controller = new AbortController();
  // a handler may pass its signal to any number of operations; before version 22, Node warns of the eleventh
  setMaxListeners(0, controller.signal);
  return controller;
};

type StatefulMessage = object & { [requestState]?: RequestState };

/** Returns the state of a request or a response; undefined if sallyport has not begun the request. */
export const findState = (message: object): RequestState | undefined =>
  (message as StatefulMessage)[requestState];

/** Returns the combined input of a request; undefined if no stage has asked for it. */
export const readCombined = (request: object): CombinedInput | undefined =>
  findState(request)?.run?.combined ?? undefined;

/** The argument of a handler; a class, because a getter on the prototype costs nothing unless it is read. */
export class StateArguments<Input> implements HandlerArguments<Input, RequestContext> {
  readonly input: Input;
  readonly headers: object;
  readonly ctx: RequestContext;
  readonly logger: Logger;
  readonly request: Request;
  readonly response: Response;
  readonly errors: object;

  constructor(
    state: RequestState,
    { ctx }: EndpointRun,
    input: Input,
    errors: object,
    headers: object = noHeaders,
  ) {
    this.input = input;
    this.headers = headers;
    this.errors = errors;
    this.ctx = ctx;
    this.logger = state.logger;
    this.request = state.request;
    this.response = state.response;
  }

  get signal(): AbortSignal {
    return (findState(this.request) as RequestState).signal;
  }
}

/** The requests whose handlers have not ended, which a shutdown notifies and waits for. */
export class RunningRequests {
  // an array, because a Set that becomes empty is allocated anew for the next request
  readonly #states: RequestState[] = [];
  #onIdle: (() => void) | undefined;
  /** The reason for aborting the signals of all requests; undefined before a shutdown. */
  reason: RequestError | undefined;
  /** Whether the server is about to stop, so that no more requests should be sent to it. */
  isDraining = false;

  add(state: RequestState, run: EndpointRun): void {
    run.place = this.#states.push(state) - 1;
    if (this.reason) state.abort(this.reason);
  }

  delete(state: RequestState, { place }: EndpointRun): void {
    const last = this.#states.pop();
    if (last?.run && last !== state) {
      this.#states[place] = last;
      last.run.place = place;
    }
    if (this.#onIdle && this.#states.length === 0) this.#onIdle();
  }

  /** Aborts the signals of all requests, including later ones. */
  stop(): void {
    this.reason = new RequestError("SLP_SHUTTING_DOWN");
    for (const state of [...this.#states]) state.abort(this.reason);
  }

  untilIdle(): Promise<void> {
    return new Promise((resolve) => {
      this.#onIdle = resolve;
      if (this.#states.length === 0) resolve();
    });
  }

  /** Lists the routes whose handlers are running, such as `GET /v1/users/:id`, in alphabetical order. */
  listRoutes(): string[] {
    return [...new Set(this.#states.map(({ request }) => toLoggedRoute(request)))].toSorted();
  }
}

/** The result of offering a fault if an error handler has sent the response. */
export const sentByHandler: unique symbol = Symbol("sent by a handler");

/** Resolves to the fault that remains, or `sentByHandler`; undefined if there is no error handler. */
export type OfferFault = (
  error: Error,
  request: Request,
  response: Response,
) => Promise<unknown> | undefined;
