import type { ErrorDeclarations } from "../../../define/endpoint/declared-errors.ts";
import type { AnyErrorMapping, ErrorMapping } from "../../../define/endpoint/error-mapping.ts";
import type { EmptyObject } from "../../../basics/schemas/schema.ts";
import type { ServerOptions as HttpOptions } from "node:http";
import type { ServerOptions as HttpsOptions } from "node:https";
import type { BrotliOptions } from "node:zlib";
import type { Express, IRouter } from "express";
import type { BodyLimit } from "../../../define/endpoint/body-limits.ts";
import type { MaybePromise } from "../../../define/endpoint/handler-arguments.ts";
import type { SourcesByMethod } from "../../../define/endpoint/input-sources.ts";
import type { Request, Response } from "../../../basics/http/express-objects.ts";
import type { ConsoleLoggerOptions } from "../../../basics/logger/console-logger.ts";
import type { Logger, ParentLogger } from "../../../basics/logger/logger.ts";
import type { LogFaults } from "../../../define/results/log-fault.ts";
import type { AnyResultHandler } from "../../../define/results/result-handler.ts";
import type { Telemetry } from "../../../parts/opentelemetry/telemetry.ts";
import type { WalkOptions } from "../../../define/routing/walk-routing.ts";
import type { DocsOptions } from "../../../describe/docs-page/docs-options.ts";
import type { HealthOptions } from "../../../parts/health/health-options.ts";
import type { Listen } from "../connection/listener.ts";
import type { CookieOptions } from "../../../serve/request/cookies.ts";
import type { CorsOption } from "../../../serve/request/cors.ts";
import type { ShutdownOptions } from "../connection/shutdown.ts";
import type { LifecycleArguments, Resource } from "./resource.ts";
import type { UploadOptions } from "../../../serve/request/uploads.ts";

/** A finished response, as passed to an access logger. */
export interface AccessedReply {
  /** The status; undefined if the client disconnected before the response began. */
  readonly status: number | undefined;
  /** The number of bytes sent, including the head; 0 if an adapter such as serverless-http replaces the socket. */
  readonly bytes: number;
  /** The time from the beginning of the request to the end of the response, in milliseconds. */
  readonly milliseconds: number;
}

/** The argument of a hook. */
export interface HookArguments {
  /** The Express application that serves the API. */
  readonly app: Express;
  /** Returns the logger of a request, or the server's logger if no request is given. */
  readonly getLogger: (request?: Request) => Logger;
}

/** Options of the package `compression`. */
export interface CompressionOptions {
  /**
   * The minimum size of a body that is compressed: a number of bytes, or a string such as "1kb".
   *
   * @default "1kb"
   */
  readonly threshold?: number | string | undefined;
  /**
   * The level of gzip and deflate, 0 to 9.
   *
   * @default 6
   */
  readonly level?: number | undefined;
  /**
   * The options of brotli, those of `createBrotliCompress` of node:zlib.
   *
   * @default { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }
   */
  readonly brotli?: BrotliOptions | undefined;
  /**
   * Decides which responses may be compressed.
   *
   * @default the package's own `filter`, which decides by the Content-Type
   */
  readonly filter?: ((request: Request, response: Response) => boolean) | undefined;
}

