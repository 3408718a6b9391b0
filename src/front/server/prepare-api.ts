import type { Request } from "express";
import { defaults } from "../../basics/defaults.ts";
import { toBodyLimits } from "../../define/endpoint/body-limits.ts";
import type { DocumentedConfig } from "../../describe/api/operation.ts";
import type { DocsOptions } from "../../describe/docs-page/docs-options.ts";
import type { AnyEndpoint } from "../../define/endpoint/endpoint.ts";
import { toEndpointSources, type InputSource } from "../../define/endpoint/input-sources.ts";
import type { Method } from "../../basics/http/method.ts";
import { retrievalNames } from "../../basics/http/method.ts";
import { toQueryParser } from "../../basics/http/query.ts";
import { safeLoggers } from "../../basics/logger/console-logger.ts";
import { toServerLogger } from "../../basics/logger/guard-logger.ts";
import type { Logger } from "../../basics/logger/logger.ts";
import { LazyPlan } from "../../serve/pipeline/endpoint-plan.ts";
import { setFaultLog } from "../../define/results/log-fault.ts";
import {
  findState,
  readCombined,
  type Service,
  RunningRequests,
} from "../../serve/pipeline/request-state.ts";
import type { Telemetry } from "../../parts/opentelemetry/telemetry.ts";
import { checksFileTypes } from "../../basics/schemas/bodies.ts";
import { RouteTable } from "../../define/routing/route-table.ts";
import type { EndpointEntry, Routes } from "../../define/routing/walk-routing.ts";
import type { CommonConfig } from "./config/config.ts";
import { createErrorHandlerSearch, Dispatcher } from "./dispatch.ts";
import { createBeginRequest } from "./serve-request.ts";

export type PreparedApi = Awaited<ReturnType<typeof prepareApi>>;

export const prepareApi = async (
  config: CommonConfig,
  routes: Routes,
  {
    app,
    offerFault,
    logger = toServerLogger(config.logger),
  }: Partial<Pick<Service, "app" | "logger" | "offerFault">> = {},
) => {
  setFaultLog(logger, config.logFaults, readCombined);
  const isDevelopment = process.env["NODE_ENV"] !== "production";
  if (!isDevelopment && safeLoggers.has(logger))
    logger.warn(
      'SLP_WARN_CONSOLE_LOGGER: the built-in logger writes plain text synchronously, which slows down a busy server and is hard to search. Set `logger` to your own logger with debug, info, warn and error, such as pino, or to `{ level: "silent" }`.',
    );
  if (isDevelopment && config.cors === undefined)
    logger.warn(
      "SLP_WARN_CORS: the `cors` option is not set, so no CORS headers are sent. Set it explicitly: true, false, or a function that returns headers.",
    );

  const toSources = (method: Method, endpoint?: AnyEndpoint): readonly InputSource[] =>
    toEndpointSources(endpoint?.inputSources, config.inputSources, method);
  const { endpoints, statics } = routes;
  const entries = [...endpoints, ...(await listOwnEntries(config, endpoints, logger))];
  if (config.access) {
    const { checkAccess } = await import("../../describe/diagnostics/check-access.ts");
    checkAccess(entries, statics);
  }
  if (config.upload && endpoints.some(({ endpoint }) => checksTypes(endpoint)))
    await (await import("../../serve/request/file-types.ts")).loadFileType();
  const telemetry = config.telemetry && (await prepareTelemetry(config, config.telemetry, logger));
  const inherited = { ...config, wrapPlan: telemetry?.tracePlan };
  const table = new RouteTable<LazyPlan>(config.caseSensitive);
  for (const { method, path, endpoint } of entries) {
    const lazy = new LazyPlan(endpoint, toSources(method, endpoint), inherited, path);
    table.add(method, path, lazy);
    // creating the plan reveals faulty schemas before production
    if (isDevelopment) void lazy.plan;
  }
  if (isDevelopment && endpoints.length + statics.length > 0) {
    const { checkRouting } = await import("../../describe/diagnostics/check-routing.ts");
    checkRouting(routes, config, logger);
  }

  const findErrorHandler = createErrorHandlerSearch(config.errorHandler, config.caseSensitive);
  const service: Service = {
    app,
    logger,
    errorHandler: findErrorHandler("/"),
    bodies: {
      limits: toBodyLimits(config.bodyLimit),
      uploads: config.upload
        ? (await import("../../serve/request/uploads.ts")).prepareUploads(config.upload)
        : undefined,
      nestNames:
        toQueryParser(config as object) === "extended"
          ? (await import("../../serve/request/nested-names.ts")).nestNames
          : undefined,
      idleTimeout: config.bodyIdleTimeout ?? defaults.bodyIdleTimeout,
    },
    running: new RunningRequests(),
    offerFault,
  };
  return {
    logger,
    getLogger: (request?: Request): Logger => (request && findState(request)?.logger) ?? logger,
    beginRequest: await createBeginRequest(config, logger),
    observe: telemetry?.observe,
    service,
    dispatcher: new Dispatcher({
      table,
      statics:
        statics.length > 0
          ? new (await import("./express/static-mounts.ts")).StaticMounts(
              statics,
              toSources("get"),
              config.requestTimeout,
            )
          : undefined,
      cors: config.cors ?? false,
      wrongMethodBehavior: config.wrongMethodBehavior ?? defaults.wrongMethodBehavior,
      findErrorHandler,
    }),
  };
};

