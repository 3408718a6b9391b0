import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { stoppables, type StoppableResponse } from "../../pipeline/stoppables.ts";
import { isLost } from "./client-errors.ts";
import { onceHasSocket } from "../../http/node-internals.ts";
import { discard } from "../../http/lingering-close.ts";

/** How many requests may wait on one connection before no more of it is read. */
export const maxWaiting = 16;

/** The requests of one connection that wait for their turn. */
interface Queue {
  waiting: number;
  /** Whether the connection is paused, or about to be. */
  isPaused: boolean;
  isPausing: boolean;
}

const queues = new WeakMap<Socket, Queue>();

/** How many requests wait on a connection; undefined where none ever has. */
export const countWaiting = (socket: Socket): number | undefined => queues.get(socket)?.waiting;

/**
 * Makes a listener handle one request of a connection at a time.
 *
 * Node hands over requests that are pipelined behind a running one at once. Here each waits until its response has the
 * socket, so that a connection runs one handler, and nothing runs behind a reply that ends the connection.
 *
 * @see RFC 9112, sections 9.3.2 and 9.6
 */
export const inTurn =
  (listener: RequestListener): RequestListener =>
  (request, response) => {
    const { socket } = response;
    if (socket === null) waitForTurn(request, response, listener);
    else if (socket.writable) listener(request, response);
    else discard(request);
  };

/** Calls a listener once the response has the socket; never if the connection ends before that. */
export const waitForTurn = (
  request: IncomingMessage,
  response: ServerResponse,
  listener: RequestListener,
): void => {
  const { socket } = request;
  // what comes behind others once the shutdown has begun is not accepted
  if ((response as StoppableResponse)[stoppables]?.reason) {
    discard(request);
    return;
  }
  let queue = queues.get(socket);
  if (!queue) queues.set(socket, (queue = { waiting: 0, isPaused: false, isPausing: false }));
  queue.waiting++;
  pauseWhenLong(queue, socket);
  onceHasSocket(response, socket, () => {
    // in a turn of the event loop of its own, so that a long queue does not hold up other connections
    setImmediate(() => {
      leaveQueue(queue, socket);
      if (socket.writable && !isLost(request)) listener(request, response);
      else discard(request);
    });
  });
};

const pauseWhenLong = (queue: Queue, socket: Socket): void => {
  if (queue.waiting <= maxWaiting || queue.isPausing) return;
  queue.isPaused = queue.isPausing = true;
  // Node resumes the socket at the end of each request that it parses, and when one is read
  process.nextTick(() => {
    queue.isPausing = false;
    if (queue.isPaused) socket.pause();
  });
};

const leaveQueue = (queue: Queue, socket: Socket): void => {
  if (--queue.waiting > 0 || !queue.isPaused) return;
  queue.isPaused = false;
  const resume = (): void => {
    if (!queue.isPaused) socket.resume();
  };
  // until then Node itself may have paused the socket, and must not be fed
  if (socket.writableNeedDrain) socket.once("drain", resume);
  else resume();
};
