import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { ErrorDeclarations } from "../endpoint/declared-errors.ts";
import type { MaybePromise } from "../endpoint/handler-arguments.ts";
import { Middleware, type AroundNext, type Passed } from "../endpoint/middleware.ts";
import { DefinitionError, RequestError } from "../errors.ts";
import type { Request, Response } from "../http/express-objects.ts";
import type { Logger } from "../logger/logger.ts";
import {
  aBoolean,
  aFunction,
  aPositiveTimeout,
  be,
  checkOptions,
  isFunction,
  isObject,
  refuseValue,
} from "../messages/option-checks.ts";
import { inTime } from "../pipeline/in-time.ts";
import { findState, type RequestState } from "../pipeline/request-state.ts";
import { isAbandoned } from "../reply/response-state.ts";
import { readContent } from "../schemas/content.ts";
import type { EmptyObject, NoInput, ZodSchema } from "../schemas/schema.ts";
import { digest, digestInput } from "./fingerprint.ts";
import type { Claim, IdempotencyStore, KeptReply } from "./store.ts";

/** What `scope` receives. */
export interface IdempotencyArguments<Context> {
  /** The context of the middlewares before this one. */
  readonly ctx: Context;
  readonly request: Request;
}

/** The options of {@link idempotency}. */
export interface IdempotencyOptions<Context = EmptyObject> {
  /** Where replies are kept. */
  readonly store: IdempotencyStore;
  /** Returns who calls, for example the id of a user; nobody receives the replies of another caller. */
  readonly scope: (args: IdempotencyArguments<Context>) => MaybePromise<string | number>;
  /**
   * How long a reply is kept, in milliseconds.
   *
   * @default 86_400_000, a day
   */
  readonly ttl?: number | undefined;
  /**
   * How long a key stays taken after its process has died, in milliseconds; a running handler extends this.
   *
   * @default 60_000
   */
  readonly lease?: number | undefined;
  /**
   * Whether requests without a key are refused with 400.
   *
   * @default false
   */
  readonly required?: boolean | undefined;
  /**
   * Whether replies with a 5xx status are kept; otherwise a repeated request runs again.
   *
   * @default false
   */
  readonly keepErrors?: boolean | undefined;
  /**
   * The names of more header fields of the reply to keep.
   *
   * @default none, besides those that describe the body, and Cache-Control, Link and Location
   */
  readonly keepHeaders?: readonly string[] | undefined;
}

/** The errors that the middleware throws. */
export type IdempotencyErrors = Readonly<Record<409 | 422 | 503, string>>;

/** The schema of the header fields that the middleware reads. */
export type IdempotencyHeaders = z.ZodObject<{ "idempotency-key": z.ZodOptional<z.ZodString> }>;

const optionChecks = {
  store: be("a store, such as memoryStore()", (value) =>
    ["claim", "renew", "keep", "release"].every((name) =>
      isFunction(isObject(value) && Reflect.get(value, name)),
    ),
  ),
  scope: aFunction,
  ttl: be("a positive number of milliseconds", (value) => Number(value) > 0),
  lease: aPositiveTimeout,
  required: aBoolean,
  keepErrors: aBoolean,
  keepHeaders: be("an array of names", Array.isArray),
};

/** The header fields of a reply that are kept. */
const keptFields = [
  ...["Cache-Control", "Content-Language", "Content-Type", "ETag", "Last-Modified", "Link"],
  ...["Location", "X-Content-Type-Options"],
];

