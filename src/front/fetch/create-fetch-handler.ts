import type { IncomingMessage, ServerResponse } from "node:http";
import type { UnderlyingSource } from "node:stream/web";
import { reportStarting } from "../../define/endpoint/build-hook.ts";
import { ConfigError } from "../../basics/errors.ts";
import { isObject } from "../../basics/messages/option-checks.ts";
import type { CheckRouting, Routing } from "../../define/routing/routing.ts";
import { checkServerConfig } from "../server/config/check-config.ts";
import type { ServerConfig } from "../server/config/config.ts";
import { prepareShutdown } from "../server/connection/shutdown.ts";
import { createHttpServers } from "../server/http-servers.ts";
import { startResources } from "../server/start-resources.ts";
import { isClosing } from "../../wire/reply/close-after-reply.ts";
import { createMessageClasses, leaveBody, setBody } from "./message-classes.ts";
import { SinkSocket, type WrittenHead } from "./sink-socket.ts";

/** The configuration of `createServer`, without what concerns a server that listens. */
export interface FetchConfig extends Omit<
  ServerConfig,
  "http" | "https" | "responseIdleTimeout" | "startupLogo"
> {}

/** What a host knows of a request beside the request itself. */
export interface FetchOptions {
  /** The address of the client, for `request.ip`, rate limits and logs; undefined if the host does not know it. */
  readonly remoteAddress?: string | undefined;
  /**
   * Receives a promise that resolves when the work of the request has ended, such as jobs after a commit: a serverless
   * host must not stop before.
   */
  readonly waitUntil?: ((promise: Promise<unknown>) => void) | undefined;
}

/** An API that answers requests in place of a server. */
export interface FetchHandler {
  /**
   * Responds to a request of the Fetch standard.
   *
   * @throws Error when the response is cut off before its head was sent.
   */
  readonly fetch: (request: Request, options?: FetchOptions) => Promise<Response>;
  /** Lets the requests in progress finish, then runs `onStop` and stops the resources. */
  readonly close: () => Promise<void>;
}

/**
 * Prepares an API for hosts that call a function for each request, such as Bun, Deno, or a route of another framework.
 * Nothing listens, and no signal is handled; everything else works as with `createServer`.
 *
 * @throws ConfigError when the configuration is invalid or has `http` or `https`, RoutingError when the routing is
 * invalid, any error of a hook, and ConfigError when a resource cannot start.
 * @example
 * const { fetch } = await createFetchHandler(createConfig({ cors: true }), routing);
 * Bun.serve({ fetch: (request, server) => fetch(request, { remoteAddress: server.requestIP(request)?.address }) });
 */
export const createFetchHandler = async <const R extends Routing>(
  config: FetchConfig,
  routing: R & CheckRouting<R>,
): Promise<FetchHandler> => {
  reportStarting();
  refuseListening(config);
  checkServerConfig(config, routing);
  // the shortcuts know the connections of Node
  const own = { ...config, shortcuts: false };
  const created = await createHttpServers(own, routing, createMessageClasses());
  const { objects, service, onRequest } = created;
  const stop = await startResources(config, created);
  const { prototype: responses } = objects.ServerResponse;
  const shutdown = {
    ...(isObject(config.gracefulShutdown) && config.gracefulShutdown),
    events: [],
  };
  const open = new Set<SinkSocket>();
  const stopAll = (): Promise<boolean> => {
    // the deadline of the shutdown has expired
    for (const socket of open) socket.destroy();
    return stop();
  };
  const closable = { listeners: [], responses, service, stop: stopAll };
  const close = await prepareShutdown(closable, shutdown);
  return {
    close,
    fetch: async (given, { remoteAddress, waitUntil } = {}) => {
      if (service.running.reason) return new Response(null, { status: 503 });
      const url = new URL(given.url);
      const socket = new SinkSocket(remoteAddress, url.protocol === "https:");
      const request = toNodeRequest(new objects.IncomingMessage(socket as never), given, url);
      const response = new objects.ServerResponse(request);
      // Node would frame a body of unknown length for a client of HTTP/1.1
      request.httpVersionMinor = 1;
      response.sendDate = false;
      response.assignSocket(socket as never);
      const leave = (): void => void socket.destroy();
      given.signal.addEventListener("abort", leave);
      const closed = untilClosed(socket, response, request);
      open.add(socket);
      socket.once("close", () => {
        open.delete(socket);
        given.signal.removeEventListener("abort", leave);
      });
      const replied = toResponse(socket, response, given);
      // the listener returns a promise, which never rejects
      const served: unknown = onRequest(request, response);
      waitUntil?.(Promise.all([served, closed]));
      if (given.signal.aborted) leave();
      return replied;
    },
  };
};

