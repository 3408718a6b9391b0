import { setImmediate } from "node:timers/promises";
import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import type { Express } from "express";
import { isLogger } from "../../basics/logger/logger.ts";
import type { CheckRouting, Routing } from "../../define/routing/routing.ts";
import { createHttpServers } from "../server/http-servers.ts";
import { checkServerConfig } from "../server/config/check-config.ts";
import type { ServerConfig } from "../server/config/config.ts";
import type { Listener } from "../server/connection/listener.ts";
import { prepareShutdown } from "../server/connection/shutdown.ts";
import { startResources } from "../server/start-resources.ts";
import { exchangeInMemory } from "./exchange-in-memory.ts";
import { createLoggerMock, type LoggerMock } from "./mocks.ts";

const bodiless: ReadonlySet<number> = new Set([204, 205, 304]);

/** A whole API without a port. */
export interface TestServer {
  /**
   * Sends a request like the global `fetch`, but within this process.
   *
   * Redirects are not followed, and compressed bodies are not decompressed. The URL may be a path without an origin.
   *
   * @throws TypeError when the server closes the connection without a response.
   */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
  /** The Express application that serves the API. */
  readonly app: Express;
  /** The log of the server and of its requests. */
  readonly loggerMock: LoggerMock;
  /** Waits for running requests, then runs `onStop` and stops the resources. */
  readonly close: () => Promise<void>;
}

/**
 * Assembles a whole API, starts its resources, and serves it within this process, without a port or signal handlers;
 * everything else works as on a server.
 *
 * @param config the configuration of `createServer`; `cors` defaults to false, `http.listen` and `https` are ignored
 * @throws ConfigError when the configuration is invalid, RoutingError when the routing is invalid, any error of a
 * hook, and ConfigError when a resource cannot start.
 * @example
 * const { fetch } = await testServer({ cors: true }, routing);
 * const response = await fetch("/v1/users", { method: "POST", body: JSON.stringify({ name: "Ada" }),
 *   headers: { "content-type": "application/json" } });
 * expect(response.status).toBe(200);
 */
export const testServer = async <const R extends Routing>(
  config: Partial<ServerConfig>,
  routing: R & CheckRouting<R>,
): Promise<TestServer> => {
  const loggerMock = createLoggerMock(isLogger(config.logger) ? config.logger : undefined);
  const complete: ServerConfig = {
    cors: false,
    ...config,
    logger: loggerMock,
    http: { ...config.http, listen: 0 },
    https: undefined,
  };
  checkServerConfig({ ...config, cors: complete.cors });
  const created = await createHttpServers(complete, routing);
  const { objects, listeners, service } = created;
  const [{ server }] = listeners as [Listener];
  const stop = await startResources(complete, created);
  const { prototype: responses } = objects.ServerResponse;
  const { gracefulShutdown: shutdown } = config;
  const options = { ...(typeof shutdown === "object" && shutdown), events: [] };
  const close = await prepareShutdown({ listeners, responses, service, stop }, options);
  return {
    get app() {
      return objects.getApp();
    },
    loggerMock,
    close,
    fetch: async (input, init) => {
      const request = new Request(
        input instanceof Request ? input : new URL(input, "http://localhost"),
        init,
      );
      const { pathname, search, host } = new URL(request.url);
      const sent = {
        method: request.method,
        target: pathname + search,
        headers: { host, ...Object.fromEntries(request.headers) },
        body: request.body ? Buffer.from(await request.arrayBuffer()) : undefined,
        signal: request.signal,
      };
      const response = await exchangeInMemory(server, sent, async (message) => {
        const { statusCode: status = 0, statusMessage: statusText = "", rawHeaders } = message;
        const isBodiless = request.method === "HEAD" || bodiless.has(status);
        if (isBodiless) message.resume();
        // a response that is cut off before its conversion could not become a body
        const body = isBodiless ? null : (Readable.toWeb(message) as ReadableStream<Uint8Array>);
        const headers = new Headers();
        for (let at = 0; at < rawHeaders.length; at += 2)
          headers.append(rawHeaders[at] ?? "", rawHeaders[at + 1] ?? "");
        return new Response(body, { status, statusText, headers });
      });
      if (!response)
        throw new TypeError("fetch failed: the connection was closed without a response");
      // the work that the server does after a response, such as its access log, comes first
      await setImmediate();
      return response;
    },
  };
};
