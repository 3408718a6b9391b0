import { createServer, type Routing } from "sallyport";
import { testServer } from "sallyport/testing";
import type { MockHandlers } from "./handlers.ts";
import type { MockedConfig } from "./mock-config.ts";
import { prepareMock } from "./mock-routing.ts";

/** What a mock serves. */
export interface MockOptions<R> {
  readonly routing: R;
  /**
   * The configuration of the API. Its resources, hooks, health checks and `onError` are left out.
   *
   * @default that of `createServer`, with `cors: false`
   */
  readonly config?: MockedConfig | undefined;
  /**
   * What the generated values follow from, besides the operation and its input.
   *
   * @default 0
   */
  readonly seed?: number | string | undefined;
  /**
   * Handlers by method and path. What one returns replaces that part of the generated output.
   *
   * @example
   * handlers: { "get /users/:id": ({ input }) => ({ name: `User ${input.id}` }) }
   */
  readonly handlers?: MockHandlers<NoInfer<R>> | undefined;
}

/** A mock within this process, without a port. */
export interface MockServer {
  /** Sends a request like the global `fetch`; the URL may be a path without an origin. */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
  readonly close: () => Promise<void>;
}

/**
 * Serves an API within this process, with outputs that are generated from their schemas in place of its handlers.
 *
 * @throws Error when a value cannot be generated, or a handler has no route; the message names the route and the fix.
 * @example
 * const { fetch, close } = await mockServer({ routing, config });
 * const client = createClient<typeof routing>({ baseUrl: "http://localhost", fetch });
 */
export const mockServer = async <const R extends Routing>(
  options: MockOptions<R>,
): Promise<MockServer> => {
  const { config, routing, files } = await prepareMock(options);
  const { fetch, close } = await testServer(config, routing);
  return { fetch, close: () => close().finally(files.remove) };
};

/** A mock that listens. */
export interface ListeningMock {
  /** Such as `http://127.0.0.1:4010`. */
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** Where a mock listens. */
export interface ListenOptions {
  /**
   * The port; 0 for any free one.
   *
   * @default 4010
   */
  readonly port?: number | undefined;
  /**
   * The address to listen at: `"0.0.0.0"` or `"::"` for callers from other machines.
   *
   * @default "127.0.0.1"
   */
  readonly host?: string | undefined;
}

/**
 * Serves an API as {@link mockServer} does, at a port of this machine.
 *
 * @throws Error as {@link mockServer} does, and when the port is in use.
 */
export const listenMock = async <const R extends Routing>({
  port = 4010,
  host = "127.0.0.1",
  ...options
}: MockOptions<R> & ListenOptions): Promise<ListeningMock> => {
  const { config, routing, files } = await prepareMock(options);
  const server = await createServer(
    {
      ...config,
      http: { ...config.http, listen: { port, host } },
      gracefulShutdown: false,
      // whoever calls this gets the URL
      startupLogo: false,
    },
    routing,
  );
  return {
    url: server.url ?? `http://${host}:${port}`,
    close: () => server.close().finally(files.remove),
  };
};
