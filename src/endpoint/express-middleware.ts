import type { NextFunction, Request, Response } from "express";
import { RequestError } from "../errors.ts";
import { aBoolean, aFunction, type Checks } from "../messages/option-checks.ts";
import { ensureError, toNativeError } from "../reply/http-error.ts";
import type { EmptyObject } from "../schemas/schema.ts";
import { isPromiseLike, type HandlerArguments, type MaybePromise } from "./handler-arguments.ts";
import { Middleware, type MiddlewareReturn, type Rest } from "./middleware.ts";

/** A middleware written for Express. */
export type ExpressHandler<Req extends Request, Res extends Response> = (
  request: Req,
  response: Res,
  next: NextFunction,
) => unknown;

/** Options for a middleware written for Express. */
export interface ExpressMiddlewareOptions<
  Req extends Request,
  Res extends Response,
  Returned extends MiddlewareReturn,
> {
  /** Returns the context, from what the middleware has put on the request, such as `request.auth`. */
  readonly provider?: ((request: Req, response: Res) => MaybePromise<Returned>) | undefined;
  /** Converts an error of the middleware, usually into an HTTP error. */
  readonly transformer?: ((error: Error) => Error) | undefined;
  /**
   * Whether `request.body` is read and parsed before the middleware runs. Set this option for a middleware that uses
   * the parsed body, such as a sanitiser.
   *
   * @default false, which suits middlewares that read the body themselves, such as multer or a proxy
   */
  readonly body?: boolean | undefined;
}

/** The checks of {@link ExpressMiddlewareOptions}. */
export const useChecks: Checks = { provider: aFunction, transformer: aFunction, body: aBoolean };

/** A middleware that runs an Express middleware before the handler. */
export class ExpressMiddleware<
  Req extends Request,
  Res extends Response,
  Returned extends MiddlewareReturn,
> extends Middleware<EmptyObject, Returned> {
  override readonly name: string;
  override readonly isNative: boolean = true;
  override readonly span: NonNullable<Middleware["span"]>;

  constructor(
    middleware: ExpressHandler<Req, Res>,
    options: ExpressMiddlewareOptions<Req, Res, Returned> = {},
  ) {
    super({ body: options.body, handler: () => undefined as Returned });
    this.name = middleware.name;
    this.span = (args, rest) => runNative(middleware, options, args, rest);
  }
}

/**
 * How long to wait for a middleware that takes callbacks, and that has not called `next` when the client disconnects or
 * the time limit expires, in milliseconds. It might never call `next`.
 */
const nativeGrace = 30_000;

/**
 * Runs a middleware as Express does: everything after it runs within its call to `next`, so that state entered by the
 * middleware, such as an AsyncLocalStorage store, stays active.
 *
 * The promise settles when everything after the middleware has settled, when the middleware fails, or when it ends the
 * response without calling `next`. If the client disconnects or the time limit expires before that, the promise rejects
 * once the middleware has ended. Errors that the middleware throws, rejects with or passes to `next` go through
 * `transformer`.
 */
const runNative = <Req extends Request, Res extends Response, Returned extends MiddlewareReturn>(
  middleware: ExpressHandler<Req, Res>,
  { provider, transformer }: ExpressMiddlewareOptions<Req, Res, Returned>,
  args: HandlerArguments<never, never>,
  rest: Rest,
): Promise<void> => {
  const [request, response] = [args.request as Req, args.response as Res];
  const reason = rest.findEnd();
  if (reason) return Promise.reject(reason);
  // a closed response does not emit `close` again
  if (response.closed) return Promise.resolve();
  return new Promise<void>((resolve, reject) => {
    let isOver = false;
    let isListening = false;
    let returned: unknown;
    const end = (): void => {
      isOver = true;
      if (isListening) response.off("finish", onEnd).off("close", onEnd);
      rest.setNext(undefined);
    };
    const onEnd = (): void => {
      const reason = rest.findEnd();
      if (!reason) {
        end();
        // the middleware has sent the response itself, and may go on working
        if (isPromiseLike(returned))
          returned.then(
            () => resolve(),
            () => resolve(),
          );
        else resolve();
        return;
      }
      response.off("finish", onEnd).off("close", onEnd);
      isListening = false;
      // the middleware may still be at work, and what surrounds it must wait for that
      const giveUp = (): void => {
        if (isOver) return;
        end();
        reject(reason);
      };
      if (isPromiseLike(returned)) returned.then(giveUp, giveUp);
      else setTimeout(giveUp, nativeGrace).unref();
    };
    const fail = (error: unknown): void => {
      const own = transform(error, transformer);
      if (isOver) {
        rest.fail(own);
        return;
      }
      end();
      reject(toNativeError(own, response));
    };
    const next: NextFunction = (outcome?: unknown): void => {
      // in Express, these leave the route or the router, often because access was denied
      if (outcome === "route" || outcome === "router") fail(new RequestError("SLP_NOT_FOUND"));
      // as in Express, any other truthy value is an error
      else if (outcome) fail(outcome);
      else if (!isOver) {
        end();
        resolve(provider ? provide(() => provider(request, response), rest) : rest.run(undefined));
      }
    };
    rest.setNext(next);
    try {
      returned = middleware(request, response, next);
      if (isPromiseLike(returned)) returned.then(undefined, fail);
    } catch (error) {
      fail(error);
    }
    // most middlewares call `next` at once and need no listeners, which slow down the events of a response
    if (isOver) return;
    if (response.closed || response.writableFinished) {
      onEnd();
      return;
    }
    isListening = true;
    response.once("finish", onEnd).once("close", onEnd);
  });
};

/**
 * Provides the context and runs the rest. An error thrown by `provider` does not count as an error of the middleware,
 * although `provider` runs within the middleware's call to `next`.
 */
const provide = async (give: () => unknown, rest: Rest): Promise<void> => rest.run(await give());

const transform = (
  error: unknown,
  transformer: (error: Error) => Error = (same) => same,
): Error => {
  try {
    return transformer(ensureError(error));
  } catch (own) {
    return ensureError(own);
  }
};
