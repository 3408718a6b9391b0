import type { Express, NextFunction, RequestHandler } from "express";
import { RequestError } from "../errors.ts";
import { failSending } from "../pipeline/send-result.ts";
import { currentWalk, type WalkingRequest } from "../pipeline/walk.ts";
import type { RoutingEntry } from "../routing/walk-routing.ts";
import type { CommonConfig } from "./config/config.ts";
import { markSending } from "./express/mark-sending.ts";
import { prepare } from "./prepare.ts";
import { protect } from "./protect.ts";
import { inTurn } from "./connection/request-queue.ts";

/** An API as layers of an Express application. */
export interface AttachedApi {
  readonly handle: RequestHandler;
  readonly answerNotFound: RequestHandler;
}

/** Creates the layers of an API; see `attachRouting`. */
export const createAttachedApi = async (
  config: CommonConfig,
  entries: readonly RoutingEntry[],
): Promise<AttachedApi> => {
  const { begin, dispatcher, getLogger } = await prepare(config, entries);
  const handle: AttachedApi["handle"] = async (request, response, next) => {
    // a router has no application until it serves a request
    markSending((request.app as Express).response);
    try {
      await begin(request, response);
    } catch (error) {
      await dispatcher.failEarly(error, request, response);
      return;
    }
    if (dispatcher.hasLeft(request, response)) return;
    // if Express fails to send something for a handler, the endpoint responds; otherwise, the user's error handlers do
    const onNext: NextFunction = (error?: unknown) => {
      const walk = (request as WalkingRequest)[currentWalk];
      if (walk) failSending(walk, error ?? new RequestError("SLP_NOT_FOUND"));
      else next(error);
    };
    Object.defineProperty(request, "next", {
      configurable: true,
      enumerable: true,
      get: () => (request as WalkingRequest)[currentWalk]?.next ?? onNext,
      set: (own: unknown) => {
        const walk = (request as WalkingRequest)[currentWalk];
        if (walk?.next !== undefined) walk.next = own;
      },
    });
    await dispatcher.dispatch(request, response, next);
  };
  return {
    handle: (request, response, next) => {
      const listener = protect(() => handle(request, response, next), getLogger);
      inTurn(listener)(request, response);
    },
    answerNotFound: (request, response) => dispatcher.answerNotFound(request, response),
  };
};
