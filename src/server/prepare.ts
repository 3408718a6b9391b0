import type { Request, Response } from "express";
import type { AnyEndpoint } from "../endpoint/endpoint.ts";
import { toEndpointSources, type InputSource } from "../endpoint/input-sources.ts";
import type { Method } from "../http/method.ts";
import { isLogger, type Logger } from "../logger/logger.ts";
import { createConsoleLogger, isSilenced } from "../logger/console-logger.ts";
import { guardLogger, toChild, toParent } from "../logger/guard-logger.ts";
import { shareSamples } from "../logger/sampling.ts";
import { harmlessCloses, harmlessFinishes, type ListenedResponse } from "../http/node-internals.ts";
import { LazyPlan } from "../pipeline/endpoint-plan.ts";
import { defaultResultHandler } from "../results/default-result-handler.ts";
import { setFaultLog, toLoggedPath } from "../results/log-fault.ts";
import type { RoutingFacts } from "../routing/diagnostics/diagnostic.ts";
import { RouteTable } from "../routing/route-table.ts";
import type { EndpointEntry, RoutingEntry } from "../routing/walk-routing.ts";
import { defaultBodyIdleTimeout, defaultBodyLimit } from "./body/body.ts";
import type { AccessedReply, AppConfig, CommonConfig, ServerConfig } from "./config/config.ts";
import { setDefaultCorsHeaders } from "./head/cors.ts";
import { Dispatcher } from "./dispatch.ts";
import type { StaticMounts } from "./express/static-mounts.ts";

/** Everything that is prepared before a server accepts its first request. */
export interface Prepared {
  /** The logger as configured. */
  readonly logger: Logger;
  readonly dispatcher: Dispatcher;
  /** Returns the logger of a request, or the server's logger if no request is given. */
  readonly getLogger: (request?: Request) => Logger;
  /**
   * Begins a request: sets CORS headers, creates its logger and schedules its access log line. Returns a promise if the
   * logger is created asynchronously.
   */
  readonly begin: (request: Request, response: Response) => Promise<void> | undefined;
}

/**
 * Prepares the routes, the endpoint plans and the loggers; loads only what the configuration needs.
 *
 * @throws RoutingError when two entries have the same method and path.
 */
export const prepare = async (
  config: CommonConfig,
  entries: readonly RoutingEntry[],
): Promise<Prepared> => {
  const given = isLogger(config.logger) ? config.logger : createConsoleLogger(config.logger);
  const logger = guardLogger(given);
  setFaultLog(logger, config.logFaults);
  const isDevelopment = process.env["NODE_ENV"] !== "production";
  if (!isDevelopment && !isLogger(config.logger))
    logger.warn(
      'SLP_WARN_CONSOLE_LOGGER: the built-in logger writes plain text synchronously, which slows down a busy server and is hard to search. Set `logger` to your own logger with debug, info, warn and error, such as pino, or to `{ level: "silent" }`.',
    );
  if (isDevelopment && config.cors === undefined)
    logger.warn(
      "SLP_WARN_CORS: the option `cors` is not set, so no CORS headers are sent. Set it explicitly: true, false, or a function that returns headers.",
    );

  const toSources = (method: Method, endpoint?: AnyEndpoint): readonly InputSource[] =>
    toEndpointSources(endpoint?.inputSources, config.inputSources, method);
  const declaredEntries = entries.flatMap((entry) => (entry.kind === "endpoint" ? entry : []));
  const endpointEntries = [
    ...declaredEntries,
    ...(await listDocs(config, declaredEntries, logger)),
  ];
  if (isDevelopment) {
    const sources = endpointEntries.flatMap((entry) => toSources(entry.method, entry.endpoint));
    const configured = Object.values(config.inputSources ?? {}).flat();
    const fault = findCookieFault(config, [...sources, ...configured]);
    if (fault !== undefined) logger.warn(`SLP_WARN_COOKIES: ${fault}`);
  }
  const table = new RouteTable<LazyPlan>();
  for (const { method, path, endpoint } of endpointEntries) {
    const lazy = new LazyPlan(endpoint, toSources(method, endpoint), config, path);
    table.add(method, path, lazy);
    // creating the plan reveals faulty schemas before production
    if (isDevelopment) void lazy.plan;
  }
  if (isDevelopment && entries.length > 0) {
    const { checkRouting } = await import("../routing/check-routing.ts");
    checkRouting(entries, toRoutingFacts(config, toSources), logger);
  }

  const children = new WeakMap<Request, Logger>();
  const getLogger = (request?: Request): Logger => (request && children.get(request)) ?? logger;
  return {
    logger: given,
    getLogger,
    begin: await createBeginning(config, logger, children),
    dispatcher: new Dispatcher({
      table,
      statics: await toStaticMounts(entries, toSources("get")),
      cors: config.cors ?? false,
      errorHandler: config.errorHandler ?? defaultResultHandler,
      bodies: {
        limit: config.bodyLimit ?? defaultBodyLimit,
        uploads: config.upload
          ? (await import("./body/uploads.ts")).prepareUploads(config.upload)
          : undefined,
        idleTimeout: config.bodyIdleTimeout ?? defaultBodyIdleTimeout,
      },
      wrongMethodBehavior: config.wrongMethodBehavior ?? 405,
      getLogger: config.childLoggerProvider || config.requestId ? getLogger : () => logger,
    }),
  };
};

