import type { Express, NextFunction, Request, RequestHandler, Response } from "express";
import { answered, type OfferFault } from "../pipeline/request-state.ts";
import { loadExpress } from "../lazy/packages.ts";

/**
 * Creates the function that offers endpoint faults to the error handlers added to the application after the API, as
 * Express does for its routes: a handler responds, or passes the error on with `next(error)`.
 *
 * @param findApp returns the application, if there is one
 * @param api the layer of the API
 */
export const createFaultOffer =
  (findApp: () => Express | undefined, api: () => RequestHandler | undefined): OfferFault =>
  (error, request, response) => {
    const { stack } = findApp()?.router ?? { stack: [] };
    const begin = stack.findIndex(({ handle }) => handle === api());
    const handlers =
      begin < 0 ? [] : stack.slice(begin + 1).filter(({ handle }) => handle.length === 4);
    if (handlers.length === 0) return undefined;
    const router = loadExpress().Router();
    router.use((_request: Request, _response: Response, next: NextFunction) => next(error));
    router.stack.push(...handlers);
    return new Promise((resolve) => {
      const onClose = (): void => resolve(answered);
      response.once("close", onClose);
      router(request, response, (left?: unknown) => {
        response.off("close", onClose);
        resolve(response.writableEnded ? answered : (left ?? error));
      });
    });
  };
