import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer as createHttpServer, type IncomingMessage } from "node:http";
import { request } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { context, SpanStatusCode, trace } from "@opentelemetry/api";
import { suppressTracing } from "@opentelemetry/core";
import express, { type Express } from "express";
import createHttpError from "http-errors";
import {
  attachRouting,
  defaultEndpointsFactory as factory,
  EventStreamFactory,
  ez,
  ServeStatic,
  type Routing,
} from "sallyport";
import { openTelemetry, type Telemetry } from "sallyport/opentelemetry";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { createCertificate, hasCertificates } from "../../assumptions/certificate.ts";
import { createRecorder, send, start } from "../harness.ts";
import { parentId, traceId, traceparent, useSdk } from "./telemetry-sdk.ts";

const sdk = useSdk();

const getUser = factory.build({
  method: ["get", "post"],
  input: z.object({ id: z.string().regex(/^\d+$/) }),
  handler: async ({ input }) => ({ ...input, span: trace.getActiveSpan()?.spanContext() }),
});
const fail = factory.build({
  handler: () => {
    throw new TypeError("no such thing", { cause: new Error("the database is gone") });
  },
});
const refuse = factory.build({ handler: () => Promise.reject(createHttpError(503, "later")) });
const routing: Routing = { v1: { users: { ":id": getUser }, fail, refuse } };

const startObserved = (more: Parameters<typeof start>[1] = {}, routes = routing) =>
  start(routes, { telemetry: openTelemetry(), ...more });

test("a request has a span and a metric with its route, and its parent from the headers", async () => {
  const server = await startObserved();
  const headers = { traceparent, "user-agent": "a test" };
  const { data } = (await server.send("/v1/users/7?secret=1", { headers })).json() as {
    data: { span: object };
  };
  const [span] = await sdk.untilServed();
  expect(span?.name).toBe("GET /v1/users/:id");
  expect(span?.spanContext()).toMatchObject({ traceId });
  expect(span?.parentSpanContext?.spanId).toBe(parentId);
  expect(data.span).toMatchObject({ traceId, spanId: span?.spanContext().spanId });
  const measured = {
    "http.request.method": "GET",
    "url.scheme": "http",
    "network.protocol.name": "http",
    "network.protocol.version": "1.1",
    "http.route": "/v1/users/:id",
    "http.response.status_code": 200,
  };
  expect(span?.attributes).toEqual({
    ...measured,
    "url.path": "/v1/users/7",
    "network.peer.address": "127.0.0.1",
    "network.peer.port": expect.any(Number) as number,
    "user_agent.original": "a test",
  });
  const [point, ...others] = await sdk.readDurations();
  expect(others).toEqual([]);
  expect(point?.attributes).toEqual(measured);
  expect(point?.value).toMatchObject({
    count: 1,
    buckets: {
      boundaries: [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10],
    },
  });
  expect(point?.value.sum).toBeLessThan(10);
});

const error = SpanStatusCode.ERROR;
const unset = SpanStatusCode.UNSET;

/** Returns the attributes that are expected, undefined if they are not recorded. */
const pick = (attributes: object | undefined, expected: object): object =>
  Object.fromEntries(
    Object.keys(expected).map((name) => [name, Reflect.get(attributes ?? {}, name)]),
  );

