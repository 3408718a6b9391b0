import type { Request, Response } from "express";
import { ClientLeft, ServerFault } from "../../basics/errors.ts";
import { hasBegun } from "../../basics/http/node-internals.ts";
import type { Logger } from "../../basics/logger/logger.ts";
import { cutOff, findSocket, watchFeeding } from "./node-response.ts";
import type { AppFacts, SentFields } from "./ways.ts";

/** What observes one request; made by the `telemetry` option. */
export interface Observation {
  /** The fields that each log line of the request has. */
  readonly logFields: object | undefined;
  /** Runs the request; what runs inside belongs to the request. */
  readonly run: <T>(serve: () => T) => T;
  /** Records a fault (5xx) of the request. */
  readonly recordFault: (error: unknown) => void;
  /** Called once, when the response has ended or the client has left. */
  readonly end: () => void;
}

/**
 * How far a response has come:
 * - `open`: nothing has been sent, and nothing is about to be
 * - `headed`: the head has been written, but no byte of it has been sent
 * - `begun`: it has begun, and nothing is known that will end it
 * - `fed`: a stream, Express or a tool sends it, now or soon
 * - `ended`: its end has been written, although the client may still be reading
 */
export type Phase = "open" | "headed" | "begun" | "fed" | "ended";

/** An error that does not wait for the stages: of the time limit, or one that was raised outside of them. */
export interface Failure {
  readonly error: Error;
  readonly isLate: boolean;
}

/** The property of a request and of its response that holds their exchange. */
export const requestState: unique symbol = Symbol.for("sallyport/request-state");

/**
 * One request and its response: the only way in which stages learn what has become of a response, which foreign code may
 * have sent. What is asked of Node for that is behind it.
 */
export abstract class Exchange {
  readonly request: Request;
  readonly response: Response;
  abstract logger: Logger;
  /** The application that created the response; undefined if it is the user's own. */
  abstract readonly app: AppFacts | undefined;
  /** The endpoint, if one was reached, with the sources of its input in the order in which they are merged. */
  abstract readonly run: { readonly plan: { readonly sources: readonly string[] } } | undefined;

  /** Whether Express, or a tool, has been asked to send the response and will do so later. */
  isSending = false;
  /** The header fields that were sent without `setHeader`. */
  sentFields: SentFields | undefined = undefined;
  /** Whether hooks or native middlewares have seen the response, so that they may have replaced its methods. */
  isShared = false;
  /** The error that is sent although stages, whose results are ignored, may still be running. */
  failure: Failure | undefined = undefined;
  /** What observes the request, if the `telemetry` option is set. */
  observation: Pick<Observation, "logFields" | "recordFault"> | undefined = undefined;
  /** What is called at the end; until then, the response has one `finish` and one `close` listener. */
  settling: (() => void)[] | undefined = undefined;

  constructor(request: Request, response: Response) {
    this.request = request;
    this.response = response;
  }

  get phase(): Phase {
    const { response } = this;
    if (response.writableEnded) return "ended";
    // a stream is piped to it, or `pipeline` with an iterable listens for `drain`
    const isFed = response.listenerCount("unpipe") > 0 || response.listenerCount("drain") > 0;
    if (this.isSending || isFed) return "fed";
    if (!response.headersSent) return "open";
    return hasBegun(response) ? "begun" : "headed";
  }

  /** Whether the client has stopped waiting for the response. */
  get hasLeft(): boolean {
    const { response } = this;
    if (response.destroyed || response.closed) return true;
    if ((response.socket ?? findSocket(response))?.destroyed) return true;
    const { req } = response;
    // with `optimizeEmptyRequests`, Node hands over a request without a body as ended and destroyed
    if (!req.destroyed || req.complete || req.readableEnded) return false;
    // a stream utility that destroys a request, such as `pipeline`, detaches it from its connection; the client still waits
    return (req.socket as unknown) !== null;
  }

  /** The status that was sent; undefined if no head has been written. */
  get sentStatus(): number | undefined {
    return this.response.headersSent ? this.response.statusCode : undefined;
  }

  /** Whether the response, or the connection, has closed: nothing of it will be sent any longer. */
  get isClosed(): boolean {
    return this.response.closed || findSocket(this.response)?.closed === true;
  }

  /** Whether the whole response has been handed over to the operating system. */
  get isDelivered(): boolean {
    return this.response.writableFinished;
  }

  /** Asks the code that uses the signal of the request to finish. */
  abstract abort(reason: Error): void;

  /** Makes an error count more than whatever becomes of the stages; the first such error remains. */
  fail(error: Error, isLate: boolean): void {
    this.failure ??= { error, isLate };
    this.abort(error);
  }

  /** @throws the error that was sent in the meantime, or {@link ClientLeft} when the client has disconnected */
  assertGoingOn(): void {
    if (this.failure) throw this.failure.error;
    if (this.hasLeft) throw new ClientLeft();
  }

  setSending(isSending: boolean): void {
    this.isSending = isSending;
  }

  /**
   * Checks that what has begun the response is going to end it: by then, it has ended or something sends it.
   *
   * @throws {@link ServerFault} if nothing will, because the client would wait in vain
   */
  assertEnding(): void {
    const { phase } = this;
    if (phase === "ended" || phase === "fed" || this.hasLeft) return;
    throw new ServerFault(
      "SLP_NOTHING_SENT",
      "The response has begun, but what began it has returned without ending it",
    );
  }

  /** Makes the stream that feeds the response, if there is one, end with it. */
  watchFeeding(): void {
    watchFeeding(this.response);
  }

  /** Closes the connection in the middle of the response, after the data that was written. */
  cut(): void {
    cutOff(this.response);
  }

  /** Calls a function once the response has been sent, or once its connection is closed before that. */
  onEnd(act: () => void): void {
    if (this.settling) {
      this.settling.push(act);
      return;
    }
    const { response } = this;
    const acts = (this.settling = [act]);
    const settle = (): void => {
      response.off("finish", settle).off("close", settle);
      this.settling = undefined;
      for (const one of acts) {
        try {
          one();
        } catch (error) {
          // nothing could catch what is thrown in an event, and the others are called all the same
          this.logger.error("Server fault", { error });
        }
      }
    };
    // before the listeners of tools, which may read at the end what these functions complete
    response.prependListener("finish", settle).prependListener("close", settle);
  }
}

/** Returns the exchange to which a request or a response belongs; undefined if sallyport has not begun the request. */
export const findExchange = (message: object): Exchange | undefined =>
  (message as { readonly [requestState]?: Exchange })[requestState];
