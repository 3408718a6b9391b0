import type { ServerOptions as HttpOptions } from "node:http";
import type { ServerOptions as HttpsOptions } from "node:https";
import type { Express, IRouter, Request, Response } from "express";
import type { MaybePromise } from "../../endpoint/handler-arguments.ts";
import type { SourcesByMethod } from "../../endpoint/input-sources.ts";
import type { ConsoleLoggerOptions } from "../../logger/console-logger.ts";
import type { Logger, ParentLogger } from "../../logger/logger.ts";
import type { AnyResultHandler } from "../../results/result-handler.ts";
import type { WalkOptions } from "../../routing/walk-routing.ts";
import type { DocsOptions } from "../../docs/docs-options.ts";
import type { CompressionOptions } from "../compression/compression-options.ts";
import type { Listen } from "../connection/listen.ts";
import type { CookieOptions } from "../head/cookies.ts";
import type { CorsOption } from "../head/cors.ts";
import type { ShutdownOptions } from "../connection/shutdown.ts";
import type { UploadOptions } from "../body/uploads.ts";

/** What an access log says of a reply. */
export interface AccessedReply {
  /** Undefined where the client has left before the reply began. */
  readonly status: number | undefined;
  /** What was sent, head and body, in bytes; 0 where an adapter, such as serverless-http, stands for the socket. */
  readonly bytes: number;
  /** How long it took from the begin of the request to the end of the reply. */
  readonly milliseconds: number;
}

/** What a hook receives. */
export interface HookArguments {
  /** The Express application that serves the API. */
  readonly app: Express;
  /** Gives the logger of a request, or that of the server. */
  readonly getLogger: (request?: Request) => Logger;
}

/** The options that `createServer` and `attachRouting` share. */
export interface CommonConfig extends WalkOptions {
  /**
   * Cross-origin headers: `true` for the default ones on every response, `false` for none,
   * or a function that gives the headers of a response. Must be set explicitly.
   */
  readonly cors: CorsOption;
  /** Options of the built-in logger, or a logger of your own: an object with `debug`, `info`, `warn` and `error`. */
  readonly logger?: ConsoleLoggerOptions | Logger | undefined;
  /**
   * Gives each request an id: on `request.id`, in each line of its logger as `requestId`, and in a header of the reply.
   *
   * `true` makes one for each request and replies with it in `X-Request-Id`. With `header` the id of a proxy or client is
   * taken from there, if it has at most 128 letters, digits and the signs `.`, `_`, `:` and `-`, and replied with there.
   *
   * @default false
   */
  readonly requestId?: boolean | { readonly header: string } | undefined;
  /**
   * Gives the logger of one request; runs after the request has its id.
   *
   * The lines of `parent.child({ ... })` have the given fields.
   */
  readonly childLoggerProvider?:
    | ((args: {
        readonly request: Request;
        readonly response: Response;
        readonly parent: ParentLogger;
      }) => MaybePromise<Logger>)
    | undefined;
  /**
   * Logs each request when its reply has ended, or its client has left; null for no access log.
   *
   * @default a debug line with method and path, and as fields the status, the bytes of the reply and the milliseconds since the request began
   */
  readonly accessLogger?:
    | ((request: Request, logger: Logger, reply: AccessedReply) => unknown)
    | null
    | undefined;
  /**
   * The parts of a request that feed the input, for each method: a listed method is replaced, the others keep their defaults.
   *
   * A later source wins, and path parameters always do.
   *
   * @default { get: ["query", "params"], post: ["body", "params", "files"], put: ["body", "params"], patch: ["body", "params"], delete: ["query", "params"] }
   */
  readonly inputSources?: SourcesByMethod | undefined;
  /**
   * Answers what goes wrong before an endpoint is reached: 404, 405, a malformed path or body.
   *
   * @default defaultResultHandler
   */
  readonly errorHandler?: AnyResultHandler | undefined;
  /**
   * The largest JSON or form body, in bytes, counted after decompression.
   *
   * @default 1048576
   */
  readonly bodyLimit?: number | undefined;
  /**
   * Parses cookies to `request.cookies`, and with a secret the signed ones to `request.signedCookies`.
   *
   * @default false
   */
  readonly cookies?: boolean | CookieOptions | undefined;
  /**
   * Uploads of files, `multipart/form-data`: `true` for the default limits, or options.
   *
   * @default false
   */
  readonly upload?: boolean | UploadOptions | undefined;
  /**
   * How long a client may pause while it sends a body, in milliseconds; then 408 is answered.
   *
   * @default 10000
   */
  readonly bodyIdleTimeout?: number | undefined;
  /**
   * How long everything from the first middleware to the validated output may take, in milliseconds, without the reading of
   * the body; then 503 is answered and `signal` is aborted. 0 for no limit. An endpoint's `timeout` replaces it.
   *
   * @default 0
   */
  readonly requestTimeout?: number | undefined;
  /**
   * How long a handler may take, in milliseconds; then 503 is answered and its `signal` is aborted. 0 for no limit.
   * It is left out for endpoints with a `timeout` of their own.
   *
   * @default 0
   */
  readonly handlerTimeout?: number | undefined;
  /**
   * Serves the documentation of the API: a page at `/docs`, and the document as `/docs/openapi.json` and `.yaml`.
   *
   * `true` serves it in development alone; for production set `{ production: true }`, or a `factory` whose middlewares guard it.
   *
   * @default false
   */
  readonly docs?: boolean | DocsOptions | undefined;
  /**
   * What is answered to a method that a known path does not have.
   *
   * @default 405
   */
  readonly wrongMethodBehavior?: 404 | 405 | undefined;
}