const refuseListening = (config: unknown): void => {
  if (!isObject(config)) return;
  for (const name of ["http", "https"])
    if (Reflect.get(config, name) !== undefined)
      throw new ConfigError(
        "SLP_CONFIG_VALUE",
        `createFetchHandler: the \`${name}\` option is for createServer, which listens; here, the host does. Remove it.`,
      );
};

/** Fills in what a parser would have read. */
const toNodeRequest = (
  message: IncomingMessage,
  given: Request,
  { pathname, search, host }: URL,
): IncomingMessage => {
  const headers: Record<string, string> = { host };
  for (const [name, value] of given.headers) headers[name] = value;
  // the host has sent the body's length or not, but never its framing
  if (given.body && headers["content-length"] === undefined)
    headers["transfer-encoding"] = "chunked";
  message.method = given.method;
  message.url = pathname + search;
  message.headers = headers;
  message.rawHeaders = Object.entries(headers).flat();
  message.httpVersion = "1.1";
  message.httpVersionMajor = 1;
  message.httpVersionMinor = 0;
  setBody(message, given.body);
  return message;
};

/** Closes the connection once the response has been sent; resolves when it is closed, for whatever reason. */
const untilClosed = (
  socket: SinkSocket,
  response: ServerResponse,
  request: IncomingMessage,
): Promise<void> =>
  new Promise((resolve) => {
    // later, because a stream that is destroyed while it confirms a write creates an error
    response.once("finish", () => queueMicrotask(() => socket.destroy()));
    socket
      .on("drain", () => response.emit("drain"))
      // as a response that is destroyed with an error does to its connection
      .on("error", () => undefined)
      .once("close", () => {
        const isRead = request.listenerCount("data") > 0 || request.listenerCount("readable") > 0;
        // as Node does when a client leaves
        if (!request.complete && !response.writableFinished)
          request.destroy(Object.assign(new Error("aborted"), { code: "ECONNRESET" }));
        else if (!request.complete && (!isRead || isClosing(socket))) leaveBody(request);
        resolve();
      });
  });

/** The statuses of responses that have no body. */
const bodiless: ReadonlySet<number> = new Set([204, 205, 304]);

/** Resolves to the response once its head has been written; rejects if the connection is closed before. */
const toResponse = (
  socket: SinkSocket,
  response: ServerResponse,
  { method }: Request,
): Promise<Response> =>
  new Promise((resolve, reject) => {
    const refuse = (): void => reject(new Error("The response was cut off before it began"));
    socket.once("close", refuse);
    socket.onHead = (head) => {
      socket.off("close", refuse);
      const hasBody = method !== "HEAD" && !bodiless.has(head.status);
      // most replies are complete in the same turn, and need no stream
      process.nextTick(() => {
        // Node's own `finished`, because compression replaces `writableEnded`
        const isComplete = response.finished && socket.writableLength === 0;
        try {
          if (!hasBody) {
            socket.discard();
            resolve(createResponse(head, null));
          } else if (isComplete) resolve(createResponse(head, Buffer.concat(socket.pieces)));
          else resolve(createResponse(head, toStream(socket, response)));
        } catch (error) {
          // the standard has no statuses above 599
          reject(error);
          socket.destroy();
        }
      });
    };
  });

type Body = ConstructorParameters<typeof Response>[0];

/** The header fields that describe a connection, which the host makes. */
const ofConnection: ReadonlySet<string> = new Set(["connection", "keep-alive"]);

const createResponse = ({ status, statusText, fields }: WrittenHead, body: Body): Response => {
  const headers = new Headers();
  for (const [name, value] of fields)
    if (!ofConnection.has(name.toLowerCase())) headers.append(name, value);
  return new Response(body, { status, statusText, headers });
};

const toStream = (socket: SinkSocket, response: ServerResponse): ReadableStream<Uint8Array> => {
  let isOver = false;
  const source: UnderlyingSource<Uint8Array> = {
    start: (controller) => {
      socket.onBody = () => {
        if ((controller.desiredSize ?? 0) > 0) send(controller);
      };
      socket.once("close", () => {
        isOver = true;
        if ((controller.desiredSize ?? 0) > 0) send(controller);
      });
    },
    pull: (controller) => send(controller),
    cancel: () => {
      socket.onBody = () => undefined;
      socket.pieces.length = 0;
      socket.destroy();
    },
  };
  /** Sends a piece; what has been written arrives before the end, or before the error. */
  const send = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
    const piece = socket.pull();
    if (piece) controller.enqueue(piece);
    else if (isOver && response.writableFinished) controller.close();
    else if (isOver) controller.error(new Error("The response was cut off"));
  };
  return new ReadableStream(source, { highWaterMark: 1 });
};