describe("what is recorded of", () => {
  test.each([
    ["HEAD", "/v1/users/7", "HEAD /v1/users/:id", 200, unset],
    ["GET", "/v1/users/x", "GET /v1/users/:id", 400, unset],
    ["GET", "/v1/fail", "GET /v1/fail", 500, error],
    ["GET", "/v1/refuse", "GET /v1/refuse", 503, error],
    ["GET", "/unknown", "GET", 404, unset],
    ["DELETE", "/v1/users/7", "DELETE", 405, unset],
    ["PROPFIND", "/v1/users/7", "HTTP", 405, unset],
    ["GET", "/%zz", "GET", 400, unset],
    ["GET", "/files/a.txt", "GET", 200, unset],
  ] as const)("%s %s", async (method, path, name, status, code) => {
    const directory = await mkdtemp(join(tmpdir(), "sallyport-telemetry-"));
    onTestFinished(() => rm(directory, { recursive: true }));
    await writeFile(join(directory, "a.txt"), "a file");
    const server = await startObserved({}, { ...routing, files: new ServeStatic(directory) });
    expect((await server.send(path, { method })).status).toBe(status);
    const [span] = await sdk.untilServed();
    const [, route] = name.split(" ");
    const isKnown = name !== "HTTP";
    const measured = {
      "http.request.method": isKnown ? method : "_OTHER",
      "http.response.status_code": status,
      "http.route": route,
      "error.type": status >= 500 ? String(status) : undefined,
    };
    expect(span).toMatchObject({ name, status: { code } });
    expect(pick(span?.attributes, measured)).toEqual(measured);
    expect(span?.attributes["http.request.method_original"]).toBe(isKnown ? undefined : method);
    const [point] = await sdk.readDurations();
    expect(pick(point?.attributes, measured)).toEqual(measured);
    expect(span?.events.length).toBe(status >= 500 ? 1 : 0);
  });

  test("a request whose head is refused", async () => {
    const server = await startObserved();
    expect(await server.raw("GET /v1/users/7 HTTP/1.1\r\n\r\n")).toContain("400 Bad Request");
    const [span] = await sdk.untilServed();
    expect(span?.name).toBe("GET");
    expect(span?.attributes).toMatchObject({ "http.response.status_code": 400 });
    expect(span?.attributes).not.toHaveProperty(["http.route"]);
  });

  test.skipIf(!hasCertificates)("a request over TLS", async () => {
    const https = { listen: { port: 0, host: "127.0.0.1" }, options: createCertificate() };
    const { port } = await startObserved({ http: undefined, https });
    const asking = request({ port, path: "/v1/users/7", rejectUnauthorized: false, agent: false });
    const [reply] = (await once(asking.end(), "response")) as [IncomingMessage];
    reply.resume();
    const [span] = await sdk.untilServed();
    expect(span?.attributes).toMatchObject({ "url.scheme": "https" });
  });

  test("methods, as an environment variable lists them", async () => {
    vi.stubEnv("OTEL_INSTRUMENTATION_HTTP_KNOWN_METHODS", "GET, PROPFIND");
    onTestFinished(() => void vi.unstubAllEnvs());
    const server = await startObserved();
    await server.send("/", { method: "PROPFIND" });
    await server.send("/", { method: "POST" });
    expect((await sdk.untilServed(2)).map(({ name }) => name)).toEqual(["PROPFIND", "HTTP"]);
  });

  test("methods, if the environment variable is empty", async () => {
    vi.stubEnv("OTEL_INSTRUMENTATION_HTTP_KNOWN_METHODS", "");
    onTestFinished(() => void vi.unstubAllEnvs());
    const server = await startObserved();
    await server.send("/");
    expect((await sdk.untilServed())[0]?.name).toBe("GET");
  });
});

test("a client that leaves is no error, and there is no status if nothing was sent", async () => {
  let isAborted = false;
  const wait = factory.build({
    handler: async ({ signal }) => {
      await once(signal, "abort");
      isAborted = true;
      signal.throwIfAborted();
      return {};
    },
  });
  const server = await startObserved(
    { telemetry: openTelemetry({ spans: ["handler"] }) },
    { wait },
  );
  const socket = await server.open();
  const arrived = server.untilRequest();
  socket.write("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n");
  await arrived;
  socket.destroy();
  const [span] = await sdk.untilServed();
  await expect.poll(() => isAborted).toBe(true);
  await expect.poll(() => sdk.spans.getFinishedSpans().length).toBe(2);
  for (const one of sdk.spans.getFinishedSpans())
    expect(one).toMatchObject({ status: { code: unset }, events: [] });
  expect(span?.attributes).toMatchObject({ "http.route": "/wait" });
  const [point] = await sdk.readDurations();
  for (const attributes of [span?.attributes, point?.attributes])
    for (const name of ["http.response.status_code", "error.type"])
      expect(attributes).not.toHaveProperty([name]);
});

test("a response that a fault breaks off is an error of its name, with the status that was sent", async () => {
  const broken = async function* () {
    yield "a";
    throw new RangeError("no more");
  };
  const stream = factory.build({ output: ez.stream("text/plain"), handler: () => broken() });
  const events = new EventStreamFactory({ tick: z.number() }).build({
    handler: async ({ ctx }) => {
      await ctx.emit("tick", 1);
      throw new RangeError("no more");
    },
  });
  const server = await startObserved({}, { stream, events });
  await expect(server.send("/stream")).rejects.toMatchObject({ code: "ECONNRESET" });
  await expect(server.send("/events")).rejects.toMatchObject({ code: "ECONNRESET" });
  const spans = await sdk.untilServed(2);
  const failed = { "http.response.status_code": 200, "error.type": "RangeError" };
  for (const { status, attributes, events: recorded } of spans) {
    expect(status.code).toBe(SpanStatusCode.ERROR);
    expect(attributes).toMatchObject(failed);
    expect(recorded).toHaveLength(1);
  }
  for (const { attributes } of await sdk.readDurations()) expect(attributes).toMatchObject(failed);
});

