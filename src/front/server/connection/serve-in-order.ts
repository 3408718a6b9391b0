import { AsyncResource } from "node:async_hooks";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Request, Response } from "express";
import { onTurn } from "../../../basics/http/node-internals.ts";
import { findState, RequestState, type Service } from "../../../serve/pipeline/request-state.ts";
import { recover } from "../../../serve/pipeline/answer.ts";
import { discard } from "../../../wire/reply/close-after-reply.ts";

/** While more requests than this are waiting on one connection, the connection is not read. */
export const maxWaiting = 16;

/** How often a piece of a paused connection is read, in milliseconds, in order to notice that the client leaves. */
export const probeInterval = 5000;

/** How many bytes such pieces may have together; if the client sends more, its connection is destroyed. */
const maxProbed = 256 * 1024;

/** How many requests have that many bytes at least; Bun counts no bytes. */
const maxProbedRequests = maxProbed / "GET / HTTP/1.1\n\n".length;

/** The waiting requests of one connection. */
class Queue {
  waiting = 0;
  last: ServerResponse | undefined;
  /** Whether the connection is paused, or about to be. */
  isPaused = false;
  /** The number of bytes that the connection had received when it was paused. */
  bytesRead = 0;
  probe: NodeJS.Timeout | undefined;
}

class Connection {
  /** The response that has the connection; undefined between two requests. */
  reply: ServerResponse | undefined = undefined;
  queue: Queue | undefined = undefined;
}

const connections = new WeakMap<object, Connection>();

const openConnection = (socket: Socket): Connection => {
  let connection = connections.get(socket);
  if (!connection) connections.set(socket, (connection = new Connection()));
  return connection;
};

/** Returns the number of waiting requests of a connection; undefined if no request has ever waited. */
export const countWaiting = (socket: Socket): number | undefined =>
  connections.get(socket)?.queue?.waiting;

/** Returns the response that has a connection. */
export const findReply = (socket: object): ServerResponse | undefined => {
  const reply = connections.get(socket)?.reply;
  return reply?.socket === socket ? reply : undefined;
};

/** Serves a request; the returned promise, if any, rejects only if the framework has a defect. */
export type Serve = (state: RequestState) => Promise<void> | undefined;

/**
 * Creates a listener that serves the requests of a connection one at a time. Node emits pipelined requests even while an
 * earlier one is running; here, each waits until its response has the socket. A defect of the framework itself is
 * logged, and answered with 500.
 *
 * @see RFC 9112, sections 9.3.2 and 9.6
 */
export const serveInOrder = (serve: Serve, service: Service): RequestListener => {
  const onRequest = async (message: IncomingMessage, reply: ServerResponse): Promise<void> => {
    // the server creates requests and responses with the application's classes
    const request = message as Request;
    const response = reply as Response;
    try {
      const { socket } = response;
      // the requests that unit tests create have no connection
      if (request.socket?.writable === undefined)
        await serve(new RequestState(request, response, service));
      else if (socket?.writable) {
        const connection = openConnection(socket);
        connection.reply = response;
        // several APIs on one application may pass a request on to each other
        const isFirst = !findState(response);
        const state = new RequestState(request, response, service);
        await serve(state);
        if (isFirst) release(connection, state);
      }
      // during a shutdown, requests that arrive behind others are not accepted
      else if (socket || service.running.reason) discard(request);
      else waitForTurn(response, onRequest);
    } catch (error) {
      recover(findState(response) ?? { request, response, logger: service.logger }, error);
    }
  };
  return onRequest;
};

/** Forgets a response once it has been sent; an idle connection would keep it, and its request, in memory. */
const release = (connection: Connection, state: RequestState): void => {
  const { response } = state;
  if (response.closed || (response.writableEnded && response.writableLength === 0)) {
    if (connection.reply === response) connection.reply = undefined;
    return;
  }
  state.onEnd(() => release(connection, state));
};

/** Calls a listener once the response has the socket; never, if the connection ends before that. */
const waitForTurn = (response: ServerResponse, listener: RequestListener): void => {
  const { req: request } = response;
  const { socket } = request;
  const connection = openConnection(socket);
  const queue = (connection.queue ??= new Queue());
  const previous = queue.waiting++ === 0 ? connection.reply : queue.last;
  queue.last = response;
  pauseWhenLong(queue, socket);
  const begin = AsyncResource.bind(() => {
    leaveQueue(queue, socket);
    // a request will never be complete if the rest of its connection cannot be parsed
    const isLost = !request.complete && lost.has(socket);
    if (socket.writable && !isLost) listener(request, response);
    else discard(request);
  });
  onTurn(response, previous, () => {
    connection.reply = response;
    // each request has its own turn of the event loop, so that a long queue does not block other connections
    setImmediate(begin);
  });
};

const pauseWhenLong = (queue: Queue, socket: Socket): void => {
  if (queue.waiting <= maxWaiting) return;
  if (!queue.isPaused) queue.bytesRead = socket.bytesRead;
  queue.isPaused = true;
  queue.probe ??= setTimeout(() => probe(queue, socket), probeInterval).unref();
  // Node resumes the socket after it has parsed a request and when a request is read, so the socket is paused after that
  process.nextTick(() => {
    if (queue.isPaused) socket.pause();
  });
};

/** Reads the next piece of a paused connection; the next request in it pauses the connection again. */
const probe = (queue: Queue, socket: Socket): void => {
  const isFlooded = queue.waiting > maxProbedRequests;
  if (isFlooded || socket.bytesRead - queue.bytesRead > maxProbed) socket.destroy();
  if (socket.destroyed) return;
  if (!socket.writableNeedDrain) socket.resume();
  queue.probe?.refresh();
};

const leaveQueue = (queue: Queue, socket: Socket): void => {
  queue.probe?.refresh();
  if (--queue.waiting > 0) return;
  queue.last = undefined;
  if (!queue.isPaused) return;
  queue.isPaused = false;
  clearTimeout(queue.probe);
  queue.probe = undefined;
  const resume = (): void => {
    if (!queue.isPaused) socket.resume();
  };
  // Node itself may have paused the socket until it drains, and must not receive data before that
  if (socket.writableNeedDrain) socket.once("drain", resume);
  else resume();
};

/** The connections on which nothing more can be parsed. */
export const lost = new WeakSet<object>();