/** Checks whether an endpoint accepts only files of some media types. */
const checksTypes = (endpoint: AnyEndpoint): boolean =>
  [...endpoint.middlewares, endpoint].some(
    ({ inputSchema }) => inputSchema !== undefined && checksFileTypes(inputSchema),
  );

/** Lists the routes of the documentation and of health. */
export const listOwnEntries = async (
  config: DocumentedConfig & Pick<CommonConfig, "docs" | "health">,
  endpoints: readonly EndpointEntry[],
  logger: Logger,
): Promise<readonly EndpointEntry[]> => [
  ...(await listDocs(config, endpoints, logger)),
  ...(await listHealth(config.health)),
];

const listDocs = async (
  config: DocumentedConfig & Pick<CommonConfig, "docs">,
  entries: readonly EndpointEntry[],
  logger: Logger,
): Promise<readonly EndpointEntry[]> => {
  if (!config.docs) return [];
  const all = config.docs === true ? [{}] : [config.docs].flat();
  const served = all.filter(
    ({ factory, production = factory !== undefined }: DocsOptions) =>
      production || process.env["NODE_ENV"] !== "production",
  );
  if (served.length < all.length)
    logger.warn(
      "SLP_WARN_DOCS: the `docs` option serves the documentation in development only, so it is not served now. Set `docs: { production: true }`, or `docs: { factory }` with middlewares that protect it.",
    );
  if (served.length === 0) return [];
  const { listDocsEntries } = await import("../../describe/docs-page/docs-entries.ts");
  return served.flatMap((options) => listDocsEntries(entries, config, options, logger));
};

const listHealth = async (health: CommonConfig["health"]): Promise<readonly EndpointEntry[]> => {
  if (!health) return [];
  const { listHealthEntries } = await import("../../parts/health/health-entries.ts");
  return listHealthEntries(health === true ? {} : health);
};

const prepareTelemetry = async (
  { health, caseSensitive = defaults.caseSensitive }: CommonConfig,
  telemetry: Telemetry,
  logger: Logger,
) => {
  const { guardTelemetry } = await import("../../parts/opentelemetry/telemetry.ts");
  if (!health) return guardTelemetry(telemetry, logger, () => false);
  const { listUnobserved } = await import("../../parts/health/health-entries.ts");
  const toPath = (target: string): string => {
    const [path = ""] = (caseSensitive ? target : target.toLowerCase()).split("?", 1);
    return path.endsWith("/") ? path.slice(0, -1) : path;
  };
  const paths = new Set(listUnobserved(health === true ? {} : health).map(toPath));
  return guardTelemetry(
    telemetry,
    logger,
    ({ method, url }) => retrievalNames.has(method) && paths.has(toPath(url)),
  );
};
