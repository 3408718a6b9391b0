import type { Express, NextFunction, Request, Response } from "express";
import type { Logger } from "../../basics/logger/logger.ts";
import { findState, RequestState } from "../../serve/pipeline/request-state.ts";
import type { Routes } from "../../define/routing/walk-routing.ts";
import type { CommonConfig } from "./config/config.ts";
import { markSending } from "./express/mark-sending.ts";
import { requestNext } from "./express/request-next.ts";
import { prepareApi } from "./prepare-api.ts";
import { serveInOrder, type Serve } from "./connection/serve-in-order.ts";

export const createAttachedApi = async (config: CommonConfig, routes: Routes, logger: Logger) => {
  const { beginRequest, dispatcher, service, observe } = await prepareApi(config, routes, {
    logger,
  });
  const serve = async (state: RequestState, next: NextFunction): Promise<void> => {
    // a router has no application until it serves a request
    markSending((state.request.app as Express).response);
    try {
      await beginRequest(state);
    } catch (error) {
      await dispatcher.refuseEarly(state, error);
      return;
    }
    if (dispatcher.hasLeft(state)) return;
    // Express has set it before the API runs
    state.next = next;
    Object.defineProperty(state.request, "next", requestNext);
    await dispatcher.dispatch(state, next);
  };
  return {
    handle: (request: Request, response: Response, next: NextFunction): void => {
      const serveNext: Serve = (state) => {
        const run = (): Promise<void> => serve(state, next);
        return observe ? observe(state, run) : run();
      };
      serveInOrder(serveNext, service)(request, response);
    },
    sendNotFound: (request: Request, response: Response): Promise<void> =>
      dispatcher.sendNotFound(findState(request) ?? new RequestState(request, response, service)),
  };
};

export type AttachedApi = Awaited<ReturnType<typeof createAttachedApi>>;