test("the span of an event stream ends with the stream", async () => {
  const ticks = new EventStreamFactory({ tick: z.number() }).build({
    handler: async ({ ctx }) => {
      expect(sdk.spans.getFinishedSpans()).toEqual([]);
      await ctx.emit("tick", 1);
    },
  });
  const server = await startObserved({}, { ticks });
  expect((await server.send("/ticks")).text).toContain("data: 1");
  const [span] = await sdk.untilServed();
  expect(span).toMatchObject({ name: "GET /ticks", status: { code: unset } });
});

test.each([
  [undefined, 1, 0],
  ["logs", 0, 1],
  ["http, logs/dup", 1, 1],
])("the cause of a 500 is recorded as %s asks", async (signal, events, records) => {
  if (signal !== undefined) vi.stubEnv("OTEL_SEMCONV_EXCEPTION_SIGNAL_OPT_IN", signal);
  onTestFinished(() => void vi.unstubAllEnvs());
  const server = await startObserved();
  await server.send("/v1/fail");
  const [span] = await sdk.untilServed();
  expect(span?.events.length).toBe(events);
  const attributes = {
    "exception.type": "TypeError",
    "exception.message": "no such thing",
    "exception.stacktrace": expect.stringContaining("telemetry.test.ts") as string,
  };
  for (const event of span?.events ?? [])
    expect(event).toMatchObject({ name: "exception", attributes });
  const logged = sdk.logs.getFinishedLogRecords();
  expect(logged.length).toBe(records);
  for (const record of logged) {
    expect(record).toMatchObject({ eventName: "http.server.request.exception", attributes });
    expect(record.spanContext).toMatchObject({ spanId: span?.spanContext().spanId });
  }
});

test("a fault is recorded even if result handlers log it", async () => {
  const server = await startObserved({ logFaults: false });
  await server.send("/v1/fail");
  expect((await sdk.untilServed())[0]?.events.length).toBe(1);
});

test("requests on one connection do not share a context", async () => {
  const server = await startObserved();
  const request = "GET /v1/users/7 HTTP/1.1\r\nHost: a\r\n\r\n";
  const last = request.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n");
  const text = await server.raw(request.repeat(3) + last);
  const served = await sdk.untilServed(4);
  const ids = served.map((span) => span.spanContext().traceId);
  expect(new Set(ids).size).toBe(4);
  expect([...text.matchAll(/"traceId":"(\w+)"/g)].map(([, id]) => id)).toEqual(ids);
  for (const span of served) expect(span.parentSpanContext).toBeUndefined();
});

test("a server that is started within a span, or serves another request, has traces of its own", async () => {
  const outer = factory.build({
    handler: async () => {
      const inner = await startObserved();
      return { status: (await inner.send("/v1/users/7")).status };
    },
  });
  const tracer = trace.getTracer("test");
  const server = await tracer.startActiveSpan("startup", () => startObserved({}, { outer }));
  await server.send("/outer");
  const served = await sdk.untilServed(2);
  expect(served.map(({ name }) => name)).toEqual(["GET /v1/users/:id", "GET /outer"]);
  for (const span of served) expect(span.parentSpanContext).toBeUndefined();
});

test("a request whose tracing is suppressed is not observed", async () => {
  const server = await startObserved({ requestId: true });
  const [own] = server.servers;
  const emit = own?.emit.bind(own) as (name: string, ...args: unknown[]) => boolean;
  vi.spyOn(own as { emit: typeof emit }, "emit").mockImplementation((...args) =>
    context.with(suppressTracing(context.active()), () => emit(...args)),
  );
  expect((await server.send("/v1/users/7")).status).toBe(200);
  expect(sdk.spans.getFinishedSpans()).toEqual([]);
  expect(await sdk.readDurations()).toEqual([]);
  const [line] = server.linesOf("debug");
  expect(line?.meta).toHaveProperty("requestId");
  expect(line?.meta).not.toHaveProperty("trace_id");
});

test("telemetry that fails fails no request", async () => {
  const error = new Error("broken");
  const throwIt = (): never => {
    throw error;
  };
  const broken: Telemetry = { begin: throwIt, tracePlan: (plan) => plan };
  const { logger, lines } = createRecorder();
  const first = await start(routing, { telemetry: broken, logger });
  expect((await first.send("/v1/users/7")).status).toBe(200);
  const begin = () => ({
    logFields: {},
    run: <T>(serve: () => T): T => serve(),
    recordFault: throwIt,
    end: throwIt,
  });
  const second = await start(routing, { telemetry: { ...broken, begin }, logger });
  expect((await second.send("/v1/fail")).status).toBe(500);
  const late = <T>(serve: () => T): T => {
    serve();
    throw error;
  };
  for (const run of [throwIt, late]) {
    const telemetry = { ...broken, begin: () => ({ ...begin(), run, end: () => undefined }) };
    const third = await start(routing, { telemetry, logger });
    expect((await third.send("/v1/users/7")).status).toBe(200);
  }
  const failed = () => lines.filter(({ message }) => message === "The telemetry failed");
  await expect.poll(() => failed().length).toBe(5);
  for (const { meta } of failed()) expect(meta).toEqual({ error });
});

