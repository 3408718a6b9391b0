import { hash, randomUUID } from "node:crypto";
import { z } from "zod";
import { defaults } from "../../basics/defaults.ts";
import type { Additions } from "../../define/endpoint/additions.ts";
import type { OwnErrorDeclaration } from "../../define/endpoint/declared-errors.ts";
import type { MaybePromise } from "../../define/endpoint/handler-arguments.ts";
import { Middleware, type DeclaredBodies } from "../../define/endpoint/middleware.ts";
import { DefinitionError, RequestError } from "../../basics/errors.ts";
import type { Request, Response } from "../../basics/http/express-objects.ts";
import { safeNames } from "../../basics/http/method.ts";
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
} from "../../basics/messages/option-checks.ts";
import type { PlannedRun } from "../../serve/pipeline/endpoint-plan.ts";
import { findState, type RequestState } from "../../serve/pipeline/request-state.ts";
import { readHeaders } from "../../serve/pipeline/validate.ts";
import { takesStream } from "../../basics/schemas/bodies.ts";
import { readContent } from "../../basics/schemas/content.ts";
import type { EmptyObject, NoInput } from "../../basics/schemas/schema.ts";
import { toParser } from "../../basics/schemas/parser.ts";
import { digestRequest } from "./fingerprint.ts";
import { claimKey, keepReply } from "./keep-reply.ts";
import type { Claim, IdempotencyStore, KeptReply } from "./idempotency-store.ts";

