import { findExchange } from "../exchange/exchange.ts";
import { plainWays, type Ways } from "../exchange/ways.ts";
import { Buffer } from "node:buffer";
import type { ServerResponse, IncomingMessage } from "node:http";
import type { Socket } from "node:net";

/** The undocumented members of a node:http response. */
interface Inside {
  _header: string | null;
  _contentLength: number | null;
  readonly _keepAliveTimeout: number;
  readonly _maxRequestsPerSocket: number;
  readonly _defaultKeepAlive: boolean;
  readonly _removedConnection?: boolean;
  readonly _expect_continue?: boolean;
  readonly _headerSent?: boolean;
  readonly _hasBody?: boolean;
  readonly chunkedEncoding?: boolean;
  readonly maxRequestsOnConnectionReached?: boolean;
  readonly _storeHeader: unknown;
}

/** The methods that write a head; tracing tools may replace them. */
interface Writers {
  readonly writeHead: unknown;
  readonly storeHeader: unknown;
}

/** The parts of a head written by Node that are reused with another length and another date. */
interface Template extends Writers {
  readonly type: string;
  readonly statusMessage: string;
  readonly keepAliveTimeout: number;
  /** The part of the head up to the value of `Content-Length`. */
  readonly start: string;
  /** The part of the head after the value of `Date`. */
  readonly end: string;
  /** The part of the head after the value of `Content-Length`; `date` is the date in this part. */
  rest: string;
  date: string;
}

const templates = new Map<number, Template>();

/**
 * Writes the head of a response whose length is known, as `writeHead` does.
 *
 * Node assembles each head from scratch, which takes 10% of a request's time. With this function, Node writes only the
 * first head of each kind; later heads are copies with their own length and date. A head is copied only if nothing else
 * can differ: on a kept-alive connection, without further header fields. If Node does not work as expected here, it
 * writes every head.
 */
export const writeHead = (
  response: ServerResponse,
  status: number,
  type: string,
  length: number,
  isBare = response.getHeaderNames().length === 0,
): void => {
  const inside = response as unknown as Inside;
  if (!isOrdinary(response, inside) || !isBare) {
    response.writeHead(status, { "Content-Type": type, "Content-Length": length });
    return;
  }
  const template = templates.get(status);
  if (!template || !isFor(template, response, inside, type)) {
    writeFirst(response, inside, { status, type, length });
    return;
  }
  const date = dateNow ?? readDate();
  if (template.date !== date) {
    template.rest = toRest(date, template.end);
    template.date = date;
  }
  response.statusCode = status;
  response.statusMessage = template.statusMessage;
  inside._contentLength = length;
  inside._header = template.start + length + template.rest;
};

/** Checks whether a response is ordinary; the heads of ordinary responses differ only in status, length and date. */
const isOrdinary = (response: ServerResponse, inside: Inside): boolean =>
  inside._header === null &&
  response.shouldKeepAlive &&
  response.sendDate &&
  response.statusMessage === undefined &&
  inside._defaultKeepAlive &&
  inside._maxRequestsPerSocket === 0 &&
  // a missing member does not count as false
  inside.maxRequestsOnConnectionReached === false &&
  inside._removedConnection === false &&
  inside._expect_continue === false;

const isFor = (template: Template, response: ServerResponse, inside: Inside, type: string) =>
  template.type === type &&
  template.keepAliveTimeout === inside._keepAliveTimeout &&
  template.writeHead === response.writeHead &&
  template.storeHeader === inside._storeHeader;

const toRest = (date: string, end: string): string => `\r\nDate: ${date}${end}`;

interface Wanted {
  readonly status: number;
  readonly type: string;
  readonly length: number;
}

/** Lets Node write a head, and keeps the head as a template if every byte of it is as expected. */
const writeFirst = (
  response: ServerResponse,
  inside: Inside,
  { status, type, length }: Wanted,
): void => {
  const { writeHead: ownWriteHead } = response as { readonly writeHead: unknown };
  response.writeHead(status, { "Content-Type": type, "Content-Length": length });
  const writers: Writers = { writeHead: ownWriteHead, storeHeader: inside._storeHeader };
  if (!isOfNode(ownWriteHead, "this._storeHeader(")) return;
  if (!isOfNode(writers.storeHeader, "this._header = ")) return;
  const template = toTemplate(response, inside, type, length);
  if (template) templates.set(response.statusCode, { ...template, ...writers });
};

