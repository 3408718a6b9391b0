/**
 * All code that relies on undocumented parts of node:http and node:stream is in this file, in `reply-head.ts`, which
 * copies heads that Node has written, and in `header-fields.ts`, which reads and sets their fields.
 *
 * "Documented" means described on nodejs.org/api, including deprecated members, such as reading `response.finished`,
 * and members that authors of streams override, such as `push` and `_destroy`. Each undocumented part has a test in
 * `test/assumptions/node-internals.test.ts`. If Node.js lacks such a part, a slower, documented alternative is used;
 * `without-node-internals.test.ts` and `without-node-members.test.ts` test the alternatives. ARCHITECTURE.md lists the
 * parts.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { PassThrough } from "node:stream";
import { loadNodeHttp } from "../lazy/node-modules.ts";

/**
 * Checks whether any part of a response has been sent; Node sets `_headerSent` once it has written the head. Without
 * that property, a head counts as sent as soon as anything has been sent on the connection.
 */
export const hasBegun = (response: ServerResponse): boolean => {
  const { _headerSent: isHeadSent } = response as { readonly _headerSent?: boolean };
  if (isHeadSent !== undefined) return isHeadSent;
  const isSending = response.writableLength > 0 || (response.socket?.bytesWritten ?? 0) > 0;
  return response.headersSent && isSending;
};

/** The property of a connection that holds its current response. */
const runningReply: unique symbol = Symbol.for("sallyport/running-reply");

type ReplyingSocket = Socket & { [runningReply]?: ServerResponse | undefined };

/** Records which response has the socket; called when Node calls `assignSocket`. */
export const noteReply = (socket: Socket, response: ServerResponse): void => {
  (socket as ReplyingSocket)[runningReply] = response;
};

/** Returns the response that has the socket; pipelined responses get the socket one after the other. */
export const findReply = (socket: object | null): ServerResponse | undefined => {
  // stream utilities that destroy a request detach it from its socket
  const reply = (socket as ReplyingSocket | null)?.[runningReply];
  // the last response stays recorded until the next one has the socket
  return reply?.socket === socket ? reply : undefined;
};

/**
 * Records responses when the server emits their requests, if the first request shows that Node does not call
 * `assignSocket`.
 */
export const watchReplies = (server: Server): void => {
  let isSettled = false;
  const events = ["request", "checkContinue", "checkExpectation"] as const;
  const note = ({ socket }: IncomingMessage, response: ServerResponse): void =>
    onceHasSocket(response, socket, () => noteReply(socket, response));
  const settle = (request: IncomingMessage, response: ServerResponse): void => {
    if (isSettled) return;
    isSettled = true;
    for (const event of events) server.off(event, settle);
    // a pipelined response has no socket yet
    if (response.socket === null || findReply(request.socket) === response) return;
    note(request, response);
    for (const event of events) server.prependListener(event, note);
  };
  for (const event of events) server.prependListener(event, settle);
};

let tellsSocket: boolean | undefined;

/**
 * Calls a function once a response has the socket: immediately, or when Node emits `socket`. If Node does not emit that
 * event, the response is polled.
 */
export const onceHasSocket = (response: ServerResponse, socket: Socket, then: () => void): void => {
  if (response.socket) {
    then();
    return;
  }
  if ((tellsSocket ??= probeSocketEvent())) {
    response.once("socket", then);
    return;
  }
  const look = (): void => {
    if (response.socket) then();
    else if (!socket.destroyed) setTimeout(look, 5).unref();
  };
  look();
};

const createStream = (): PassThrough => new (process.getBuiltinModule("node:stream").PassThrough)();

const probeSocketEvent = (): boolean => {
  const node = loadNodeHttp();
  const socket = createStream() as unknown as Socket;
  const response = new node.ServerResponse(new node.IncomingMessage(socket));
  let isTold = false;
  response.once("socket", () => (isTold = true)).assignSocket(socket);
  return isTold;
};

/** Checks whether a stream is piped to a response: `pipe` adds a listener for `unpipe`. */
export const isPiped = (response: ServerResponse): boolean => response.listenerCount("unpipe") > 0;

/**
 * Checks whether a stream feeds a response: the stream is piped, or `pipeline` with an iterable listens for `drain`. If
 * Node does not add the `drain` listener, a response only counts as taken after its first chunk, so a handler must
 * await its `pipeline`.
 */
export const isFed = (response: ServerResponse): boolean =>
  response.listenerCount("unpipe") > 0 || response.listenerCount("drain") > 0;

let listensForUnpipe: boolean | undefined;

const probePipe = (): boolean => {
  const target = createStream();
  const source = createStream();
  source.pipe(target);
  const isListening = target.listenerCount("unpipe") > 0;
  source.unpipe(target);
  return isListening;
};

type Emit = (this: ServerResponse, event: string, ...args: unknown[]) => boolean;

/** Makes the event `pipe` add the listener that {@link isPiped} looks for, if Node itself does not add it. */
export const watchPipes = (prototype: ServerResponse): void => {
  if ((listensForUnpipe ??= probePipe())) return;
  const { emit } = prototype as unknown as { readonly emit: Emit };
  prototype.emit = function (this: ServerResponse, event: string, ...args: unknown[]): boolean {
    if (event === "pipe") this.once("unpipe", () => undefined);
    return emit.call(this, event, ...args);
  };
};

/**
 * Ends a connection in a custom way after its last response, when Node calls the socket's `destroySoon`. If Node does
 * not call this method, the connection is ended at the response's `finish` event.
 */
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

/**
 * Makes Node read a TLS connection through its stream, which stops at once when paused.
 *
 * By default, decrypted data bypasses the stream and goes to the parser, which drops chunks that arrive while it is
 * paused. Pipelined requests would lose bytes whenever the client reads a response slowly.
 * If bytes are lost despite the listener, the connection is closed with {@link parserPaused}.
 */
export const readThroughStream = (socket: Socket, hear: () => void): void => {
  socket.on("data", hear);
};

/**
 * The error code for bytes that were lost while Node's parser was paused; the parser would resume in the middle of a
 * body.
 */
export const parserPaused = "HPE_PAUSED";

/** The error code for a connection that ended in the middle of a request. */
export const endOfInput = "HPE_INVALID_EOF_STATE";

/** The statuses for parser error codes; all other codes get a 400. */
export const parserStatuses: ReadonlyMap<string, number> = new Map([
  ["HPE_HEADER_OVERFLOW", 431],
  ["HPE_CHUNK_EXTENSIONS_OVERFLOW", 413],
  ["ERR_HTTP_REQUEST_TIMEOUT", 408],
]);

/** The internal methods of a response that Node calls to send the response. */
export const innerMethods = [
  ...(["_implicitHeader", "_storeHeader", "_send", "_writeRaw", "_finish", "_flush"] as const),
];

type InnerMethods = Readonly<Record<(typeof innerMethods)[number], unknown>>;

/** Checks whether an internal method of a response differs from that of its prototype. */
export const hasOtherInnerMethod = (
  response: ServerResponse,
  prototype: ServerResponse,
): boolean => {
  const own = response as unknown as InnerMethods;
  const inherited = prototype as unknown as InnerMethods;
  return (
    own._implicitHeader !== inherited._implicitHeader ||
    own._storeHeader !== inherited._storeHeader ||
    own._send !== inherited._send ||
    own._writeRaw !== inherited._writeRaw ||
    own._finish !== inherited._finish ||
    own._flush !== inherited._flush
  );
};