/** The options that `createServer` and `attachRouting` share. */
export interface CommonConfig extends WalkOptions {
  /**
   * Cross-origin headers: `true` sets the default headers on every response, `false` sets none, and a function returns
   * the headers for each response. Must be set explicitly.
   */
  readonly cors: CorsOption;
  /** Options of the built-in logger, or your own logger: an object with `debug`, `info`, `warn` and `error`. */
  readonly logger?: ConsoleLoggerOptions | Logger | undefined;
  /**
   * Assigns an id to each request: `request.id`, `requestId` in each line of its logger, and a response header.
   *
   * `true` generates the ids and sends them in `X-Request-Id`. With `header`, an id in that request header is used, and
   * sent back: up to 128 letters, digits, `.`, `_`, `:` and `-`. Any other id is replaced by a generated one.
   *
   * @default false
   */
  readonly requestId?: boolean | { readonly header: string } | undefined;
  /** Returns the logger for one request, which has its id; `parent.child({ ... })` adds fields to its lines. */
  readonly childLoggerProvider?:
    | ((args: {
        readonly request: Request;
        readonly response: Response;
        readonly parent: ParentLogger;
      }) => MaybePromise<Logger>)
    | undefined;
  /**
   * Logs each request once its response has ended or its client has disconnected; null disables the access log.
   *
   * @default a debug line with the method and the path, and `status`, `bytes` and `milliseconds` as fields
   */
  readonly accessLogger?:
    | ((request: Request, logger: Logger, reply: AccessedReply) => unknown)
    | null
    | undefined;
  /**
   * Logs the faults of the application, which are the errors with a 5xx status, in place of the framework: a function
   * receives each fault. `false` leaves the faults to result handlers; a fault that none receives is still logged.
   * `{ input }` adds `input` to the framework's line: what the function returns for the combined input, without what
   * must not be logged. If a function fails, the framework logs the fault and the function's error.
   *
   * @default an error line with the method, the path and the error with its stack
   */
  readonly logFaults?: LogFaults | undefined;
  /**
   * Observes requests with traces, metrics and ids in log lines: `openTelemetry()` of `sallyport/opentelemetry`.
   *
   * @default nothing is observed
   */
  readonly telemetry?: Telemetry | undefined;
  /**
   * The parts of a request that the input is combined from, by method. Methods that are not listed keep their defaults.
   * Later sources override earlier ones; path parameters override all other sources.
   *
   * @default { get: ["query", "params"], post: ["body", "params", "files"], put: ["body", "params"], patch: ["body", "params"], delete: ["query", "params"], query: ["body", "params"] }
   */
  readonly inputSources?: SourcesByMethod | undefined;
  /**
   * The result handler for errors of paths without an endpoint, such as a 404, or an object of result handlers by path
   * prefix; the longest prefix wins. Errors of an endpoint's path, a 405 included, go to its own result handler.
   *
   * @default defaultResultHandler
   * @example
   * errorHandler: { "/v2": problemResultHandler, "/": defaultResultHandler }
   */
  readonly errorHandler?:
    | AnyResultHandler
    | Readonly<Record<`/${string}`, AnyResultHandler>>
    | undefined;
  /**
   * Converts what endpoints throw, such as the errors of a database, before the result handler sends it; after the
   * `onError` of factories.
   *
   * @example
   * onError: {
   *   errors: { busy: { status: 503, description: "The database is busy" } },
   *   handler: ({ error, errors }) => (isTimeout(error) ? errors.busy({ cause: error }) : undefined),
   * }
   */
  readonly onError?: AnyErrorMapping | undefined;
  /**
   * The limits of JSON and form bodies: the maximum number of bytes after decompression, or `{ bytes, values }`, where
   * `values` is the maximum number of values in JSON. Larger bodies are rejected with a 413.
   *
   * @default { bytes: 1048576, values: 20000 }
   */
  readonly bodyLimit?: BodyLimit | undefined;
  /**
   * Whether endpoints accept forms in place of JSON: `application/x-www-form-urlencoded`, and `multipart/form-data`
   * without files. If false, forms get a 415, unless the endpoint has `forms: true`, `ez.form()` or `ez.upload()`.
   *
   * @default true
   */
  readonly forms?: boolean | undefined;
  /**
   * Parses cookies into `request.cookies` and, with a secret, signed cookies into `request.signedCookies`.
   *
   * @default false
   */
  readonly cookies?: boolean | CookieOptions | undefined;
  /**
   * Accepts file uploads (`multipart/form-data`): `true` for the default limits, or options.
   *
   * @default false
   */
  readonly upload?: boolean | UploadOptions | undefined;
  /**
   * How long a client may pause while it sends a body, in milliseconds, before it receives 408.
   *
   * @default 10000
   */
  readonly bodyIdleTimeout?: number | undefined;
  /**
   * The time limit, in milliseconds, from the first middleware to the validated output, excluding the time to read the
   * body; 0 for no limit. When it expires, the client receives 503 and `signal` is aborted; what surrounds the handler
   * still waits for its end. An endpoint's own `timeout` overrides this option, which does not apply to event streams.
   *
   * @default 0
   */
  readonly requestTimeout?: number | undefined;
  /**
   * Serves the documentation of the API: a page at `/docs`, and the document as `/docs/openapi.json` and `.yaml`.
   *
   * `true` does so in development only; for production, set `{ production: true }`, or a `factory` whose middlewares
   * protect the documentation. A list serves several documents, each at its own `path`.
   *
   * @default false
   */
  readonly docs?: boolean | DocsOptions | readonly DocsOptions[] | undefined;
  /**
   * Serves two routes for load balancers, which documents leave out: `/livez` responds as long as the process does, and
   * `/readyz` runs the checks, and responds with 503 if a critical one fails or the server is shutting down.
   *
   * @default false
   */
  readonly health?: boolean | HealthOptions | undefined;
  /**
   * With `"explicit"`, the server does not start unless each route, documentation, health and static files included,
   * either declares `security` or says `access: "public"`.
   *
   * @default routes may be undecided
   */
  readonly access?: "explicit" | undefined;
  /**
   * The status of the response if a path exists, but does not accept the method of the request.
   *
   * @default 405
   */
  readonly wrongMethodBehavior?: 404 | 405 | undefined;
}

