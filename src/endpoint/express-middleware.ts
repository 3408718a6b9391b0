import type { NextFunction, Request, Response } from "express";
import { ensureError } from "../results/http-error.ts";
import { Middleware, type MiddlewareReturn } from "./middleware.ts";
import { isPromiseLike, type HandlerArguments, type MaybePromise } from "./handler-arguments.ts";
import type { EmptyObject } from "../schemas/schema.ts";

/** A middleware written for Express. */
export type ExpressHandler<Req extends Request, Res extends Response> = (
  request: Req,
  response: Res,
  next: NextFunction,
) => unknown;

/** How a middleware written for Express joins the pipeline. */
export interface ExpressMiddlewareOptions<
  Req extends Request,
  Res extends Response,
  Returned extends MiddlewareReturn,
> {
  /** Makes the context of what the middleware left on the request, such as `request.auth`. */
  readonly provider?: ((request: Req, response: Res) => MaybePromise<Returned>) | undefined;
  /** Turns an error of the middleware into another one, usually an HTTP error. */
  readonly transformer?: ((error: Error) => Error) | undefined;
}

/** Runs a middleware written for Express before the handler. */
export class ExpressMiddleware<
  Req extends Request,
  Res extends Response,
  Returned extends MiddlewareReturn,
> extends Middleware<EmptyObject, Returned> {
  override readonly isNative: boolean = true;

  constructor(
    middleware: ExpressHandler<Req, Res>,
    { provider, transformer }: ExpressMiddlewareOptions<Req, Res, Returned> = {},
  ) {
    super({
      handler: async ({
        request,
        response,
      }: HandlerArguments<EmptyObject, EmptyObject>): Promise<Returned> => {
        const [req, res] = [request as Req, response as Res];
        const isDone = await untilNext(middleware, req, res, transformer);
        return (isDone ? undefined : await provider?.(req, res)) as Returned;
      },
    });
  }
}

/**
 * Settles when the middleware calls `next`, fails, or ends the response without calling it.
 *
 * What it gives to `next` or rejects with is transformed; what it throws at once is not, as in the closest peer.
 *
 * @returns whether it has ended the response without calling `next`
 */
const untilNext = async <Req extends Request, Res extends Response>(
  middleware: ExpressHandler<Req, Res>,
  request: Req,
  response: Res,
  transformer: (error: Error) => Error = (error) => error,
): Promise<boolean> => {
  // `close` is never emitted again
  if (response.closed) return true;
  let onDone: () => void = () => undefined;
  try {
    return await new Promise<boolean>((resolve, reject) => {
      onDone = () => resolve(true);
      response.once("finish", onDone).once("close", onDone);
      const fail = (error: unknown): void => reject(transform(error, transformer));
      const next: NextFunction = (outcome?: unknown): void => {
        // Express takes everything else as an error, and so must an authorisation that says no
        if (!outcome || outcome === "route" || outcome === "router") resolve(false);
        else fail(outcome);
      };
      const returned = middleware(request, response, next);
      if (isPromiseLike(returned)) returned.then(undefined, fail);
    });
  } finally {
    response.off("finish", onDone).off("close", onDone);
  }
};

const transform = (error: unknown, transformer: (error: Error) => Error): Error => {
  try {
    return transformer(ensureError(error));
  } catch (own) {
    return ensureError(own);
  }
};
