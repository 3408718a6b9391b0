import { ipKeyGenerator, type Store } from "express-rate-limit";
import { defaults } from "../../basics/defaults.ts";
import { anObjectSchema } from "../../define/endpoint/check-definition.ts";
import type { OwnErrorDeclaration } from "../../define/endpoint/declared-errors.ts";
import { isPromiseLike, type MaybePromise } from "../../define/endpoint/handler-arguments.ts";
import { Middleware } from "../../define/endpoint/middleware.ts";
import { DefinitionError, RequestError } from "../../basics/errors.ts";
import type { Request } from "../../basics/http/express-objects.ts";
import type { Logger } from "../../basics/logger/logger.ts";
import {
  aBoolean,
  aFunction,
  aPositiveInteger,
  aPositiveTimeout,
  aText,
  be,
  checkOptions,
  isFunction,
  isObject,
  oneOf,
  refuseValue,
} from "../../basics/messages/option-checks.ts";
import { toServiceName } from "../../basics/messages/service-name.ts";
import { awaitStore } from "../../serve/pipeline/await-store.ts";
import { findExchange, type Exchange } from "../../wire/exchange/exchange.ts";
import type {
  EmptyObject,
  InputSchema,
  NoInput,
  SchemaOutput,
} from "../../basics/schemas/schema.ts";
import { assertProxies, toAddress, toClient } from "./client-key.ts";
import { StoreCounter, type Count, type Counter } from "./count-requests.ts";
import { MemoryCounter } from "./memory-counter.ts";

/** What the functions of a rate limit receive. */
export interface RateLimitArguments<Context, Input = EmptyObject> {
  /** The context of the middlewares before this one. */
  readonly ctx: Context;
  /** What the schema of the option `input` has parsed. */
  readonly input: Input;
  readonly request: Request;
}

/** What handlers find as `rateLimit` in their context: the same as in the header field `RateLimit`. */
export interface RateLimitState {
  /** How many requests with one key are allowed in a window. */
  readonly limit: number;
  /** How many more requests with the key are allowed in the window. */
  readonly remaining: number;
  /** When the window ends, in seconds from now. */
  readonly reset: number;
}

/** The context that the middleware gives; it lacks the limit if the request was not counted. */
export interface RateLimitContext {
  readonly rateLimit?: RateLimitState | undefined;
}

/** The options of {@link rateLimit}. */
export interface RateLimitOptions<Context = EmptyObject, Input extends InputSchema = NoInput> {
  /** How many requests with one key are allowed in a window. */
  readonly limit: number;
  /**
   * The length of a window, in milliseconds.
   *
   * @default 60000
   */
  readonly window?: number | undefined;
  /**
   * Returns the key under which a request is counted. Without a key, or with an empty one, that is the default.
   *
   * @default the address of the client; for IPv6, its /56 network
   */
  readonly key?:
    | ((
        args: RateLimitArguments<Context, SchemaOutput<Input>>,
      ) => MaybePromise<string | null | undefined>)
    | undefined;
  /**
   * Schema of the input that `key` and `weight` need, as of any middleware; the body is then read before the request is
   * counted.
   *
   * @default none
   */
  readonly input?: Input | undefined;
  /**
   * What counts: all requests, or only those whose reply has a status of 400 or more, such as failed sign-ins. A request
   * counts until its reply has been sent, so no more than `limit` run at the same time; refused requests do not count.
   *
   * @default "all"
   */
  readonly count?: "all" | "failures" | undefined;
  /**
   * Any store for express-rate-limit. Each limit needs a store of its own.
   *
   * @default the memory of this process
   */
  readonly store?: Store | undefined;
  /**
   * The name of the limit, sent to clients, which tell the limits of an endpoint apart by it. It is also part of the keys
   * in the store, so limits of a service whose stores share a database need different names.
   *
   * @default "default"
   */
  readonly name?: string | undefined;
  /**
   * The name of the service, which is part of the keys in the store: only limits with the same one share counts.
   *
   * @default the name in the package.json of the program
   */
  readonly service?: string | undefined;
  /**
   * How many requests a request counts for, up to 100: the store is told of each. With 0 it is not counted.
   *
   * @default 1
   */
  readonly weight?:
    | number
    | ((args: RateLimitArguments<Context, SchemaOutput<Input>>) => MaybePromise<number>)
    | undefined;
  /**
   * Whether requests are let through while the store fails; otherwise they are refused with 503.
   *
   * @default true
   */
  readonly passOnStoreError?: boolean | undefined;
  /**
   * After how many milliseconds without an answer the store has failed.
   *
   * @default 1000
   */
  readonly storeTimeout?: number | undefined;
}