test("invalid options are refused", async () => {
  expect(() => openTelemetry({ spans: ["handlers" as "handler"] })).toThrow(
    'openTelemetry: `spans` must be an array of "middlewares", "validation", "handler"; got ["handlers"].',
  );
  expect(() => openTelemetry({ span: [] } as object)).toThrow(
    "openTelemetry: there is no option `span`",
  );
  await expect(start(routing, { telemetry: {} as never })).rejects.toThrow(
    "The `telemetry` option must be what `openTelemetry()` of sallyport/opentelemetry returns; got {}.",
  );
});

describe("on an application of the user's own", () => {
  const serve = async (app: Express) => {
    const server = createHttpServer(app).listen(0, "127.0.0.1");
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    return async (path: string) => (await send(port, path)).status;
  };
  const config = { cors: false, logger: { level: "silent" }, telemetry: openTelemetry() } as const;

  test("the route includes the path at which the API is mounted", async () => {
    const app = express();
    const router = express.Router();
    const tenants = express();
    app.use("/api", router);
    app.use("/tenants/:tenant", tenants);
    for (const one of [router, tenants]) attachRouting({ ...config, app: one }, routing);
    attachRouting({ ...config, app: router }, { "/": getUser, "more/:id": getUser });
    const { notFoundHandler } = attachRouting({ ...config, app }, { "own/:id": getUser });
    app.get("/legacy/:id", (_request, response) => void response.send("old"));
    app.use(notFoundHandler);
    const ask = await serve(app);
    for (const [path, status, name] of [
      ["/api/v1/users/7", 200, "GET /api/v1/users/:id"],
      ["/aPi/v1/users/7", 200, "GET /api/v1/users/:id"],
      ["/api?id=7", 200, "GET /api"],
      ["/api/more/7", 200, "GET /api/more/:id"],
      ["/tenants/acme/v1/users/7", 200, "GET /tenants/:tenant/v1/users/:id"],
      ["/own/7", 200, "GET /own/:id"],
      ["/legacy/7", 200, "GET /legacy/:id"],
      ["/unknown", 404, "GET"],
    ] as const) {
      sdk.spans.reset();
      expect([path, await ask(path)]).toEqual([path, status]);
      expect((await sdk.untilServed()).map((span) => span.name)).toEqual([name]);
    }
  });

  test.each([
    ["/literal", "/literal/v1/users/7", "/literal/v1/users/:id"],
    ["/Literal/", "/lITERAL/v1/users/7", "/Literal/v1/users/:id"],
    ["/a/:b", "/A/b/v1/users/7", "/a/:b/v1/users/:id"],
    [["/x", "/y"], "/x/v1/users/7", "/v1/users/:id"],
    ["/files/*rest/api", "/files/1/2/api/v1/users/7", "/v1/users/:id"],
    ["/files/*rest/api", "/files/1/api/v1/users/7", "/v1/users/:id"],
    ["{/:lang}/opt", "/en/opt/v1/users/7", "/v1/users/:id"],
    ["/:from-:to", "/a-b/v1/users/7", "/v1/users/:id"],
    [/^\/re\d+/, "/re123/v1/users/7", "/v1/users/:id"],
  ] as const)("the route has no text of the client: %s, %s", async (mount, path, route) => {
    const app = express();
    const inner = express();
    app.use(mount as string, inner);
    attachRouting({ ...config, app: inner }, routing);
    const ask = await serve(app);
    expect(await ask(path)).toBe(200);
    expect((await sdk.untilServed())[0]?.attributes["http.route"]).toBe(route);
  });

  test("the paths of routers are left out once there are too many of them", async () => {
    const app = express();
    const router = express.Router();
    app.use("/of/:tenant", router);
    attachRouting({ ...config, app: router }, routing);
    const ask = await serve(app);
    const names = new Set<string>();
    for (let tenant = 0; tenant < 30; tenant++) {
      sdk.spans.reset();
      expect(await ask(`/of/${tenant}/v1/users/7`)).toBe(200);
      for (const { name } of await sdk.untilServed()) names.add(name);
    }
    expect(names).toContain("GET /v1/users/:id");
    expect(names.size).toBeLessThan(11);
  });

  test("the application of a server is observed wherever it is mounted, once", async () => {
    const { app } = await startObserved({ beforeRouting: () => undefined });
    const outer = express();
    outer.use("/inner", app);
    const ask = await serve(outer);
    expect(await ask("/inner/v1/users/7")).toBe(200);
    expect((await sdk.untilServed())[0]?.name).toBe("GET /inner/v1/users/:id");
  });
});