/** Checks whether a method is Node's own; a tool that has replaced the method must see each call. */
const isOfNode = (method: unknown, part: string): boolean =>
  typeof method === "function" && Function.prototype.toString.call(method).includes(part);

/** Reads the parts of a head that Node has written; returns undefined unless every byte of it is as expected. */
const toTemplate = (
  response: ServerResponse,
  { _header: head, _keepAliveTimeout: keepAliveTimeout, _contentLength: sentLength }: Inside,
  type: string,
  length: number,
): Omit<Template, keyof Writers> | undefined => {
  const { statusCode, statusMessage } = response;
  const statusLine = `HTTP/1.1 ${statusCode} ${statusMessage}\r\n`;
  const start = `${statusLine}Content-Type: ${type}\r\nContent-Length: `;
  const dateAt = `${start}${length}\r\nDate: `.length;
  const date = head?.slice(dateAt, dateAt + dateLength) ?? "";
  const end = toEnd(keepAliveTimeout);
  const rest = toRest(date, end);
  if (head !== `${start}${length}${rest}` || sentLength !== length) return undefined;
  return { type, statusMessage, keepAliveTimeout, start, end, rest, date };
};

const dateLength = "Sun, 06 Nov 1994 08:49:37 GMT".length;

const toEnd = (keepAliveTimeout: number): string => {
  const kept = `\r\nConnection: keep-alive\r\n`;
  const seconds = Math.floor(keepAliveTimeout / 1000);
  return keepAliveTimeout ? `${kept}Keep-Alive: timeout=${seconds}\r\n\r\n` : `${kept}\r\n`;
};

/** The value of `Date` for the current second; undefined once that second is over. */
let dateNow: string | undefined;

// tests may replace these globals, but Node's own clock is not affected
const startTimer = setTimeout;
const Clock = Date;

const readDate = (): string => {
  const now = Clock.now();
  startTimer(
    () => {
      dateNow = undefined;
    },
    1000 - (now % 1000),
  ).unref();
  return (dateNow = new Clock(now).toUTCString());
};

/** Node's own `emit`, for comparison; tools that watch a request replace it. */
const { emit: ownEmit } = process.getBuiltinModule("node:events").prototype as {
  readonly emit: unknown;
};

/** The part of a stream's state that concerns its end. */
interface StreamState {
  ended: boolean;
  endEmitted: boolean;
  destroyed: boolean;
  closed: boolean;
  closeEmitted: boolean;
}

/**
 * Ends a request that has no body, or whose body has been read, if it has no listeners. The request is put into its
 * final state at once. Node would read such a request to its end over several turns of the event loop, which takes 5%
 * of a request's time.
 *
 * @returns whether the request was ended
 */
export const endQuietly = (request: IncomingMessage): boolean => {
  if (request.destroyed) return request.readableEnded;
  const isUnheard =
    request.complete &&
    request.readableLength === 0 &&
    request.readableFlowing === null &&
    request.listenerCount("end") === 0 &&
    request.listenerCount("close") === 0 &&
    request.emit === ownEmit;
  if (!isUnheard) return false;
  const { _readableState: state } = request as unknown as { readonly _readableState?: StreamState };
  if (!state) return false;
  state.ended = true;
  state.endEmitted = true;
  if (!request.readableEnded) return false;
  state.destroyed = true;
  state.closed = true;
  state.closeEmitted = true;
  return true;
};

/** The plain methods of emitters: those of streams change the state when `readable` is listened for. */
const emitter = process.getBuiltinModule("node:events").prototype;

let tellsEnd: boolean | undefined;

/** Checks whether a stream emits `readable` at its end, although nothing has asked for that. */
const probeEnd = (): boolean => {
  const stream = new (process.getBuiltinModule("node:stream").PassThrough)();
  let isTold = false;
  emitter.on.call(stream, "readable", () => (isTold = true));
  stream.push("a");
  stream.read(1);
  stream.push(null);
  return isTold;
};

