import {
  context,
  metrics,
  propagation,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
  type Histogram,
  type Span,
  type Tracer,
} from "@opentelemetry/api";
import {
  getRPCMetadata,
  isTracingSuppressed,
  RPCType,
  setRPCMetadata,
  type RPCMetadata,
} from "@opentelemetry/core";
import type { TLSSocket } from "node:tls";
import type { Express } from "express";
import { isPromiseLike } from "../endpoint/handler-arguments.ts";
import type { Request, Response } from "../http/express-objects.ts";
import { be, checkOptions } from "../messages/option-checks.ts";
import { readSafely, toErrorStatus } from "../reply/http-error.ts";
import { toLoggedPath } from "../results/log-fault.ts";
import { stageKinds, type Observation, type StageKind, type Telemetry } from "../telemetry.ts";
import { createExceptionRecording } from "./record-exception.ts";

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

/** The limits of the buckets of durations, in seconds, as the semantic conventions advise. */
const buckets = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

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
  const recordException = createExceptionRecording();
  const listed = process.env["OTEL_INSTRUMENTATION_HTTP_KNOWN_METHODS"] ?? knownMethods;
  const methods = new Set(listed.split(",").map((method) => method.trim()));
  const tracer = trace.getTracer("sallyport");
  let durations: Histogram | undefined;
  // the API drops what is recorded in metrics that were created before the SDK was registered
  const getDurations = (): Histogram =>
    (durations ??= metrics.getMeter("sallyport").createHistogram("http.server.request.duration", {
      description: "Duration of HTTP server requests.",
      unit: "s",
      advice: { explicitBucketBoundaries: buckets },
    }));

  const begin = (request: Request, response: Response): Observation | undefined => {
    let active = context.active();
    if (isTracingSuppressed(active)) return undefined;
    let metadata = getRPCMetadata(active);
    let endOwn: ((route: string | undefined) => void) | undefined;
    // a server that was started while another request was served would inherit the context of that one
    if (!metadata || (owners.get(metadata) ?? request) !== request) {
      const began = performance.now();
      const attributes = toAttributes(request, methods);
      active = propagation.extract(trace.deleteSpan(active), request.headers);
      const span = startSpan(tracer, request, attributes, active);
      metadata = { type: RPCType.HTTP, span };
      active = setRPCMetadata(trace.setSpan(active, span), metadata);
      endOwn = (route) => {
        const more = toReplyAttributes(response, route);
        endSpan(span, attributes["http.request.method"], route, more);
        const seconds = (performance.now() - began) / 1000;
        getDurations().record(seconds, { ...attributes, ...more }, active);
      };
    }
    owners.set(metadata, request);
    const { span } = metadata;
    return {
      logFields: toLogFields(span),
      run: (serve) => context.with(active, serve),
      recordFault: (error) => recordException(error, span, active),
      end: () => {
        const route = toRoute(request);
        if (route !== undefined) metadata.route = route;
        endOwn?.(metadata.route);
      },
    };
  };
  return {
    begin,
    spans: options.spans ?? [],
    runStage: (name, stage) => tracer.startActiveSpan(name, (span) => runStage(span, stage)),
  };
};

/** The requests whose spans are known. */
const owners = new WeakMap<RPCMetadata, Request>();

/** Returns the attributes that the metric has, too. */
const toAttributes = (request: Request, methods: ReadonlySet<string>): Attributes => ({
  "http.request.method": methods.has(request.method) ? request.method : "_OTHER",
  "url.scheme": (request.socket as Partial<TLSSocket>).encrypted ? "https" : "http",
  "network.protocol.name": "http",
  "network.protocol.version": request.httpVersion,
});

const startSpan = (
  tracer: Tracer,
  request: Request,
  attributes: Attributes,
  parent: Context,
): Span => {
  const { method, headers, socket } = request;
  const known = attributes["http.request.method"];
  const [, address = "", port] = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(headers.host ?? "") ?? [];
  return tracer.startSpan(
    toName(known),
    {
      kind: SpanKind.SERVER,
      attributes: {
        ...attributes,
        ...(known !== method && { "http.request.method_original": method }),
        // the query may contain secrets
        "url.path": toLoggedPath(request),
        ...(address && { "server.address": address }),
        ...(port && { "server.port": Number(port) }),
        "network.peer.address": socket.remoteAddress,
        "network.peer.port": socket.remotePort,
        "user_agent.original": headers["user-agent"],
      },
    },
    parent,
  );
};

const toName = (method: unknown, route?: string): string =>
  `${method === "_OTHER" ? "HTTP" : String(method)}${route === undefined ? "" : ` ${route}`}`;

/** Returns the attributes of a response; if the client has left before it began, there is no status. */
const toReplyAttributes = (response: Response, route: string | undefined): Attributes => {
  const status = response.headersSent ? response.statusCode : undefined;
  return {
    ...(route !== undefined && { "http.route": route }),
    ...(status !== undefined && { "http.response.status_code": status }),
    ...(status !== undefined && status >= 500 && { "error.type": String(status) }),
  };
};

const endSpan = (
  span: Span,
  method: unknown,
  route: string | undefined,
  attributes: Attributes,
): void => {
  if (route !== undefined) span.updateName(toName(method, route));
  span.setAttributes(attributes);
  if ("error.type" in attributes) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
};

/** Returns the fields of log lines; there are none if no SDK is registered. */
const toLogFields = (span: Span): object => {
  const ids = span.spanContext();
  if (!trace.isSpanContextValid(ids)) return {};
  const flags = ids.traceFlags.toString(16).padStart(2, "0");
  return { trace_id: ids.traceId, span_id: ids.spanId, trace_flags: flags };
};

/**
 * Returns the route of a request, with the path at which the API is mounted; undefined if there is none. Applications
 * tell the pattern of their path, routers only what the request has in its place.
 */
const toRoute = (request: Request): string | undefined => {
  const { baseUrl, route } = request;
  const { path } = (route ?? {}) as { readonly path?: unknown };
  // a route of Express may be a pattern of another kind
  if (typeof path !== "string") return undefined;
  if (baseUrl === "") return path;
  const pattern = (request.app as Express).path().split("/");
  const mount = baseUrl.split("/").map((segment, at) => pattern[at] ?? segment);
  return mount.join("/") + (path === "/" ? "" : path);
};

/** Runs a stage, whose span has the status Error if it ends with a fault. */
const runStage = <T>(span: Span, stage: () => T): T => {
  const fail = (error: unknown): never => {
    // this is how stages end when `signal` is aborted
    const isAborted = readSafely(error, "name") === "AbortError";
    if (!isAborted && toErrorStatus(error) >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end();
    throw error;
  };
  let returned: T;
  try {
    returned = stage();
  } catch (error) {
    return fail(error);
  }
  if (!isPromiseLike(returned)) {
    span.end();
    return returned;
  }
  return returned.then((value) => {
    span.end();
    return value;
  }, fail) as T;
};
