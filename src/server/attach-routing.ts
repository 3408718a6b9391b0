import type { Express, RequestHandler } from "express";
import type { Logger } from "../logger/logger.ts";
import type { CheckRouting, Routing } from "../routing/routing.ts";
import { checkAppConfig } from "./check-config.ts";
import type { AppConfig } from "./config.ts";
import { markSending } from "./express-objects.ts";
import { prepare } from "./prepare.ts";
import { RequestError } from "../errors.ts";
import { failWalk } from "../pipeline/send-result.ts";
import { currentWalk, type WalkingRequest } from "../pipeline/walk.ts";

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
      // what Express fails to send for a handler is the endpoint's to answer, else it goes on to the user's own handlers
      request.next = (error?: unknown) => {
        const walk = (request as WalkingRequest)[currentWalk];
        if (walk) failWalk(walk, error ?? new RequestError("SLP_NOT_FOUND"));
        else next(error);
      };
      await dispatcher.dispatch(request, response, next);
    })();
  });
  return {
    logger,
    notFoundHandler: (request, response) => void dispatcher.answerNotFound(request, response),
  };
};
