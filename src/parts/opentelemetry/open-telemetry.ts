import {
  createContextKey,
  context,
  metrics,
  propagation,
  SpanKind,
  SpanStatusCode,
  trace,
  type Context,
  type Histogram,
  type Span,
} from "@opentelemetry/api";
import {
  getRPCMetadata,
  isTracingSuppressed,
  RPCType,
  setRPCMetadata,
  suppressTracing,
  type RPCMetadata,
} from "@opentelemetry/core";
import type { TLSSocket } from "node:tls";
import type { Express } from "express";
import type { Request, Response } from "../../basics/http/express-objects.ts";
import { findExchange, type Observation } from "../../wire/exchange/exchange.ts";
import { loadLogsApi } from "../../basics/lazy/packages.cjs";
import { toPackageError } from "../../basics/messages/missing-package.ts";
import { be, checkOptions } from "../../basics/messages/option-checks.ts";
import { ensureError } from "../../wire/reply/http-error.ts";
import { toLoggedPath } from "../../basics/http/logged-path.ts";
import type { Telemetry } from "./telemetry.ts";
import { stageKinds, traceStages, type StageKind } from "./trace-stages.ts";

/** The options of {@link openTelemetry}. */
export interface OpenTelemetryOptions {
  /**
   * The stages that have spans of their own, within that of the request: each middleware, each validation, the handler.
   *
   * @default []
   */
  readonly spans?: readonly StageKind[] | undefined;
}

const optionChecks = {
  spans: be(
    `an array of ${stageKinds.map((kind) => `"${kind}"`).join(", ")}`,
    (value) => Array.isArray(value) && value.every((one) => stageKinds.includes(one as StageKind)),
  ),
};

/** In seconds, as the semantic conventions advise. */
const buckets = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

const durationOptions = {
  description: "Duration of HTTP server requests.",
  unit: "s",
  advice: { explicitBucketBoundaries: buckets },
};

/** The methods that are recorded by their names, unless an environment variable lists others. */
const knownMethods = "GET,HEAD,POST,PUT,DELETE,CONNECT,OPTIONS,TRACE,PATCH,QUERY";

/**
 * Observes requests with OpenTelemetry: traces, the metric `http.server.request.duration`, and the ids of the trace in
 * log lines. Whatever exports them is set up with the SDK.
 *
 * Where the package `@opentelemetry/instrumentation-http` has made the span of a request, that span and its metric
 * receive the route; otherwise, both are made here.
 *
 * @throws DefinitionError when an option is invalid, ConfigError when a package is missing.
 * @see https://opentelemetry.io/docs/specs/semconv/http/
 */
export const openTelemetry = (options: OpenTelemetryOptions = {}): Telemetry => {
  checkOptions("openTelemetry", options, optionChecks);
  const { spans = [] } = options;
  const recordException = createExceptionRecording();
  const methods = readList("OTEL_INSTRUMENTATION_HTTP_KNOWN_METHODS", knownMethods);
  const tracer = trace.getTracer("sallyport");
  let durations: Histogram | undefined;

  /** Makes the span and the metric of a request. */
  const observe = (request: Request, response: Response, outer: Context) => {
    const began = performance.now();
    const { method, socket, headers } = request;
    const isKnown = methods.has(method);
    const name = isKnown ? method : "HTTP";
    const measured = {
      "http.request.method": isKnown ? method : "_OTHER",
      "url.scheme": (socket as Partial<TLSSocket>).encrypted ? "https" : "http",
      "network.protocol.name": "http",
      "network.protocol.version": request.httpVersion,
    };
    const attributes = {
      ...measured,
      ...(!isKnown && { "http.request.method_original": method }),
      // the query may contain secrets
      "url.path": toLoggedPath(request),
      "network.peer.address": socket.remoteAddress,
      "network.peer.port": socket.remotePort,
      "user_agent.original": headers["user-agent"],
    };
    const parent = propagation.extract(trace.deleteSpan(outer), headers);
    const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, parent);
    const metadata: RPCMetadata = { type: RPCType.HTTP, span };
    const active = setRPCMetadata(trace.setSpan(parent, span), metadata);
    const end = (broken: string | undefined): void => {
      const { route } = metadata;
      // if the client has left before the response began, there is no status
      const status = findExchange(response)?.sentStatus ?? 0;
      const sent = {
        ...(route !== undefined && { "http.route": route }),
        ...(status > 0 && { "http.response.status_code": status }),
        ...(broken !== undefined && { "error.type": broken }),
        ...(status >= 500 && { "error.type": String(status) }),
      };
      if (route !== undefined) span.updateName(`${name} ${route}`);
      span.setAttributes(sent);
      if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
      // the API drops what is recorded in metrics that were created before the SDK was registered
      durations ??= metrics
        .getMeter("sallyport")
        .createHistogram("http.server.request.duration", durationOptions);
      durations.record((performance.now() - began) / 1000, { ...measured, ...sent }, active);
    };
    return { metadata, active, end };
  };

  return {
    begin: (request, response, isProbe) => {
      const outer = context.active();
      if (isTracingSuppressed(outer)) return undefined;
      const given = getRPCMetadata(outer);
      // a server that was started while another request was served inherits the context of that one
      const isGiven = given !== undefined && (outer.getValue(ownerKey) ?? request) === request;
      if (isProbe && !isGiven) return unobserved(outer);
      const own = isGiven ? undefined : observe(request, response, outer);
      const { metadata, active } = own ?? { metadata: given as RPCMetadata, active: outer };
      const { span } = metadata;
      let fault: Error | undefined;
      return {
        logFields: toLogFields(span),
        run: (serve) => context.with(active.setValue(ownerKey, request), serve),
        recordFault: (error) => {
          fault = ensureError(error);
          recordException(fault, span, active);
        },
        end: () => {
          const route = toRoute(request);
          if (route !== undefined) metadata.route = route;
          // a response that a fault has broken off has failed, whatever its status
          const { sentStatus, phase } = findExchange(response) ?? {};
          const isBroken = sentStatus !== undefined && phase !== "ended";
          const broken = isBroken ? fault?.name : undefined;
          if (broken !== undefined)
            span.setAttribute("error.type", broken).setStatus({ code: SpanStatusCode.ERROR });
          own?.end(broken);
        },
      };
    },
    tracePlan: (plan) => (spans.length > 0 ? traceStages(plan, spans, tracer) : plan),
  };
};

