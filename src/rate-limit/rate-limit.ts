import { hash } from "node:crypto";
import { isIP } from "node:net";
import {
  ipKeyGenerator,
  MemoryStore,
  type ClientRateLimitInfo,
  type Options,
  type Store,
} from "express-rate-limit";
import { defaults } from "../defaults.ts";
import type { OwnErrorDeclaration } from "../endpoint/declared-errors.ts";
import { isPromiseLike, type MaybePromise } from "../endpoint/handler-arguments.ts";
import { Middleware } from "../endpoint/middleware.ts";
import { ConfigError, DefinitionError, RequestError } from "../errors.ts";
import type { Request } from "../http/express-objects.ts";
import type { Logger } from "../logger/logger.ts";
import {
  aBoolean,
  aFunction,
  aPositiveInteger,
  aPositiveTimeout,
  be,
  checkOptions,
  isFunction,
  isObject,
  refuseValue,
} from "../messages/option-checks.ts";
import { awaitStore } from "../pipeline/await-store.ts";
import type { EmptyObject, NoInput } from "../schemas/schema.ts";

/** What the functions of a rate limit receive. */
export interface RateLimitArguments<Context> {
  /** The context of the middlewares before this one. */
  readonly ctx: Context;
  readonly request: Request;
}

/** The options of {@link rateLimit}. */
export interface RateLimitOptions<Context = EmptyObject> {
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
    | ((args: RateLimitArguments<Context>) => MaybePromise<string | null | undefined>)
    | undefined;
  /**
   * Any store for express-rate-limit. Each limit needs a store of its own.
   *
   * @default the memory of this process
   */
  readonly store?: Store | undefined;
  /**
   * The name of the limit, sent to clients, which tell the limits of an endpoint apart by it. It is also part of the keys
   * in the store, so limits whose stores share a database need different names.
   *
   * @default "default"
   */
  readonly name?: string | undefined;
  /**
   * How many requests a request counts for, up to 100: the store is told of each. With 0 it is not counted.
   *
   * @default 1
   */
  readonly weight?:
    | number
    | ((args: RateLimitArguments<Context>) => MaybePromise<number>)
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
  store: be("a store for express-rate-limit", (value) =>
    isFunction(isObject(value) && Reflect.get(value, "increment")),
  ),
  name: be(
    'printable ASCII without `"` and `\\`',
    (value) => typeof value === "string" && /^[ !#-[\]-~]+$/.test(value),
  ),
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

const usedStores = new WeakSet<Store>();

/**
 * Creates a middleware that refuses with 429 what exceeds a number of requests in a window.
 *
 * @throws {@link DefinitionError} when an option is invalid or the store has another limit.
 * @example
 * factory.addMiddleware(rateLimit({ limit: 100, window: 60_000 }));
 * @see https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/
 */
export const rateLimit = <Context = EmptyObject>(
  options: RateLimitOptions<Context>,
): Middleware<Context, undefined, NoInput, RateLimited> => {
  checkOptions("rateLimit", options, optionChecks);
  if (options.limit === undefined)
    refuseValue("rateLimit", "limit", "a positive integer", undefined);
  const { rateLimit: usual } = defaults;
  const { limit, key, weight = usual.weight, window = usual.window, name = usual.name } = options;
  const { passOnStoreError = usual.passOnStoreError, store = new MemoryStore() } = options;
  const { storeTimeout = usual.storeTimeout } = options;
  if (usedStores.has(store))
    throw new DefinitionError(
      "SLP_DEFINITION_VALUE",
      "rateLimit: the `store` already has another limit, and counts in that one's window. Create a store for each limit.",
    );
  usedStores.add(store);
  // what is in the memory of this process never makes anyone wait
  const isOwn = options.store === undefined;
  const count = createCounter(store, limit, window);
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
  const middleware = new Middleware<Context, undefined, NoInput, RateLimited>({
    errors,
    handler: async ({ ctx, request, response, logger }) => {
      const args = { ctx, request };
      let hits = typeof weight === "function" ? weight(args) : weight;
      if (isPromiseLike(hits)) hits = await hits;
      if (!isWeight(hits))
        refuseValue("rateLimit", "weight", `a function that returns ${aWeight}`, hits);
      if (hits === 0) return undefined;
      let given = key?.(args);
      if (isPromiseLike(given)) given = await given;
      if (!given) assertProxies(request.app.get("trust proxy"));
      const client = given
        ? toClient(`${name}:${given}`, isOwn)
        : ipKeyGenerator(toAddress(request));
      let counted;
      try {
        const counting = count(`${name}:${client}`, hits);
        counted = await (isOwn ? counting : awaitStore(counting, storeTimeout));
      } catch (cause) {
        tell(logger, cause);
        if (passOnStoreError) return undefined;
        throw new RequestError("SLP_STORE_UNAVAILABLE", { cause });
      }
      tell(logger);
      const { totalHits, resetTime } = counted;
      const left = resetTime ? resetTime.getTime() - Date.now() : window;
      const seconds = Math.max(1, Math.ceil(left / 1000));
      response.appendHeader("RateLimit-Policy", policy);
      const remaining = Math.max(0, limit - totalHits);
      response.appendHeader("RateLimit", `"${name}";r=${remaining};t=${seconds}`);
      if (totalHits > limit)
        throw new RequestError("SLP_RATE_LIMITED", {
          headers: { "Retry-After": `${seconds}` },
          problem: { ...quotaExceeded, "violated-policies": [name] },
        });
      return undefined;
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

/** Returns the key of a client, which must not be taken for an address; a store sees no key itself, which may be secret. */
const toClient = (given: string, isOwn: boolean): string =>
  isOwn && given.length <= maxKeyLength ? `key ${given}` : hash("sha256", given, "base64url");

/** Longer keys, which clients may choose, are not kept in memory themselves. */
const maxKeyLength = 128;

/** @throws {@link ConfigError} when clients can choose the address under which they are counted. */
const assertProxies = (trusted: unknown): void => {
  if (trusted === true)
    throw new ConfigError(
      "SLP_CONFIG_VALUE",
      `rateLimit: the setting \`trust proxy\` of the application is true, so clients choose their address. Set it to the number of proxies, as in \`trustProxy: 1\` of createServer or app.set("trust proxy", 1), or set \`key\`.`,
    );
};

/**
 * Returns the address of a client, without the port that some proxies add to it.
 *
 * @throws {@link ConfigError} when clients connect to a UNIX socket, and thus have no address.
 */
const toAddress = ({ ip, socket }: Request): string => {
  if (ip === undefined) {
    // TCP connections that the client has reset have no remote address, either
    if (socket.destroyed || socket.localAddress !== undefined) return "";
    throw new ConfigError(
      "SLP_CONFIG_VALUE",
      'rateLimit: the request has come through a UNIX socket, so its client has no address. Tell the application how many proxies stand before it, as in `trustProxy: 1` of createServer or app.set("trust proxy", 1), or set `key`.',
    );
  }
  const [, inBrackets, beforePort] = /^(?:\[([^\]]+)\]|([\d.]+))(?::\d+)?$/.exec(ip) ?? [];
  const address = inBrackets ?? beforePort ?? ip;
  return isIP(address) > 0 ? address : ip;
};

/**
 * Returns what a store has counted; a number may be a string, as some databases return it.
 *
 * @throws {Error} when a store has not counted.
 */
const readCount = (info: ClientRateLimitInfo): ClientRateLimitInfo => {
  const { totalHits, resetTime } = (info ?? {}) as Partial<ClientRateLimitInfo>;
  const hits = typeof totalHits === "string" && totalHits !== "" ? Number(totalHits) : totalHits;
  const isTime = Number.isFinite((resetTime ?? new Date()).getTime?.());
  if (typeof hits === "number" && Number.isInteger(hits) && isTime)
    return { totalHits: hits, resetTime: resetTime ?? undefined };
  throw new Error(
    "The store returned no `totalHits` that is a number, or a `resetTime` that is no Date",
  );
};

/** Creates a function that counts a request as `hits` requests. */
const createCounter = (store: Store, limit: number, window: number) => {
  let starting: Promise<void> | undefined;
  let isReady = false;
  const start = async (): Promise<void> => {
    // a store that could not begin, for example because its server was down, begins again
    starting ??= (async () => store.init?.({ windowMs: window, limit } as Options))();
    try {
      await starting;
      isReady = true;
    } catch (error) {
      starting = undefined;
      throw error;
    }
  };
  return async (key: string, hits: number) => {
    if (!isReady) await start();
    if (hits === 1) return readCount(await store.increment(key));
    // of all requests at the same time, those within the limit have different counts, none of which is above it
    const counts = await Promise.all(
      Array.from({ length: hits }, async () => readCount(await store.increment(key))),
    );
    return counts.reduce((most, one) => (one.totalHits > most.totalHits ? one : most));
  };
};
