import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { beforeHead } from "../exchange/replace-methods.ts";
import { findSocket } from "../exchange/node-response.ts";
import { endInstead } from "../../basics/http/node-internals.ts";

/** The limits for discarding data on a closing connection, in bytes and in milliseconds. */
const maxDiscardedBytes = 256 * 1024;
const maxDiscardingTime = 500;

/**
 * Closes the connection after the response without losing the response: the reset of a connection on which the client
 * is still sending may overtake it. So the socket is half-closed, and `most` bytes are discarded for a while.
 *
 * @see RFC 9112, section 9.6
 */
export const closeAfterReply = (
  request: IncomingMessage,
  response: ServerResponse,
  most = maxDiscardedBytes,
  milliseconds = maxDiscardingTime,
): void => {
  if (response.headersSent) return;
  response.setHeader("Connection", "close");
  const socket = findSocket(response);
  if (!socket || isClosing(socket)) return;
  const last = socket.bytesRead + most;
  lingering.set(socket, () => {
    if (socket.bytesRead < last) return;
    request.pause();
    // Node resumes the socket in a later tick, so it is paused again after that
    setImmediate(() => socket.pause());
  });
  endInstead(socket, response, () => linger(request, socket, milliseconds));
  // otherwise Node would read the whole body once the response is finished
  if (most > 0 && !request.complete) discard(request);
};

/** The abandoned connections, each with a function that stops reading once too much data has arrived. */
const lingering = new WeakMap<object, () => void>();

/** Checks whether a connection has been abandoned, so that further data on it is ignored. */
export const isClosing = (socket: object): boolean => lingering.has(socket);

/** Half-closes a connection on which nothing more is sent, and destroys it after a while. */
const linger = (request: IncomingMessage, socket: Socket, milliseconds: number): void => {
  const timer = setTimeout(() => socket.destroy(), milliseconds);
  socket.once("close", () => clearTimeout(timer));
  socket.end();
  discard(request);
};

/** Reads and discards the body of a request, or the rest of the body. */
export const discard = (request: IncomingMessage): void => {
  const check = lingering.get(request.socket);
  if (check && !request.complete && !request.listeners("data").includes(check))
    request.on("data", check);
  drain(request);
  check?.();
};

/** The maximum number of bytes of an unwanted body that are read to keep the connection open. */
const maxLeft = 65_536;

/**
 * Gets rid of the rest of a body, whose bytes precede the next request: it is discarded once the response has been
 * sent, unless the request was rejected and the body is long, or destroyed; the connection is then closed instead.
 */
export const discardRestOfBody = (
  request: IncomingMessage,
  response: ServerResponse,
  isRefused: boolean,
): void => {
  if (!mayHaveBody(request)) return;
  const { expect } = request.headers;
  const isEndInSight = endsSoon(request);
  if (request.destroyed || (isRefused && !isEndInSight)) {
    closeAfterReply(request, response, 0);
  } else if (isRefused && expect === undefined) {
    drain(request);
  } else {
    const drainRest = (): void => {
      if (!request.complete && !request.destroyed) drain(request);
    };
    if (response.writableFinished) drainRest();
    else response.once("finish", drainRest);
  }
};

const mayHaveBody = ({ complete, headers }: IncomingMessage): boolean =>
  !complete &&
  (headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined);

const endsSoon = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] === undefined && Number(headers["content-length"]) <= maxLeft;

/**
 * Makes an error that other code sends itself leave the body unread; returns a function that ends this.
 *
 * @param isOwn whether the response is of sallyport's own class, which misses only a head that is written on its own
 * and then only matters for a long body; replacing a method and taking it back makes each use of a response slow
 */
export const watchRefusal = (
  request: IncomingMessage,
  response: ServerResponse,
  isOwn: boolean,
): (() => void) | undefined => {
  if (!mayHaveBody(request) || (isOwn && endsSoon(request))) return undefined;
  return beforeHead(response, (_response, status) => {
    if (status >= 400) discardRestOfBody(request, response, true);
  });
};

/** Reads the rest of a body, no matter who began to read it, or how. */
export const drain = (request: IncomingMessage): void => {
  if (request.listenerCount("readable") > 0) {
    // with a listener for `readable`, `resume` has no effect
    const readAll = (): void => {
      while (request.read() !== null);
    };
    request.on("readable", readAll);
    readAll();
  } else {
    request.resume();
  }
};