/** What `scope` receives. */
export interface IdempotencyArguments<Context> {
  /** The context of the middlewares before this one. */
  readonly ctx: Context;
  /** The validated input, of the endpoint and of the middlewares before this one. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly request: Request;
}

/** The context that the middleware gives. */
export interface IdempotencyContext {
  /** The key without its quotes; undefined if the request has none, or only reads. */
  readonly idempotencyKey: string | undefined;
}

/** The options of {@link idempotency}. */
export interface IdempotencyOptions<Context = EmptyObject, Required extends boolean = boolean> {
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
   * Whether requests without a key are refused with 400; the types of clients then require the key.
   *
   * @default false
   */
  readonly required?: Required | undefined;
  /**
   * Whether replies with a 5xx status are kept; otherwise a repeated request runs again.
   *
   * @default false
   */
  readonly keepErrors?: boolean | undefined;
  /**
   * The names of more header fields of the reply to keep.
   *
   * @default none, besides those that `responseHeaders` declares, those that describe the body, those that RFC 9110
   * requires with a status, such as WWW-Authenticate, and Cache-Control, Deprecation, Link, Location, Sunset and Vary
   */
  readonly keepHeaders?: readonly string[] | undefined;
}

/** The errors that the middleware throws; the first one tells clients whether the key is required. */
export type IdempotencyErrors<Required extends boolean = boolean> = Readonly<
  Record<
    "SLP_IDEMPOTENCY_IN_FLIGHT",
    OwnErrorDeclaration<409> & { readonly "~isKeyRequired"?: Required | undefined }
  > &
    Record<"SLP_IDEMPOTENCY_INPUT" | "SLP_IDEMPOTENCY_NO_REPLY", OwnErrorDeclaration<422>> &
    Record<"SLP_STORE_UNAVAILABLE", OwnErrorDeclaration<503>>
>;

/** The schema of the header fields that the middleware reads. */
export type IdempotencyHeaders = z.ZodObject<{ "idempotency-key": z.ZodOptional<z.ZodString> }>;

const isFieldName = (value: unknown): boolean =>
  typeof value === "string" && /^[\w!#$%&'*+.^`|~-]+$/.test(value);

const optionChecks = {
  store: be("a store, such as memoryStore()", (value) =>
    ["claim", "renew", "keep", "release"].every((name) =>
      isFunction(isObject(value) && Reflect.get(value, name)),
    ),
  ),
  scope: aFunction,
  ttl: aPositiveInteger,
  lease: aPositiveTimeout,
  required: aBoolean,
  keepErrors: aBoolean,
  keepHeaders: be(
    "an array of names of header fields",
    (value) => Array.isArray(value) && value.every(isFieldName),
  ),
};

const keyField = "idempotency-key";

/** Those that RFC 9110 requires or advises with 401, 405, 407, 415, 416, 426, 429 and 503 come last. */
const keptFields = [
  ...["Cache-Control", "Content-Disposition", "Content-Encoding", "Content-Language"],
  ...["Content-Location", "Content-Type", "Deprecation", "ETag", "Last-Modified", "Link"],
  ...["Location", "Sunset", "Vary", "X-Content-Type-Options"],
  ...["Accept", "Accept-Encoding", "Allow", "Content-Range", "Proxy-Authenticate", "Retry-After"],
  ...["Upgrade", "WWW-Authenticate"],
];

/** The statuses of requests that were refused before any work was done: a failed or missing precondition, a rate limit. */
const idleStatuses: ReadonlySet<number> = new Set([412, 428, 429]);

/** 1 to 255 visible characters, as they are or as a string of structured fields (RFC 9651). */
const keyPattern = /^(?:[!#-~][!-~]{0,254}|"(?:[!#-[\]-~]|\\["\\]){1,255}")$/;

/** Returns the characters of a key, without quotes. */
const unquote = (key: string): string =>
  key.startsWith('"') ? key.slice(1, -1).replaceAll(/\\(.)/g, "$1") : key;

const retryFields = { "Retry-After": "Seconds after which to send the request again" };

const errors = {
  SLP_IDEMPOTENCY_IN_FLIGHT: {
    status: 409,
    description: "A request with this idempotency key is running",
    headers: retryFields,
  },
  SLP_IDEMPOTENCY_INPUT: {
    status: 422,
    description: "The idempotency key was used with another input",
  },
  SLP_IDEMPOTENCY_NO_REPLY: {
    status: 422,
    description: "The request with this idempotency key has ended, but its reply was not kept",
  },
  SLP_STORE_UNAVAILABLE: {
    status: 503,
    description: "The idempotency key cannot be looked up",
    headers: retryFields,
  },
} satisfies IdempotencyErrors;

/**
 * Creates a middleware that runs a request with an `Idempotency-Key` once: when the request is repeated, its reply is
 * sent again. It runs once the input is valid; add it after the authentication, and before transactions.
 *
 * @throws {@link DefinitionError} when an option is invalid or missing.
 * @example
 * factory.addMiddleware(idempotency({ store: memoryStore(), scope: ({ ctx }) => ctx.user.id }));
 */
export const idempotency = <Context = EmptyObject, Required extends boolean = false>(
  options: IdempotencyOptions<Context, Required>,
): Middleware<
  Context,
  IdempotencyContext,
  NoInput,
  IdempotencyErrors<Required>,
  IdempotencyHeaders
> => {
  checkOptions("idempotency", options, optionChecks);
  const { store, scope, required: isRequired = false } = options;
  const { ttl = defaults.idempotency.ttl, lease = defaults.idempotency.lease } = options;
  if (!store || !scope)
    refuseValue("idempotency", "options", "an object with a `store` and a `scope`", options);
  const { keepErrors = false, keepHeaders = [] } = options;
  const key = z
    .string()
    .regex(keyPattern, "Expected 1 to 255 visible characters")
    .describe("A new value for each request; a repeated request has the same value.");
  const headers = z.object({ [keyField]: key.optional() });
  const writeHeaders = isRequired ? z.object({ [keyField]: key }) : headers;
  const requiredHeaders = { names: [keyField], parse: toParser(writeHeaders) };
  const isKept = (status: number): boolean =>
    !idleStatuses.has(status) && (status < 500 || keepErrors);
  const middleware: ReturnType<typeof idempotency<Context, Required>> = new Middleware({
    afterValidation: true,
    headers,
    errors,
    around: async ({ ctx, headers: given, request, response }, next) => {
      const isIgnored = safeNames.has(request.method);
      if (isRequired && !isIgnored) await readHeaders(requiredHeaders, request);
      const text = isIgnored ? undefined : given[keyField];
      const idempotencyKey = text && unquote(text);
      const goOn = () => next<IdempotencyContext>({ idempotencyKey });
      if (!idempotencyKey) return goOn();
      const state = findState(request) as RequestState;
      const run = state.run as PlannedRun;
      const { plan } = run;
      const input = { ...run.fields, ...(run.input?.value as object | undefined) };
      const caller = await scope({ ctx, input, request });
      if (!["string", "number"].includes(typeof caller) || caller === "" || Number.isNaN(caller))
        refuseValue("idempotency", "scope", "a function that returns who calls", caller);
      const { path = "" } = (request.route ?? {}) as { readonly path?: string };
      const place = [request.method, request.baseUrl + path];
      const identity = JSON.stringify([typeof caller, `${caller}`, ...place, idempotencyKey]);
      const claim: Claim = {
        key: hash("sha256", identity, "base64url"),
        token: randomUUID(),
        fingerprint: await digestRequest(request, plan),
      };
      const fields = [...keptFields, ...(plan.responseHeaders?.names ?? []), ...keepHeaders];
      const keeping = { store, ttl, lease, fields, isKept };
      const used = await claimKey(keeping, claim);
      if (!used) return keepReply(keeping, claim, state, goOn);
      if (used.fingerprint !== claim.fingerprint) throw new RequestError("SLP_IDEMPOTENCY_INPUT");
      if (!used.reply)
        throw new RequestError("SLP_IDEMPOTENCY_IN_FLIGHT", { headers: { "Retry-After": "1" } });
      if (used.reply.status === 0) throw new RequestError("SLP_IDEMPOTENCY_NO_REPLY");
      replay(response, used.reply);
      return undefined as never;
    },
  });
  const checkEndpoint = assertKeepable;
  const sentFields = { "Idempotency-Replayed": "`true` if an earlier request got this reply, too" };
  const addsFor = (isSafe: boolean): Additions =>
    isSafe
      ? { headersSchema: headers }
      : { headersSchema: writeHeaders, differsByCall: true, errors, sentFields };
  return Object.assign(middleware, { name: "idempotency", addsFor, checkEndpoint });
};

/** @throws {@link DefinitionError} when an endpoint sends something that cannot be kept. */
const assertKeepable = (where: string, { inputs, output, isEventStream }: DeclaredBodies): void => {
  if (inputs.some(takesStream))
    throw new DefinitionError(
      "SLP_DEFINITION_VALUE",
      `${where}: the middleware \`idempotency\` compares bodies, but ez.stream() passes the body on unread. Use ez.raw(), or build this endpoint with a factory without it.`,
    );
  if (isEventStream || (output && readContent(output)))
    throw new DefinitionError(
      "SLP_DEFINITION_VALUE",
      `${where}: the middleware \`idempotency\` keeps replies that the result handler sends, but no files and streams. Build this endpoint with a factory without it.`,
    );
};

const replay = (response: Response, { status, headers, body }: KeptReply): void => {
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  // RFC 9110, section 7.8
  if (response.hasHeader("Upgrade")) response.setHeader("Connection", "Upgrade");
  response.setHeader("Idempotency-Replayed", "true");
  response.end(Buffer.from(body, "latin1"));
};
