import type { ServerResponse, IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import type { Express, Response } from "express";
import { ClientLeft, ServerFault } from "../errors.ts";
import { hasBegun } from "../http/node-internals.ts";
import type { Socket } from "node:net";
import type { Logger } from "../logger/logger.ts";

export type AppSettings = Readonly<Record<string | symbol, unknown>>;

/** The parts of sending a response that may take a shortcut past Node's documented ways. */
export interface Ways {
  /** Writes the head of a response with JSON, whose length in bytes is known. */
  readonly writeHead: (
    response: ServerResponse,
    status: number,
    type: string,
    length: number,
    /** Whether the response has no header fields yet. */
    isBare?: boolean,
  ) => void;
  /**
   * Writes text to a response that is not to HEAD and has not ended, in place of its `write`.
   *
   * @param write the method in whose place the text is written
   * @returns whether the client can take more; undefined if nothing was written
   */
  readonly writeText: (
    response: ServerResponse,
    text: string,
    write: unknown,
  ) => boolean | undefined;
  /** Prepares a class of requests, whose prototype is given, for ending its requests. */
  readonly endRequests: (prototype: IncomingMessage) => void;
  /** Ends a request whose body has been read, and resolves when it has ended. */
  readonly endBody: (request: IncomingMessage) => Promise<void>;
}

/** The documented ways. */
export const plainWays: Ways = {
  writeHead: (response, status, type, length) => {
    response.writeHead(status, { "Content-Type": type, "Content-Length": length });
  },
  writeText: () => undefined,
  endRequests: () => undefined,
  endBody: (request) =>
    new Promise((resolve) => {
      // code that has called `next` may have stopped the request, although nothing of the body is left to read
      const waiting = setImmediate(resolve);
      const end = (): void => {
        clearImmediate(waiting);
        resolve();
      };
      request.on("end", end).resume();
    }),
};

/** What all responses of one application share. */
export interface AppFacts {
  readonly ways: Ways;
  /** The settings of the application, which exist before Express is loaded. */
  readonly settings: AppSettings;
  /** Whether no code has accessed the application: Express is not loaded, so no part of it can have been replaced. */
  readonly isPristine: boolean;
  /** The application, once it has been created. */
  readonly express: Express | undefined;
  /** Returns whether a tool has replaced a method of all responses. */
  readonly isPatched: () => boolean;
}

export type SentFields = Readonly<Record<string, string | number>>;

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

/** What is to be called at the end of one response. */
export interface Settling {
  readonly response: ServerResponse;
  readonly logger: Logger;
  /** The functions, once any was added; until they are called, the response has one `finish` and one `close` listener. */
  settling: (() => void)[] | undefined;
}

/** What must be known of a response in order to send it; a part of the state of the request. */
export interface ReplyState extends Settling {
  readonly response: Response;
  /** The application that created the response; undefined if it is the user's own. */
  readonly app: AppFacts | undefined;
  /** Whether the response is being sent although nothing has been written yet, as with `response.sendFile`. */
  isSending: boolean;
  /** The header fields that were sent without `setHeader`. */
  sentFields: SentFields | undefined;
  /** Whether hooks or native middlewares have seen the response, so that they may have replaced its methods. */
  isShared: boolean;
  /** What observes the request, if the `telemetry` option is set. */
  observation: Pick<Observation, "logFields" | "recordFault"> | undefined;
  /** The endpoint, if one was reached, with the sources of its input in the order in which they are merged. */
  readonly run: { readonly plan: { readonly sources: readonly string[] } } | undefined;
}

/** The property of a request and of its response that holds the state of the request. */
export const requestState: unique symbol = Symbol.for("sallyport/request-state");

/** Returns the state to which a request or a response belongs; undefined if sallyport has not begun the request. */
export const findReplyState = (message: object): ReplyState | undefined =>
  (message as { readonly [requestState]?: ReplyState })[requestState];

/** Notes whether Express, or a tool, has been asked to send the response and will do so later. */
export const setSending = (state: Pick<ReplyState, "isSending">, isSending: boolean): void => {
  state.isSending = isSending;
};

/** Checks whether a stream is piped to a response: `pipe` adds a listener for `unpipe`. */
export const isPiped = (response: ServerResponse): boolean => response.listenerCount("unpipe") > 0;

/** Checks whether a stream feeds a response: it is piped, or `pipeline` with an iterable listens for `drain`. */
const isFed = (response: ServerResponse): boolean =>
  response.listenerCount("unpipe") > 0 || response.listenerCount("drain") > 0;

/** Checks whether the response has begun or is about to begin, because a stream or a file is being sent. */
export const isTaken = (response: Response & { readonly [requestState]?: ReplyState }): boolean =>
  response.headersSent ||
  response.writableEnded ||
  response[requestState]?.isSending === true ||
  isFed(response);

/** Checks whether nothing of the response has been sent and nothing is about to be sent. */
export const isIdle = (response: Response): boolean => {
  const isSending = findReplyState(response)?.isSending === true;
  return !hasBegun(response) && !response.writableEnded && !isSending && !isFed(response);
};

/**
 * Checks that what has begun a response is going to end it: by then, it has ended or something sends it.
 *
 * @throws {@link ServerFault} if nothing will, because the client would wait in vain
 */
export const assertEnding = (response: Response): void => {
  const isSending = findReplyState(response)?.isSending === true;
  if (response.writableEnded || isSending || isFed(response) || isAbandoned(response)) return;
  throw new ServerFault(
    "SLP_NOTHING_SENT",
    "The response has begun, but what began it has returned without ending it",
  );
};

/** Closes the stream that feeds a response when the client leaves, as `pipe` does not, or if the method is HEAD. */
export const watchFeeding = (response: Response): void => {
  if (!isPiped(response)) return;
  if (response.req.method === "HEAD" && !response.writableEnded) {
    response.once("unpipe", (source: Readable) => stopSource(response, source));
    // on the user's own application, the source may write before it is stopped
    response.once("error", () => undefined);
    response.end();
    return;
  }
  response.on("unpipe", (source: Readable) => {
    // a handler may unpipe the stream in order to pipe another one
    if (response.destroyed && !response.writableEnded) source.destroy();
  });
};

/** Stops a stream that nothing reads any longer; the rest of a request is read, because other requests may follow. */
export const stopSource = (response: ServerResponse, source: Readable): void => {
  if (source === (response.req as unknown)) source.resume();
  else source.destroy();
};

/** Closes the connection in the middle of a response, after the data that was written. */
export const cutOff = (response: ServerResponse): void => {
  // Node holds written data until the next tick: in the socket before version 26, in the response as of version 26
  while (response.writableCorked > 0) response.uncork();
  response.socket?.uncork();
  response.destroy();
};

/** Checks whether the client has stopped waiting for the response. */
export const isAbandoned = (response: Response): boolean => {
  if (response.destroyed || response.closed) return true;
  if ((response.socket ?? findSocket(response))?.destroyed) return true;
  const { req } = response;
  // with `optimizeEmptyRequests`, Node hands over a request without a body as ended and destroyed
  if (!req.destroyed || req.complete || req.readableEnded) return false;
  // a stream utility that destroys a request, such as `pipeline`, detaches it from its connection; the client still waits
  return (req.socket as unknown) !== null;
};

/** @throws the error that was sent in the meantime, or {@link ClientLeft} when the client has disconnected */
export const assertGoingOn = ({
  failure,
  response,
}: {
  readonly failure: { readonly error: Error } | undefined;
  readonly response: Response;
}): void => {
  if (failure) throw failure.error;
  if (isAbandoned(response)) throw new ClientLeft();
};

/** Returns the connection of a response; stream utilities that destroy a request, such as `pipeline`, detach it. */
export const findSocket = (response: ServerResponse): Socket | undefined =>
  response.socket ?? (response.req as Partial<IncomingMessage> | undefined)?.socket ?? undefined;

/** The header fields that describe a body. */
const representationFields: ReadonlySet<string> = new Set([
  ...["content-disposition", "content-encoding", "content-language", "content-length"],
  ...["content-range", "content-type", "etag", "last-modified", "trailer", "transfer-encoding"],
]);

/** Removes the header fields of a body in whose place an error is sent. */
export const clearRepresentation = (response: ServerResponse): void => {
  // the reason phrase belongs to another status, and may be the very part that could not be sent
  if (response.statusMessage) response.statusMessage = "";
  for (const name of response.getHeaderNames())
    if (representationFields.has(name)) response.removeHeader(name);
};

/** Calls a function once the response has been sent, or once its connection is closed before that. */
export const onSettled = (state: Settling, act: () => void): void => {
  if (state.settling) {
    state.settling.push(act);
    return;
  }
  const { response } = state;
  const acts = (state.settling = [act]);
  const settle = (): void => {
    response.off("finish", settle).off("close", settle);
    state.settling = undefined;
    for (const one of acts) {
      try {
        one();
      } catch (error) {
        // nothing could catch what is thrown in an event, and the others are called all the same
        state.logger.error("Server fault", { error });
      }
    }
  };
  // before the listeners of tools, which may read at the end what these functions complete
  response.prependListener("finish", settle).prependListener("close", settle);
};