/** The configuration of a server; create it with {@link createConfig}. */
export interface ServerConfig extends CommonConfig {
  /** Must not be set for a server; `app` is for an API on your own application. */
  readonly app?: undefined;
  /** The HTTP server. */
  readonly http?:
    | { readonly listen: Listen; readonly options?: HttpOptions | undefined }
    | undefined;
  /** The HTTPS server; `options` must have `cert` and `key`. */
  readonly https?: { readonly listen: Listen; readonly options: HttpsOptions } | undefined;
  /**
   * How long a client may pause while it reads a response, in milliseconds, before its connection is dropped; 0 for no
   * limit.
   *
   * @default 30000
   */
  readonly responseIdleTimeout?: number | undefined;
  /**
   * The proxies whose `X-Forwarded-*` fields are believed: how many stand before the server, their addresses, subnets or
   * names such as "loopback", or a function, as for Express' setting `trust proxy`.
   *
   * @default none, so that the client's address is that of the connection
   */
  readonly trustProxy?:
    | false
    | number
    | string
    | readonly string[]
    | ((address: string, hop: number) => boolean)
    | undefined;
  /** What starts in this order before the server listens, and stops in reverse order after the last request. */
  readonly resources?: readonly Resource[] | undefined;
  /** Runs after the resources have started, and before the server listens, which it does not if this fails. */
  readonly onStart?: ((args: LifecycleArguments) => unknown) | undefined;
  /**
   * Runs once, after the last request and before the resources stop, when the server is closed by `close` or
   * `gracefulShutdown`. If it fails, or takes longer than the shutdown's `timeout` and a second, this is logged.
   */
  readonly onStop?: ((args: LifecycleArguments) => unknown) | undefined;
  /** Adds native middlewares and routes that run before the API. */
  readonly beforeRouting?: ((args: HookArguments) => unknown) | undefined;
  /**
   * Adds native middlewares and routes that run after the API, for paths that it does not serve. Error handlers also
   * receive the faults (5xx) of endpoints; they respond, or pass the error on with `next(error)`.
   */
  readonly afterRouting?: ((args: HookArguments) => unknown) | undefined;
  /**
   * How queries are parsed: `simple` keeps brackets as they are, `extended` turns them into objects and arrays, and a
   * function serves as the parser.
   *
   * @default "simple"
   */
  readonly queryParser?: "simple" | "extended" | ((query: string) => object) | undefined;
  /**
   * Whether responses have an ETag, which requires a hash of each body.
   *
   * @default false
   */
  readonly etag?: boolean | "weak" | "strong" | undefined;
  /**
   * Whether responses may take shortcuts past Node's documented ways of sending, which save a quarter of the cost of a
   * small response and send the same. Turn them off if a tool depends on how Node sends.
   *
   * @default true
   */
  readonly shortcuts?: boolean | undefined;
  /**
   * Whether responses are compressed with the package `compression`, which must be installed: `true`, or its options.
   *
   * Event streams, parts of files, responses that set cookies, and responses with `Cache-Control: no-transform` are
   * never compressed. A handler that streams can send buffered data with `response.flush()`.
   *
   * @default false
   */
  readonly compression?: boolean | CompressionOptions | undefined;
  /**
   * Whether running requests may finish before the process ends on a signal: `true`, or options.
   *
   * @default false, which installs no signal handlers
   */
  readonly gracefulShutdown?: boolean | ShutdownOptions | undefined;
  /**
   * Whether to log the address of each server at startup.
   *
   * @default true
   */
  readonly startupLogo?: boolean | undefined;
}

/** The configuration of an API on your own Express application or router. */
export interface AppConfig extends CommonConfig {
  /** The application or router to which the API is added. */
  readonly app: IRouter;
}

/**
 * Declares the configuration of a server or, with `app`, of an API on your own Express application. `createServer` or
 * `attachRouting` validates it.
 *
 * @returns the same object
 * @example
 * const config = createConfig({ http: { listen: 8090 }, cors: false });
 */
export const createConfig = <
  App extends IRouter | undefined = undefined,
  Thrown extends ErrorDeclarations = EmptyObject,
>(
  config: (AppConfig | ServerConfig) & {
    readonly app?: App;
    readonly onError?: ErrorMapping<EmptyObject, Thrown> | undefined;
  },
): App extends undefined ? ServerConfig : AppConfig =>
  config as App extends undefined ? ServerConfig : AppConfig;