/** Describes a mistake in the use of cookies; returns undefined if there is none. */
const findCookieFault = (config: CommonConfig, sources: readonly unknown[]): string | undefined => {
  const { cookies = false } = config;
  const options = typeof cookies === "object" ? cookies : {};
  if ("secret" in options && options.secret === undefined)
    return "`cookies.secret` is undefined, so no cookies are signed. Set it, for example in the environment, or omit the option.";
  // the application, or a hook, may parse cookies
  if ("app" in config || "beforeRouting" in config) return undefined;
  if (cookies === false && sources.some((one) => String(one).endsWith("ookies")))
    return "`inputSources` lists cookies, but nothing parses them. Set `cookies: true`, or `cookies: { secret }` for signed cookies.";
  if (options.secret === undefined && sources.includes("signedCookies"))
    return "`inputSources` lists signed cookies, but there is no secret to verify them with. Set `cookies: { secret }`.";
  return undefined;
};

/** Lists the routes that serve the documentation; there are none if the documentation is not served. */
const listDocs = async (
  config: CommonConfig,
  entries: readonly EndpointEntry[],
  logger: Logger,
): Promise<readonly EndpointEntry[]> => {
  if (!config.docs) return [];
  const options = config.docs === true ? {} : config.docs;
  const isServed = options.production ?? options.factory !== undefined;
  if (process.env["NODE_ENV"] === "production" && !isServed) {
    logger.warn(
      "SLP_WARN_DOCS: the option `docs` serves the documentation in development only, so it is not served now. Set `docs: { production: true }`, or `docs: { factory }` with middlewares that protect it.",
    );
    return [];
  }
  const { listDocsEntries } = await import("../docs/docs-entries.ts");
  return listDocsEntries(entries, config, options, logger);
};

/** Collects the facts about a configuration that the routing checks need. */
const toRoutingFacts = (
  config: CommonConfig & Partial<Omit<ServerConfig, "app"> & AppConfig>,
  toSources: (method: Method, endpoint: AnyEndpoint) => readonly InputSource[],
): RoutingFacts => {
  const { app, queryParser = "simple", upload = false, beforeRouting } = config;
  return {
    toSources: ({ method, endpoint }) => toSources(method, endpoint),
    queryParser: toQueryParser(app ? readQueryParser(app) : queryParser),
    takesUploads: upload !== false,
    hasNativeParsers: app !== undefined || beforeRouting !== undefined,
  };
};

/**
 * Reads the query parser of a user's own application; a router has no application, and thus no parser, until it serves
 * a request.
 */
const readQueryParser = (app: object): unknown =>
  (app as { readonly settings?: Readonly<Record<string, unknown>> }).settings?.["query parser"];

