import type { RequestHandler } from "express";
import { checkAccess } from "../../describe/diagnostics/check-access.ts";
import { toServerLogger } from "../../basics/logger/guard-logger.ts";
import type { Logger } from "../../basics/logger/logger.ts";
import { checkSettings, listRoutes } from "../../define/routing/walk-routing.ts";
import type { CheckRouting, Routing } from "../../define/routing/routing.ts";
import type { AppSettings } from "../../wire/exchange/ways.ts";
import type { AttachedApi } from "./attached-api.ts";
import { checkAppConfig } from "./config/check-config.ts";
import type { AppConfig } from "./config/config.ts";
import { guardPaths, mayServe, type Handling } from "./express/path-guards.ts";

/** The result of {@link attachRouting}, for use in your own application. */
export interface AttachedRouting {
  /** Responds to paths that neither the API nor your own routes serve; add this handler last, with `app.use`. */
  readonly notFoundHandler: RequestHandler;
  /** The logger in use: the built-in one, or your own in a wrapper, so `logger.info(message, fields)` suits any. */
  readonly logger: Logger;
}

/**
 * Adds the API to your own Express application or router.
 *
 * Your own routes may come before or after the API; requests for paths that the API does not serve are passed on to the
 * layers that follow.
 *
 * @throws ConfigError when the configuration is invalid, RoutingError when the routing is invalid.
 * @example
 * const app = express();
 * const { notFoundHandler } = attachRouting(createConfig({ app, cors: false }), routing);
 * app.use(notFoundHandler);
 * app.listen(8090);
 */
export const attachRouting = <const R extends Routing>(
  config: AppConfig,
  routing: R & CheckRouting<R>,
): AttachedRouting => {
  checkAppConfig(config);
  const routes = listRoutes(routing, config);
  // here, because what is found later can only be logged
  if (config.access) checkAccess(routes.endpoints, routes.statics);
  checkSettings(routes, (config.app as { readonly settings?: AppSettings }).settings ?? {});
  const logger = toServerLogger(config.logger);
  const settled = { ...config };
  // the code that serves requests is loaded only here; the first requests wait until it is loaded
  let loaded: AttachedApi | undefined;
  const loading = import("./attached-api.ts").then(
    async ({ createAttachedApi }) => (loaded = await createAttachedApi(settled, routes, logger)),
  );
  loading.catch((error: unknown) => logger.error("The API could not be loaded", { error }));
  const handleBy =
    (name: "handle" | "sendNotFound"): RequestHandler =>
    (request, response, next) =>
      loaded
        ? loaded[name](request, response, next)
        : loading.then((api) => api[name](request, response, next), next);
  guardPaths(config.app as Handling, config.caseSensitive);
  const handle = handleBy("handle");
  config.app.use((request, response, next) =>
    mayServe(request) ? handle(request, response, next) : next(),
  );
  return { logger, notFoundHandler: handleBy("sendNotFound") };
};
