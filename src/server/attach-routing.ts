import type { Express, RequestHandler } from "express";
import type { Logger } from "../logger/logger.ts";
import type { CheckRouting, Routing } from "../routing/routing.ts";
import { checkAppConfig } from "./check-config.ts";
import type { AppConfig } from "./config.ts";
import { markSending } from "./express-objects.ts";
import { prepare } from "./prepare.ts";

/** What joins an application of your own. */
export interface AttachedRouting {
  /** Answers a path that neither the API nor your own routes have; put it last with `app.use`. */
  readonly notFoundHandler: RequestHandler;
  /** The logger in use. */
  readonly logger: Logger;
}

/**
 * Puts the API on an Express application or router of your own.
 *
 * Your own routes may stand before and after it; a path that the API does not have goes on to what follows.
 *
 * @throws ConfigError when the configuration is wrong, RoutingError when the routing is wrong.
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
  const { app } = config;
  const { begin, dispatcher, logger } = prepare(config, routing);
  app.use((request, response, next) => {
    // a router has no application of its own before it serves
    markSending((request.app as Express).response);
    void (async () => {
      try {
        await begin(request, response);
      } catch (error) {
        await dispatcher.fail(error, request, response);
        return;
      }
      await dispatcher.dispatch(request, response, next);
    })();
  });
  return {
    logger,
    notFoundHandler: (request, response) => void dispatcher.answerNotFound(request, response),
  };
};