const toQueryParser = (setting: unknown): RoutingFacts["queryParser"] =>
  setting === "simple" || setting === "extended" ? setting : "unknown";

const toStaticMounts = async (
  entries: readonly RoutingEntry[],
  sources: readonly InputSource[],
): Promise<StaticMounts | undefined> => {
  const statics = entries.flatMap((entry) => (entry.kind === "static" ? entry : []));
  if (statics.length === 0) return undefined;
  const { StaticMounts } = await import("./express/static-mounts.ts");
  return new StaticMounts(statics, sources);
};

const createBeginning = async (
  config: CommonConfig,
  logger: Logger,
  children: WeakMap<Request, Logger>,
): Promise<Prepared["begin"]> => {
  const { cors, childLoggerProvider, accessLogger, cookies = false, requestId = false } = config;
  const adopt = (request: Request, own: Logger): Logger => {
    shareSamples(own, logger);
    setFaultLog(own, config.logFaults);
    children.set(request, own);
    return own;
  };
  const logAccess = toAccessLogger(accessLogger, logger);
  const readCookies = cookies
    ? (await import("./head/cookies.ts")).createCookieParser(cookies === true ? {} : cookies)
    : undefined;
  const identify = requestId
    ? (await import("./head/request-id.ts")).createIdentifier(requestId)
    : undefined;
  const beginHead = (request: Request, response: Response): Logger => {
    if (cors === true) setDefaultCorsHeaders(response);
    readCookies?.(request);
    if (!identify) return logger;
    return adopt(request, toChild(logger, { requestId: identify(request, response) }));
  };
  if (!childLoggerProvider)
    return (request, response) => {
      const own = beginHead(request, response);
      logAccess?.(request, response, own);
      return undefined;
    };
  return async (request, response) => {
    const parent = toParent(beginHead(request, response));
    const child = await childLoggerProvider({ request, response, parent });
    const own = adopt(request, isLogger(child) ? guardLogger(child) : parent);
    logAccess?.(request, response, own);
  };
};

type LogAccess = (request: Request, response: Response, logger: Logger) => void;

/** Returns a function that logs requests; undefined if its lines would not be shown. */
const toAccessLogger = (
  configured: CommonConfig["accessLogger"],
  logger: Logger,
): LogAccess | undefined => {
  if (configured === null) return undefined;
  if (configured)
    return atEnd(async (request, own, reply) => {
      try {
        await configured(request, own, reply);
      } catch (error) {
        own.error("The access logger failed", { error });
      }
    });
  if (isSilenced(logger, "debug")) return undefined;
  return atEnd((request, own, reply) =>
    own.debug(`${request.method}: ${toLoggedPath(request)}`, reply),
  );
};

/** Returns a function that calls an access logger once the response has ended or the client has left. */
const atEnd =
  (log: (request: Request, logger: Logger, reply: AccessedReply) => unknown): LogAccess =>
  (request, response, logger) => {
    const begin = performance.now();
    const { socket } = request;
    const before = countWritten(socket);
    const end = (): void => {
      response.off("finish", end).off("close", end);
      const milliseconds = Math.round((performance.now() - begin) * 10) / 10;
      const status = response.headersSent ? response.statusCode : undefined;
      try {
        log(request, logger, { status, bytes: countWritten(socket) - before, milliseconds });
      } catch (error) {
        // an error that is thrown in an event would end the process
        logger.error("The access log failed", { error });
      }
    };
    const listened = response as ListenedResponse;
    listened[harmlessFinishes] = (listened[harmlessFinishes] ?? 0) + 1;
    listened[harmlessCloses] = (listened[harmlessCloses] ?? 0) + 1;
    response.once("finish", end).once("close", end);
  };

/**
 * Returns the number of bytes written; 0 for the sockets of adapters for serverless functions, which do not count
 * bytes.
 */
const countWritten = ({ bytesWritten = 0 }: { readonly bytesWritten?: number }): number =>
  bytesWritten;
