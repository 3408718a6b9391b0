import type { ServerResponse } from "node:http";

/** What node:http keeps about a response in undocumented members. */
interface Inside {
  _header: string | null;
  _contentLength: number | null;
  readonly _keepAliveTimeout: number;
  readonly _maxRequestsPerSocket: number;
  readonly _defaultKeepAlive: boolean;
  readonly _removedConnection?: boolean;
  readonly _expect_continue?: boolean;
  readonly maxRequestsOnConnectionReached?: boolean;
  readonly _storeHeader: unknown;
}

/** A head written by Node, without its length and date. */
interface Template {
  readonly type: string;
  readonly statusMessage: string;
  readonly keepAliveTimeout: number;
  /** The methods that wrote it; tracing tools replace them. */
  readonly writeHead: unknown;
  readonly storeHeader: unknown;
  /** Everything up to the value of `Content-Length`. */
  readonly start: string;
  /** Everything after the value of `Date`. */
  readonly end: string;
  /** Everything after the value of `Content-Length`, and the date in it. */
  rest: string;
  date: string;
}

const templates = new Map<number, Template>();

/**
 * Writes the head of a response whose length is known, as `writeHead` does.
 *
 * Node assembles each head from scratch, which takes a twentieth of a request's time. Here, Node writes only the first
 * head of each kind; the next ones are copies of it with another length and date. Heads are copied only if nothing else
 * can differ: without custom header fields, on a kept-alive connection. If Node works differently from what is expected
 * here, Node writes every head.
 */
export const writeHead = (
  response: ServerResponse,
  status: number,
  type: string,
  length: number,
): void => {
  const inside = response as unknown as Inside;
  const template = templates.get(status);
  if (!isOrdinary(response, inside)) {
    response.writeHead(status, { "Content-Type": type, "Content-Length": length });
  } else if (template && isFor(template, response, inside, type)) {
    const date = today ?? readDate();
    if (template.date !== date) {
      template.rest = toRest(date, template.end);
      template.date = date;
    }
    response.statusCode = status;
    response.statusMessage = template.statusMessage;
    inside._contentLength = length;
    inside._header = template.start + length + template.rest;
  } else {
    response.writeHead(status, { "Content-Type": type, "Content-Length": length });
    learn(response, inside, type, length);
  }
};

/** Whether the heads of two such responses differ only in status, type, length and date. */
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
  inside._expect_continue === false &&
  response.getHeaderNames().length === 0;

const isFor = (template: Template, response: ServerResponse, inside: Inside, type: string) =>
  template.type === type &&
  template.keepAliveTimeout === inside._keepAliveTimeout &&
  template.writeHead === response.writeHead &&
  template.storeHeader === inside._storeHeader;

const toRest = (date: string, end: string): string => `\r\nDate: ${date}${end}`;

/** Keeps a head that Node has written, if every byte of it is as expected. */
const learn = (response: ServerResponse, inside: Inside, type: string, length: number): void => {
  const { _header: head, _keepAliveTimeout: keepAliveTimeout, _storeHeader: storeHeader } = inside;
  const { statusCode, statusMessage } = response;
  const { writeHead: ownWriteHead } = response as { readonly writeHead: unknown };
  const start = `HTTP/1.1 ${statusCode} ${statusMessage}\r\nContent-Type: ${type}\r\nContent-Length: `;
  const dateAt = start.length + `${length}\r\nDate: `.length;
  const date = head?.slice(dateAt, dateAt + dateLength) ?? "";
  const end = toEnd(keepAliveTimeout);
  if (head !== `${start}${length}${toRest(date, end)}` || inside._contentLength !== length) return;
  if (!isOfNode(ownWriteHead, "this._storeHeader(") || !isOfNode(storeHeader, "this._header = "))
    return;
  templates.set(statusCode, {
    type,
    statusMessage,
    keepAliveTimeout,
    writeHead: ownWriteHead,
    storeHeader,
    start,
    end,
    rest: toRest(date, end),
    date,
  });
};

const dateLength = "Sun, 06 Nov 1994 08:49:37 GMT".length;

const toEnd = (keepAliveTimeout: number): string => {
  const kept = `\r\nConnection: keep-alive\r\n`;
  const seconds = Math.floor(keepAliveTimeout / 1000);
  return keepAliveTimeout ? `${kept}Keep-Alive: timeout=${seconds}\r\n\r\n` : `${kept}\r\n`;
};

/** Whether a method is Node's own and was not replaced by a tool, which must see each call. */
const isOfNode = (method: unknown, part: string): boolean =>
  typeof method === "function" && Function.prototype.toString.call(method).includes(part);

/** The value of `Date` for the current second; undefined once it is over. */
let today: string | undefined;

// tests may replace the global ones, which does not affect Node's own clock
const startTimer = setTimeout;
const Clock = Date;

const readDate = (): string => {
  const now = Clock.now();
  startTimer(
    () => {
      today = undefined;
    },
    1000 - (now % 1000),
  ).unref();
  return (today = new Clock(now).toUTCString());
};