/** 1 to 255 visible characters, as they are or as a string of structured fields (RFC 9651). */
const keyPattern = /^(?:[!#-~][!-~]{0,254}|"(?:[!#-[\]-~]|\\["\\]){1,255}")$/;

/** After how many milliseconds without an answer the store has failed. */
const storeTimeout = 5000;

/** Returns the characters of a key, without quotes. */
const unquote = (key: string): string =>
  key.startsWith('"') ? key.slice(1, -1).replaceAll(/\\(.)/g, "$1") : key;

const errors: ErrorDeclarations = {
  409: {
    description: "A request with this idempotency key is running",
    headers: { "Retry-After": "Seconds after which to send the request again" },
  },
  422: "The idempotency key was used with another input",
  503: "The idempotency key cannot be looked up",
};

/**
 * Creates a middleware that runs a request with an `Idempotency-Key` once: when the request is repeated, its reply is
 * sent again. It runs once the input is valid; add it after the authentication, and before transactions.
 *
 * @throws {@link DefinitionError} when an option is invalid or missing.
 * @example
 * factory.addMiddleware(idempotency({ store: memoryStore(), scope: ({ ctx }) => ctx.user.id }));
 */
export const idempotency = <Context = EmptyObject>(
  options: IdempotencyOptions<Context>,
): Middleware<Context, undefined, NoInput, IdempotencyErrors, IdempotencyHeaders> => {
  checkOptions("idempotency", options, optionChecks);
  const { store, scope, ttl = 86_400_000, lease = 60_000, required = false } = options;
  if (!store || !scope)
    refuseValue("idempotency", "options", "an object with a `store` and a `scope`", options);
  const { keepErrors = false, keepHeaders = [] } = options;
  const key = z.string().regex(keyPattern, "Expected 1 to 255 visible characters");
  const headers = z.object({ "idempotency-key": required ? key : key.optional() });
  const keeping: Keeping = {
    ...{ store, ttl, lease, fields: [...keptFields, ...keepHeaders] },
    isKept: (status) => status !== 429 && (status < 500 || keepErrors),
  };
  const middleware = new Middleware<
    Context,
    undefined,
    NoInput,
    IdempotencyErrors,
    IdempotencyHeaders
  >({
    afterValidation: true,
    headers: headers as IdempotencyHeaders,
    errors: errors as IdempotencyErrors,
    around: async ({ ctx, headers: fields, request, response, logger }, next) => {
      const given = fields["idempotency-key"];
      if (given === undefined || ["GET", "HEAD"].includes(request.method)) return next() as never;
      const caller = await scope({ ctx, request });
      if (!["string", "number"].includes(typeof caller) || caller === "")
        refuseValue("idempotency", "scope", "a function that returns who calls", caller);
      const state = findState(request) as RequestState;
      const { path = "" } = (request.route ?? {}) as { readonly path?: string };
      const claim: Claim = {
        key: digest(`${caller}`, request.method, request.baseUrl + path, unquote(given)),
        token: randomUUID(),
        fingerprint: await digestInput([
          state.plan && state.combine(state.plan),
          Buffer.isBuffer(request.body) && request.body,
        ]),
      };
      const used = await inTime(store.claim(claim, lease), storeTimeout).catch((cause: unknown) => {
        throw new RequestError("SLP_STORE_UNAVAILABLE", { cause });
      });
      if (!used) return keepReply(keeping, claim, { state, response, logger }, next) as never;
      if (used.fingerprint !== claim.fingerprint) throw new RequestError("SLP_IDEMPOTENCY_INPUT");
      if (!used.reply)
        throw new RequestError("SLP_IDEMPOTENCY_IN_FLIGHT", { headers: { "Retry-After": "1" } });
      replay(response, used.reply);
      return undefined as never;
    },
  });
  return Object.assign(middleware, { name: "idempotency", checkEndpoint: assertKeepable });
};

/** @throws {@link DefinitionError} when an endpoint sends something that cannot be kept. */
const assertKeepable = (where: string, definition: object, isStream: boolean): void => {
  const schema = Reflect.get(definition, "output") as ZodSchema | undefined;
  if (isStream || (schema && readContent(schema)))
    throw new DefinitionError(
      "SLP_DEFINITION_VALUE",
      `${where}: the middleware \`idempotency\` keeps replies that the result handler sends, but no files and streams. Build this endpoint with a factory without it.`,
    );
};

const replay = (response: Response, { status, headers, body }: KeptReply): void => {
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.setHeader("Idempotency-Replayed", "true");
  response.end(Buffer.from(body, "latin1"));
};

/** How replies are kept. */
interface Keeping {
  readonly store: IdempotencyStore;
  readonly ttl: number;
  readonly lease: number;
  readonly fields: readonly string[];
  readonly isKept: (status: number) => boolean;
}

/** Runs the rest of a request, and keeps its reply before the reply is sent. */
const keepReply = async (
  { store, ttl, lease, fields, isKept }: Keeping,
  claim: Claim,
  {
    state,
    response,
    logger,
  }: Pick<RequestState, "response"> & { state: RequestState; logger: Logger },
  next: AroundNext,
): Promise<Passed<EmptyObject>> => {
  const attempt = (storing: Promise<void>): Promise<void> =>
    inTime(storing, storeTimeout).catch((error: unknown) => {
      logger.error("The store of idempotency keys failed", { error });
    });
  let stage: "running" | "failed" | "passed" = "running";
  let isHeld = false;
  const settle = (args: readonly unknown[]): Promise<void> => {
    const { statusCode: status, headersSent } = response;
    if (headersSent) logger.warn("A reply that is sent in parts is not kept");
    if (headersSent || !isKept(status)) return attempt(store.release(claim));
    const headers = fields.flatMap((name) => {
      const value = response.getHeader(name);
      return value === undefined ? [] : [[name, String(value)] as const];
    });
    const reply = { status, headers: Object.fromEntries(headers), body: toBody(args) };
    return attempt(store.keep(claim, reply, ttl));
  };
  const renewing = setInterval(() => void attempt(store.renew(claim, lease)), lease / 3);
  // the client may ask for the reply later, although it has left now
  state.isReplyKept = true;
  const end = response.end.bind(response);
  response.end = ((...args: Parameters<typeof end>) => {
    if (isHeld) return response;
    // an error that is sent while the handler runs, such as that of a time limit, says nothing about the outcome
    if (stage === "running" && response.statusCode >= 400) return end(...args);
    isHeld = true;
    state.isSending = true;
    void settle(args).finally(() => end(...args));
    return response;
  }) as typeof end;
  try {
    const passed = await next();
    stage = "passed";
    return passed;
  } finally {
    if (stage === "running") stage = "failed";
    clearInterval(renewing);
    const isLeft = stage === "failed" && isAbandoned(response);
    if (!isHeld && (isLeft || response.writableEnded)) await attempt(store.release(claim));
  }
};

/** Returns the body that is passed to `response.end`. */
const toBody = ([chunk, encoding]: readonly unknown[]): string => {
  if (typeof chunk === "string")
    return Buffer.from(chunk, encoding as BufferEncoding | undefined).toString("latin1");
  return chunk instanceof Uint8Array ? Buffer.from(chunk).toString("latin1") : "";
};