/** The error that the middleware throws. */
export type RateLimited = Readonly<Record<"SLP_RATE_LIMITED", OwnErrorDeclaration<429>>>;

/** The largest weight: stores for express-rate-limit can only count to one more. */
const maxWeight = 100;

const aWeight = `an integer from 0 to ${maxWeight}`;

const isWeight = (value: unknown): boolean =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) <= maxWeight;

const optionChecks = {
  limit: aPositiveInteger,
  window: aPositiveTimeout,
  key: aFunction,
  input: anObjectSchema,
  count: oneOf("all", "failures"),
  store: be("a store for express-rate-limit", (value) =>
    isFunction(isObject(value) && Reflect.get(value, "increment")),
  ),
  name: be(
    'printable ASCII without `"` and `\\`',
    (value) => typeof value === "string" && /^[ !#-[\]-~]+$/.test(value),
  ),
  service: aText,
  weight: be(
    `${aWeight}, or a function that returns one`,
    (value) => isWeight(value) || isFunction(value),
  ),
  passOnStoreError: aBoolean,
  storeTimeout: aPositiveTimeout,
};

/** The kind of problem that the IETF draft defines for exceeded limits. */
const quotaExceeded = {
  type: "https://iana.org/assignments/http-problem-types#quota-exceeded",
  title: "Request cannot be satisfied as assigned quota has been exceeded",
};

/** Goes on with a value, at once unless it is a promise. */
const whenDone = <T, R>(
  value: MaybePromise<T>,
  next: (value: T) => MaybePromise<R>,
): MaybePromise<R> => (isPromiseLike(value) ? (async () => next(await value))() : next(value));

const usedStores = new WeakSet<Store>();

/**
 * Creates a middleware that refuses with 429 what exceeds a number of requests in a window.
 *
 * @throws {@link DefinitionError} when an option is invalid, the store has another limit or lacks what `count` needs, or
 * there is a store, but the service has no name.
 * @example
 * factory.addMiddleware(rateLimit({ limit: 100, window: 60_000 }));
 * @see https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/
 */
export const rateLimit = <Context = EmptyObject, Input extends InputSchema = NoInput>(
  options: RateLimitOptions<Context, Input>,
): Middleware<Context, RateLimitContext, Input, RateLimited> => {
  checkOptions("rateLimit", options, optionChecks);
  if (options.limit === undefined)
    refuseValue("rateLimit", "limit", "a positive integer", undefined);
  const { rateLimit: usual } = defaults;
  const { limit, key, weight = usual.weight, window = usual.window, name = usual.name } = options;
  const { passOnStoreError = usual.passOnStoreError, store } = options;
  const { storeTimeout = usual.storeTimeout, count = usual.count } = options;
  if (store) {
    if (count === "failures" && !isFunction(store.decrement))
      refuseValue("rateLimit", "store", 'a store with `decrement` for `count: "failures"`', store);
    if (usedStores.has(store))
      throw new DefinitionError(
        "SLP_DEFINITION_VALUE",
        "rateLimit: the `store` already has another limit, and counts in that one's window. Create a store for each limit.",
      );
    usedStores.add(store);
  }
  const counter: Counter = store
    ? new StoreCounter(store, limit, window)
    : new MemoryCounter(name, limit, window);
  const scope = store ? `${toServiceName("rateLimit", "service", options.service)}:${name}` : name;
  const errors: RateLimited = {
    SLP_RATE_LIMITED: {
      status: 429,
      description: "Too many requests",
      ...quotaExceeded,
      headers: { "Retry-After": "Seconds until requests are allowed again" },
    },
    ...(!passOnStoreError && {
      SLP_STORE_UNAVAILABLE: {
        status: 503,
        description: "The requests cannot be counted",
        headers: { "Retry-After": "Seconds after which to send the request again" },
      },
    }),
  };
  const policy = `"${name}";q=${limit};w=${Math.ceil(window / 1000)}`;
  let isFailing = false;
  const outcome = passOnStoreError ? "let through" : "refused";
  const tell = (logger: Logger, error?: unknown): void => {
    if (isFailing === (error !== undefined)) return;
    isFailing = !isFailing;
    if (isFailing)
      logger.error(`The store of a rate limit fails, so requests are ${outcome}`, { name, error });
    else logger.warn("The store of a rate limit works again", { name });
  };
  const middleware: ReturnType<typeof rateLimit<Context, Input>> = new Middleware({
    errors,
    input: options.input,
    // without a store, nobody waits, so nothing is a promise
    handler: ({ input, ctx, request, response, logger }) => {
      const args = { ctx, input, request };
      const weigh = (hits: number): MaybePromise<RateLimitContext> => {
        if (!isWeight(hits))
          refuseValue("rateLimit", "weight", `a function that returns ${aWeight}`, hits);
        return hits === 0 ? {} : whenDone(key?.(args), (given) => add(given, hits));
      };
      const add = (
        given: string | null | undefined,
        hits: number,
      ): MaybePromise<RateLimitContext> => {
        if (!given) assertProxies(request.app.get("trust proxy"));
        const own = given
          ? `${name}:${toClient(`${scope}:${given}`, !store)}`
          : `${scope}:${ipKeyGenerator(toAddress(request))}`;
        const counted = counter.add(own, hits, logger);
        if (!isPromiseLike(counted)) return accept(counted, own, hits);
        return awaitStore(counted, storeTimeout).then(
          (counts) => {
            tell(logger);
            return accept(counts, own, hits);
          },
          (cause: unknown) => {
            tell(logger, cause);
            if (passOnStoreError) return {};
            throw new RequestError("SLP_STORE_UNAVAILABLE", { cause });
          },
        );
      };
      const accept = ({ hits: total, end }: Count, own: string, hits: number): RateLimitContext => {
        const seconds = Math.max(1, Math.ceil((end - performance.now()) / 1000));
        response.appendHeader("RateLimit-Policy", policy);
        const remaining = Math.max(0, limit - total);
        response.appendHeader("RateLimit", `"${name}";r=${remaining};t=${seconds}`);
        const isRefused = total > limit;
        const exchange = findExchange(request) as Exchange;
        if (count === "failures")
          exchange.onEnd(() => {
            // what has become of a request whose client has left is not known
            const isFailure = (exchange.sentStatus ?? 400) >= 400;
            // a window that has ended has nothing to give back
            if ((isFailure && !isRefused) || performance.now() >= end) return;
            const removed = counter.remove(own, hits);
            if (isPromiseLike(removed))
              awaitStore(removed, storeTimeout).catch((cause: unknown) => tell(logger, cause));
          });
        if (isRefused)
          throw new RequestError("SLP_RATE_LIMITED", {
            headers: { "Retry-After": `${seconds}` },
            problem: { ...quotaExceeded, "violated-policies": [name] },
          });
        return { rateLimit: { limit, remaining, reset: seconds } };
      };
      return whenDone(typeof weight === "function" ? weight(args) : weight, weigh);
    },
  });
  return Object.assign(middleware, {
    name: "rateLimit",
    limitName: name,
    sentFields: {
      RateLimit: "The remaining requests `r` of each limit, and the seconds `t` of its window",
      "RateLimit-Policy": "The requests `q` of each limit that are allowed in `w` seconds",
    },
    ...(!key && {
      checkSettings: (settings: Readonly<Record<string, unknown>>) =>
        assertProxies(settings["trust proxy"]),
    }),
  });
};
