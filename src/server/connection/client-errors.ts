import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { toStatusText } from "../../http/status.ts";
import type { Logger } from "../../logger/logger.ts";
import { warnSampled } from "../../logger/sampling.ts";
import { defaultCorsHeaders } from "../head/cors.ts";
import { isClosing } from "../../http/lingering-close.ts";
import { endOfInput, findReply, parserPaused, parserStatuses } from "../../http/node-internals.ts";

/** The methods of the server as a whole. */
const allowed = "DELETE, GET, PATCH, POST, PUT, HEAD, OPTIONS";

/** How long a client may take to read the answer to what it should not have sent, in milliseconds. */
const lingeringTime = 500;

/** What says that the client went away, not that it sent something wrong. */
const departures: ReadonlySet<string> = new Set(["ECONNRESET", "EPIPE", endOfInput]);

/**
 * Answers what cannot be parsed as a request: by the error envelope, then the connection is closed.
 *
 * A reply that is under way on the same socket is never mixed with it, and one who has left gets none.
 */
export const answerClientErrors = (server: Server, logger: Logger, hasCors: boolean): void => {
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Duplex) => {
    const code = error.code ?? "";
    // over TLS each further piece is an error again
    if (isClosing(socket) || lost.has(socket)) return;
    if (code === parserPaused || departures.has(code) || !socket.writable) {
      socket.destroy();
      return;
    }
    lost.add(socket);
    const status = parserStatuses.get(code) ?? 400;
    warnSampled(logger, code, "Not a request", { code, statusCode: status });
    const reply = toReply(status, hasCors);
    const running = findReply(socket);
    if (!running || running.writableFinished) endWith(socket, reply);
    else if (running.req.complete) endAfter(socket, running, reply);
    else if (running.headersSent) socket.destroy();
    else endWith(socket, reply);
  });
  server.on("connect", (_request: IncomingMessage, socket: Duplex) => {
    const running = findReply(socket);
    if (!running || running.writableFinished) {
      endWith(socket, toReply(405, hasCors));
      return;
    }
    // Node has handed the connection over, and does so no more
    socket.on("error", () => undefined).on("drain", () => findReply(socket)?.emit("drain"));
    endAfter(socket, running, toReply(405, hasCors));
  });
};

/** The connections on which nothing can be parsed any more. */
const lost = new WeakSet<object>();

/** Tells whether a request will never be complete, because what follows on its connection cannot be parsed. */
export const isLost = ({ socket, complete }: IncomingMessage): boolean =>
  !complete && lost.has(socket);

/** Waits for the replies to the requests that are complete, so that nothing is mixed with them. */
const endAfter = (socket: Duplex, running: ServerResponse, reply: string): void => {
  running.once("close", () => {
    const next = findReply(socket);
    if (next?.req.complete) endAfter(socket, next, reply);
    else endWith(socket, reply);
  });
};

/** Sends a last reply, and waits a little for the client to read it. */
const endWith = (socket: Duplex, reply: string): void => {
  if (!socket.writable) return;
  socket.on("error", () => undefined).end(reply);
  setTimeout(() => socket.destroy(), lingeringTime).unref();
};

const toReply = (status: number, hasCors: boolean): string => {
  const text = toStatusText(status);
  const body = JSON.stringify({ status: "error", error: { message: text } });
  const headers = {
    ...(hasCors ? defaultCorsHeaders : {}),
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
    "Content-Type": "application/json; charset=utf-8",
    "Content-Length": Buffer.byteLength(body),
    Connection: "close",
    ...(status === 405 ? { Allow: allowed } : {}),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${text}\r\n${lines.join("")}\r\n${body}`;
};
