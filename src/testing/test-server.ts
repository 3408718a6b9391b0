import type { CheckRouting, Routing } from "../routing/routing.ts";
import type { ServerConfig } from "../server/config/config.ts";
import type { TestServer } from "./run-test-server.ts";

/**
 * Assembles a whole API and serves it within this process, without a port. Everything but listening works as on a
 * server: routing, hooks, parsers, CORS, 404 and 405, uploads, static files and error handling.
 *
 * @param config the configuration of `createServer`; `cors` defaults to false, `http.listen` and `https` are ignored
 * @throws ConfigError when the configuration is invalid, RoutingError when the routing is invalid, and any error of a
 * hook.
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
  const { runTestServer } = await import("./run-test-server.ts");
  return runTestServer(config, routing);
};
