import type { Server } from "node:http";
import type { Express } from "express";
import { defaults } from "../../basics/defaults.ts";
import type { Logger } from "../../basics/logger/logger.ts";
import type { Routing } from "../../define/routing/routing.ts";
import { createHttpServers } from "./http-servers.ts";
import { checkServerConfig } from "./config/check-config.ts";
import type { ServerConfig } from "./config/config.ts";
import { listen, toUrl } from "./connection/listener.ts";
import { prepareShutdown } from "./connection/shutdown.ts";
import { startResources } from "./start-resources.ts";

/** A running server. */
export interface RunningServer {
  /** The Express application that serves the API; without hooks, Express is loaded when this is first read. */
  readonly app: Express;
  /** The logger in use: the built-in one, or your own in a wrapper, so `logger.info(message, fields)` suits any. */
  readonly logger: Logger;
  /** The listening servers, HTTP before HTTPS. */
  readonly servers: readonly Server[];
  /** The first of `urls`, such as `http://localhost:8090`; undefined if there is none. */
  readonly url: string | undefined;
  /** The addresses of the servers, with the ports that they were given, apart from UNIX sockets. */
  readonly urls: readonly string[];
  /**
   * Closes the servers once running requests have finished, as with `gracefulShutdown`; then runs `onStop`, and stops
   * the resources.
   */
  readonly close: () => Promise<void>;
}

export const startServer = async (config: ServerConfig, routing: Routing) => {
  checkServerConfig(config, routing);
  checkRuntime();
  const created = await createHttpServers(config, routing);
  const { objects, listeners, logger, service } = created;
  if (listeners.length === 0)
    service.logger.warn(
      "SLP_WARN_NO_SERVER: neither `http` nor `https` is configured, so nothing listens. Set `http: { listen: 8090 }`.",
    );
  const stop = await startResources(config, created);
  try {
    await listen(listeners);
  } catch (error) {
    await stop();
    throw error;
  }
  const addresses = listeners.map(toUrl);
  if (config.startupLogo ?? defaults.startupLogo)
    for (const address of addresses) service.logger.info(`Listening on ${address}`);
  const { prototype: responses } = objects.ServerResponse;
  const closable = { listeners, responses, service, stop };
  const close = await prepareShutdown(closable, config.gracefulShutdown);
  // the others are paths of UNIX sockets
  const urls = addresses.filter((address) => /^https?:\/\//.test(address));
  return {
    get app() {
      return objects.getApp();
    },
    logger,
    servers: listeners.map(({ server }) => server),
    url: urls[0],
    urls,
    close,
  };
};

/** The oldest Node.js release line with security fixes, as of November 2026. */
const oldestMaintained = 22;

let isWarned = false;

/** Warns about a runtime that is too old to be safe, once per process, on standard error; never in tests. */
export const checkRuntime = (version = process.versions.node): void => {
  if (isWarned || process.env["NODE_ENV"] === "test") return;
  isWarned = true;
  if (Number.parseInt(version, 10) >= oldestMaintained) return;
  const text = `Node.js ${version} no longer receives security fixes; use ${oldestMaintained}, 24 or 26.`;
  process.emitWarning(text, { code: "SLP_WARN_RUNTIME" });
};