/** Ends a request whose body has been read, once Node has parsed the end of the body. */
const endBody: Ways["endBody"] = (request) => {
  // code that has called `next` may still listen for the end of a body that arrived before
  if (request.complete || !(tellsEnd ??= probeEnd())) return plainWays.endBody(request);
  return new Promise((resolve) => {
    const end = (): void => {
      emitter.off.call(request, "readable", end);
      emitter.off.call(request, "close", end);
      const isEnded = endQuietly(request) || request.closed;
      resolve(isEnded ? undefined : plainWays.endBody(request));
    };
    emitter.on.call(request, "readable", end);
    emitter.on.call(request, "close", end);
  });
};

type Dump = (this: IncomingMessage) => void;

/**
 * Ends the requests of a class quietly once their response is sent, when Node calls a request's `_dump` to read the rest
 * of its body. The listeners of the response run next and may still wait for the end of the request, so a request whose
 * response has such listeners is left to Node.
 */
export const endRequests = (prototype: IncomingMessage): void => {
  const inside = prototype as unknown as { _dump?: Dump };
  const { _dump: dump } = inside;
  if (!dump) return;
  inside._dump = function () {
    let isEnded = false;
    try {
      const state = findExchange(this);
      // the listeners of the response run next and may still wait for the end of the request; Node adds one of them
      isEnded =
        state !== undefined &&
        state.response.listenerCount("finish") <= (state.settling ? 2 : 1) &&
        state.response.listenerCount("close") <= (state.settling ? 1 : 0) &&
        endQuietly(this);
    } catch {
      // an error that is thrown in an event would end the process
    }
    if (!isEnded) dump.call(this);
  };
};

/** Node's own `write` of responses, unless a tool was loaded before. */
const { write: ownWrite } = process.getBuiltinModule("node:http").OutgoingMessage.prototype as {
  readonly write: (this: ServerResponse, text: string) => boolean;
};
const isWriteKnown = isOfNode(ownWrite, "write_(this, chunk");

/** The last text that was written, and its chunk: one event is usually written to many responses. */
let lastText = "";
let lastChunk = "";
/** The length of the longest text that is kept, and whose chunk is worth it. */
const maxKept = 16_384;

const uncork = (socket: Socket): void => socket.uncork();

/** Whether Node hands each chunk to the socket at once; as of version 26, it joins those of one turn. */
let handsOver: boolean | undefined;
/** Whether `cork` of a response corks the socket alone, as before version 22; later, it joins chunks. */
let corksSocket = false;

/** Lets Node write the first text, and sees what Node does with it. */
const writeFirstText = (response: ServerResponse, socket: Socket, text: string): boolean => {
  const { writableLength: before, writableCorked } = socket;
  const hasRoom = ownWrite.call(response, text);
  // this write has corked the socket, so that nothing has been sent yet
  if (writableCorked === 0) {
    handsOver = socket.writableLength > before;
    corksSocket = response.writableCorked > 0;
  }
  return hasRoom;
};

/** Writes text in one piece. Node writes each chunk in four, which takes a seventh of the time of an event. */
const writeText: Ways["writeText"] = (response, text, write) => {
  const { socket } = response;
  const {
    _headerSent: isHeadSent,
    _hasBody: hasBody,
    chunkedEncoding,
  } = response as unknown as Inside;
  const isPlain =
    !response.finished &&
    isHeadSent === true &&
    chunkedEncoding === true &&
    hasBody === true &&
    socket?.writable === true &&
    // nothing waits for the end of an earlier response, or for `uncork`
    (corksSocket || response.writableCorked === 0) &&
    response.writableLength === socket.writableLength &&
    text !== "" &&
    text.length <= maxKept &&
    isWriteKnown &&
    write === ownWrite;
  if (!isPlain || handsOver === false) return undefined;
  if (handsOver === undefined) return writeFirstText(response, socket, text);
  if (text !== lastText) {
    lastText = text;
    lastChunk = `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
  }
  // as in Node, what is written in one turn leaves at once
  if (socket.writableCorked === 0) {
    socket.cork();
    process.nextTick(uncork, socket);
  }
  // Node emits `drain` only after a `write` of its own has returned false
  return socket.write(lastChunk) || ownWrite.call(response, "");
};

/**
 * The ways of sending that write undocumented state of Node. Nothing but speed is lost without them: `plainWays` takes
 * their place under `shortcuts: false`.
 */
export const shortcuts: Ways = { writeHead, writeText, endRequests, endBody };
