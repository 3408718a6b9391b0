import { reportStarting } from "../../define/endpoint/build-hook.ts";
import type { CheckRouting, Routing } from "../../define/routing/routing.ts";
import type { ServerConfig } from "./config/config.ts";
import type { RunningServer } from "./start-server.ts";

/**
 * Starts the server.
 *
 * @returns the running server, once it listens at every configured address
 * @throws ConfigError when the configuration is invalid, RoutingError when the routing is invalid, any error that a
 * hook throws, ConfigError when a resource cannot start, and Node's error when a server cannot listen; no server is left
 * listening then, and no resource started.
 * @example
 * const { servers } = await createServer(createConfig({ http: { listen: 8090 }, cors: true }), {
 *   v1: { users: { ":id": getUser } },
 * });
 */
export const createServer = async <const R extends Routing>(
  config: ServerConfig,
  routing: R & CheckRouting<R>,
): Promise<RunningServer> => {
  reportStarting();
  // the code that serves requests is loaded only here, and not by every program that declares an endpoint
  const { startServer } = await import("./start-server.ts");
  return startServer(config, routing);
};
