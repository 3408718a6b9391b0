import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { endpointMethods, toAllowed } from "../../../basics/http/method.ts";
import { toStatusText } from "../../../basics/http/status.ts";
import type { Logger } from "../../../basics/logger/logger.ts";
import { warnSampled } from "../../../basics/logger/sampling.ts";
import { defaultCorsHeaders } from "../../../serve/request/cors.ts";
import { isClosing } from "../../../wire/reply/close-after-reply.ts";
import { parserPaused } from "../../../basics/http/node-internals.ts";
import { findReply, lost } from "./serve-in-order.ts";

/** How long a client that has sent an invalid request may take to read the response, in milliseconds. */
const lingeringTime = 500;

/** How many bytes a client may send after CONNECT while a response is in progress. */
const maxDiscarded = 256 * 1024;

const statuses: ReadonlyMap<string, number> = new Map([
  ["HPE_HEADER_OVERFLOW", 431],
  ["HPE_CHUNK_EXTENSIONS_OVERFLOW", 413],
  ["ERR_HTTP_REQUEST_TIMEOUT", 408],
]);

/** Checks whether the client has left, perhaps in the middle of a request, rather than sent something invalid. */
const isDeparture = (code: string, { readableEnded, writable }: Duplex): boolean =>
  code === "ECONNRESET" || code === "EPIPE" || code === endedEarly || readableEnded || !writable;

/** The code of the error for a connection that ends within a request. */
const endedEarly = "HPE_INVALID_EOF_STATE";

/**
 * Responds with the error envelope to anything that cannot be parsed as a request, then closes the connection. Nothing
 * is written into a response in progress on the same socket, or to a client that has left.
 */
export const answerMalformed = (server: Server, logger: Logger, hasCors: boolean): void => {
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Duplex) => {
    const code = error.code ?? "";
    // over TLS, each further chunk causes another error
    if (isClosing(socket) || lost.has(socket)) return;
    if (code === parserPaused || isDeparture(code, socket)) {
      socket.destroy();
      return;
    }
    lost.add(socket);
    const status = statuses.get(code) ?? 400;
    warnSampled(logger, code, "Not a request", { code, statusCode: status });
    const running = findRunning(socket);
    if (running?.headersSent && !running.req.complete) socket.destroy();
    else endAfterReplies(socket, toReply(status, hasCors));
  });
  server.on("connect", (_request: IncomingMessage, socket: Duplex) => {
    if (findRunning(socket)) listenInstead(socket);
    endAfterReplies(socket, toReply(405, hasCors));
  });
};

const findRunning = (socket: Duplex): ServerResponse | undefined => {
  const reply = findReply(socket);
  return reply?.writableFinished ? undefined : reply;
};

/**
 * Listens for the events of a connection that Node has handed over, as Node itself did before. The connection must be
 * read, otherwise nobody would notice that the client leaves; what arrives is discarded.
 */
const listenInstead = (socket: Duplex): void => {
  let left = maxDiscarded;
  socket
    .on("error", () => undefined)
    .on("drain", () => findReply(socket)?.emit("drain"))
    .on("timeout", () => findReply(socket)?.emit("timeout") || socket.destroy())
    .on("end", () => socket.end())
    .on("data", ({ length }: Buffer) => {
      if ((left -= length) < 0) socket.destroy();
    });
};

/**
 * Sends the last response after the responses to all complete requests, so that it is not mixed with them, and waits
 * briefly for the client to read it.
 */
const endAfterReplies = (socket: Duplex, reply: string): void => {
  const running = findRunning(socket);
  if (running?.req.complete) {
    running.once("close", () => endAfterReplies(socket, reply));
  } else if (socket.writable) {
    socket.on("error", () => undefined).end(reply);
    setTimeout(() => socket.destroy(), lingeringTime).unref();
  }
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
    ...(status === 405 ? { Allow: toAllowed(endpointMethods, true) } : {}),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${text}\r\n${lines.join("")}\r\n${body}`;
};