/** The configuration of a server; make it with {@link createConfig}. */
export interface ServerConfig extends CommonConfig {
  /** Belongs to the configuration of an API on an application of your own. */
  readonly app?: undefined;
  /** The HTTP server. */
  readonly http?:
    | { readonly listen: Listen; readonly options?: HttpOptions | undefined }
    | undefined;
  /** The HTTPS server; `options` hold at least `cert` and `key`. */
  readonly https?: { readonly listen: Listen; readonly options: HttpsOptions } | undefined;
  /**
   * How long a client may pause while it reads a response, in milliseconds; then its connection is dropped. 0 for no limit.
   *
   * @default 30000
   */
  readonly responseIdleTimeout?: number | undefined;
  /** Adds native middleware and routes, which run before the API. */
  readonly beforeRouting?: ((args: HookArguments) => MaybePromise<void>) | undefined;
  /**
   * Adds native middleware and routes, which run after the API, for paths that it does not have. Error handlers are asked about
   * the faults (5xx) of endpoints as well: they answer, or pass the error on by `next(error)` to the result handler.
   */
  readonly afterRouting?: ((args: HookArguments) => MaybePromise<void>) | undefined;
  /**
   * How the query is parsed: `simple` leaves brackets as they are, `extended` makes objects and lists of them.
   *
   * @default "simple"
   */
  readonly queryParser?: "simple" | "extended" | ((query: string) => object) | undefined;
  /**
   * Whether responses carry an ETag, which costs a hash of each body.
   *
   * @default false
   */
  readonly etag?: boolean | "weak" | "strong" | undefined;
  /**
   * Compresses responses by zstd, brotli, gzip or deflate, as the client accepts them; `true`, or options.
   *
   * Event streams, responses that set cookies, and those with `no-transform` are never compressed. A handler that
   * streams sends what is held back by `response.flush()`.
   *
   * @default false
   */
  readonly compression?: boolean | CompressionOptions | undefined;
  /**
   * Finishes the running requests on a signal before the process ends; `true`, or options.
   *
   * @default false: no signal is listened for
   */
  readonly gracefulShutdown?: boolean | ShutdownOptions | undefined;
  /**
   * Whether a line with the addresses is printed at start.
   *
   * @default true
   */
  readonly startupLogo?: boolean | undefined;
}

/** The configuration of an API on an Express application or router of your own. */
export interface AppConfig extends CommonConfig {
  /** The application or the router that the API joins. */
  readonly app: IRouter;
}

/**
 * Declares the configuration of a server, or with an `app` that of an API on an Express application of your own; it is
 * checked when the server starts.
 *
 * @returns the same object
 * @example
 * const config = createConfig({ http: { listen: 8090 }, cors: false });
 */
export const createConfig = <App extends IRouter | undefined = undefined>(
  config: (AppConfig | ServerConfig) & { readonly app?: App },
): App extends undefined ? ServerConfig : AppConfig =>
  config as App extends undefined ? ServerConfig : AppConfig;
