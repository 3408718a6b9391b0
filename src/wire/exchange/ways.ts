import type { IncomingMessage, ServerResponse } from "node:http";
import type { Express } from "express";

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
