/**
 * Code that relies on undocumented parts of node:http and node:stream is in this file, in `exchange/node-response.ts` and
 * in `shortcuts/shortcuts.ts`. If Node.js lacks such a part, a slower way is used that nodejs.org/api describes.
 * ARCHITECTURE.md lists the parts and the tests in `test/assumptions/`.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Checks whether any part of a response, or without `_headerSent` of those on its connection, has been sent. */
export const hasBegun = (response: ServerResponse): boolean => {
  const { _headerSent: isHeadSent } = response as { readonly _headerSent?: boolean };
  if (isHeadSent !== undefined) return isHeadSent;
  const isSending = response.writableLength > 0 || (response.socket?.bytesWritten ?? 0) > 0;
  return response.headersSent && isSending;
};

/** Checks whether responses have the private state of Node's: those of Bun lack this part of it. */
export const hasNodeState = (Response: typeof ServerResponse<IncomingMessage>): boolean => {
  const response = new Response({ method: "GET" } as IncomingMessage);
  return (response as { readonly _expect_continue?: boolean })._expect_continue === false;
};

let listensForUnpipe: boolean | undefined;

const probePipe = (): boolean => {
  const { PassThrough } = process.getBuiltinModule("node:stream");
  const target = new PassThrough();
  const source = new PassThrough();
  source.pipe(target);
  const isListening = target.listenerCount("unpipe") > 0;
  source.unpipe(target);
  return isListening;
};

/** Makes the event `pipe` add the listener that {@link isPiped} looks for, if Node itself does not add it. */
export const markPipes = (server: Server): void => {
  if ((listensForUnpipe ??= probePipe())) return;
  const mark = (_request: unknown, response: ServerResponse): void => {
    response.on("pipe", () => response.once("unpipe", () => undefined));
  };
  for (const event of ["request", "checkContinue", "checkExpectation"]) server.on(event, mark);
};

/** Ends a connection in a custom way when Node calls `destroySoon` after the last response, or else at `finish`. */
export const endInstead = (socket: Socket, reply: ServerResponse, end: () => void): void => {
  let isEnding = false;
  const endOnce = (): void => {
    if (isEnding) return;
    isEnding = true;
    end();
  };
  socket.destroySoon = endOnce;
  reply.once("finish", endOnce);
};

/** Calls a function when a waiting response gets its connection: at `socket`, or else when the previous one ends. */
export const onTurn = (
  response: ServerResponse,
  previous: ServerResponse | undefined,
  begin: () => void,
): void => {
  let hasTurn = false;
  const check = (): void => {
    if (hasTurn || !response.socket) return;
    hasTurn = true;
    begin();
  };
  response.once("socket", check);
  previous?.once("close", check);
};

/**
 * Makes Node read a TLS connection through its stream. Otherwise, data goes to the parser, which drops what arrives
 * while it is paused: pipelined requests would lose bytes. The error {@link parserPaused} remains for bytes that are
 * lost.
 */
export const readThroughStream = (socket: Socket): void => {
  socket.on("data", () => undefined);
};

/** The code of the error for bytes that were lost while Node's parser was paused. */
export const parserPaused = "HPE_PAUSED";