/** Returns what leaves no traces of a request, and of what it causes. */
const unobserved = (outer: Context): Observation => ({
  logFields: undefined,
  run: (serve) => context.with(suppressTracing(outer), serve),
  recordFault: () => undefined,
  end: () => undefined,
});

const readList = (variable: string, otherwise: string): ReadonlySet<string> =>
  new Set((process.env[variable] || otherwise).split(",").map((name) => name.trim()));

/** The request to which the span of a context belongs; a WeakMap of requests would keep V8 from freeing them cheaply. */
const ownerKey = createContextKey("sallyport request");

/**
 * Creates the function that records errors: as events of spans or, as `OTEL_SEMCONV_EXCEPTION_SIGNAL_OPT_IN` asks, as log
 * records (`logs`) or both (`logs/dup`).
 *
 * @throws {@link ConfigError} when log records are asked for and their package is not installed.
 * @see https://opentelemetry.io/docs/specs/semconv/exceptions/
 */
const createExceptionRecording = (): ((error: Error, span: Span, context: Context) => void) => {
  const wanted = readList("OTEL_SEMCONV_EXCEPTION_SIGNAL_OPT_IN", "");
  if (!wanted.has("logs") && !wanted.has("logs/dup"))
    return (error, span) => span.recordException(error);
  let api: ReturnType<typeof loadLogsApi>;
  try {
    api = loadLogsApi();
  } catch (cause) {
    throw toPackageError(
      "The value of the environment variable OTEL_SEMCONV_EXCEPTION_SIGNAL_OPT_IN, which asks for log records,",
      "@opentelemetry/api-logs",
      cause,
    );
  }
  return (error, span, context) => {
    if (wanted.has("logs/dup")) span.recordException(error);
    const { name, message, stack } = error;
    api.logs.getLogger("sallyport").emit({
      eventName: "http.server.request.exception",
      severityNumber: api.SeverityNumber.ERROR,
      severityText: "ERROR",
      attributes: {
        "exception.type": name,
        "exception.message": message,
        ...(stack && { "exception.stacktrace": stack }),
      },
      context,
    });
  };
};

/** Returns the fields of log lines; undefined if no SDK is registered. */
const toLogFields = (span: Span): object | undefined => {
  const ids = span.spanContext();
  if (!trace.isSpanContextValid(ids)) return undefined;
  const flags = ids.traceFlags.toString(16).padStart(2, "0");
  return { trace_id: ids.traceId, span_id: ids.spanId, trace_flags: flags };
};

/**
 * Returns the route of a request; undefined if there is none. It begins with the path at which the API is mounted if
 * that is known to be the pattern of an application, or is one of the few paths of routers.
 */
const toRoute = (request: Request): string | undefined => {
  const { baseUrl, route } = request;
  const { path } = (route ?? {}) as { readonly path?: unknown };
  // a route of Express may be a pattern of another kind
  if (typeof path !== "string") return undefined;
  if (baseUrl === "") return path;
  const pattern = (request.app as Express).path().replaceAll(/\/+/g, "/").replace(/\/$/, "");
  const mount = pattern === "" ? toRouterPath(baseUrl) : isMount(pattern, baseUrl) ? pattern : "";
  return mount === "" || path !== "/" ? mount + path : mount;
};

/** The paths in lower case at which routers were called, of which Express tells only what clients have sent. */
const routerPaths = new Set<string>();

/** The number of paths that tells that routers are mounted at patterns, so that the paths are the clients' text. */
const manyRouterPaths = 10;

/** Returns the path of a router; an empty string once there have been too many of them. */
const toRouterPath = (baseUrl: string): string => {
  const path = baseUrl.toLowerCase();
  if (routerPaths.size < manyRouterPaths) routerPaths.add(path);
  return routerPaths.size < manyRouterPaths ? path : "";
};

/** Checks whether a pattern of literal segments and parameters matches a path as a whole. */
const isMount = (pattern: string, path: string): boolean => {
  const given = path.toLowerCase().split("/");
  const segments = pattern.split("/");
  return (
    segments.length === given.length &&
    segments.every((one, at) => /^:\w+$/.test(one) || one.toLowerCase() === given[at])
  );
};
