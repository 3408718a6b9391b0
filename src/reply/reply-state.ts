import type { IncomingMessage, ServerResponse } from "node:http";
import type { Response } from "express";

/** The settings of an Express application. */
export type AppSettings = Readonly<Record<string | symbol, unknown>>;

/** The parts of sending a response that may take a shortcut past Node's documented ways. */
export interface Ways {
  /** Writes the head of a response with JSON, whose length in bytes is known. */
  readonly writeHead: (
    response: ServerResponse,
    status: number,
    type: string,
    length: number,
  ) => void;
  /** Prepares a class of requests, whose prototype is given, for ending its requests. */
  readonly endRequests: (prototype: IncomingMessage) => void;
}

/** The documented ways. */
export const plainWays: Ways = {
  writeHead: (response, status, type, length) => {
    response.writeHead(status, { "Content-Type": type, "Content-Length": length });
  },
  endRequests: () => undefined,
};

/** What all responses of one application share. */
export interface AppFacts {
  readonly ways: Ways;
  /** The settings of the application, which exist before Express is loaded. */
  readonly settings: AppSettings;
  /** Whether no code has accessed the application: Express is not loaded, so no part of it can have been replaced. */
  readonly isPristine: boolean;
  /** Returns whether a tool has replaced a method of all responses. */
  readonly isPatched: () => boolean;
}

/** Header fields by name. */
export type SentFields = Readonly<Record<string, string | number>>;

/** What must be known of a response in order to send it; a part of the state of the request. */
export interface ReplyState {
  readonly response: Response;
  /** The application that created the response; undefined if it is the user's own. */
  readonly app: AppFacts | undefined;
  /** Whether the response is being sent although nothing has been written yet, as with `response.sendFile`. */
  isSending: boolean;
  /** The header fields that were sent without `setHeader`. */
  sentFields: SentFields | undefined;
  /** The code of the application that may watch how the response is sent: its hooks or its native middlewares. */
  watchers: "hooks" | "native" | undefined;
  /** The number of `finish` listeners that do not use the request. */
  harmlessFinishes: number;
  /** The number of `close` listeners that do not use the request. */
  harmlessCloses: number;
}

/** The property of a request and of its response that holds the state of the request. */
export const requestState: unique symbol = Symbol.for("sallyport/request-state");

/** Returns the state to which a request or a response belongs; undefined if sallyport has not begun the request. */
export const findReplyState = (message: object): ReplyState | undefined =>
  (message as { readonly [requestState]?: ReplyState })[requestState];
