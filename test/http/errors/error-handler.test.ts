import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import express from "express";
import createHttpError from "http-errors";
import {
  attachRouting,
  createConfig,
  defaultEndpointsFactory,
  defaultResultHandler,
  ez,
  problemEndpointsFactory,
  problemResultHandler,
  ResultHandler,
  ServeStatic,
  type CorsFunction,
  type Routing,
  type ServerConfig,
} from "sallyport";
import { createClient } from "sallyport/client";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { createRecorder, errorEnvelope, send, start, type Answer, type Sent } from "../harness.ts";

/** A result handler that sends everything that it receives. */
const teapots = new ResultHandler({
  positive: (data) => data,
  negative: z.object({ oops: z.string() }),
  handler: ({ error, output, input, ctx, response }) => {
    response
      .status(error?.statusCode ?? 500)
      .json({ oops: error?.message ?? "none", input, output, ctx: { ...ctx } });
  },
});
const oops = (message: string) => ({ oops: message, input: null, output: null, ctx: {} });

const input = z.looseObject({});
const handler = () => ({});
const definition = { method: "post", bodyLimit: 64, input, handler } as const;
const routing = {
  v1: {
    item: defaultEndpointsFactory.build(definition),
    file: defaultEndpointsFactory.build({ method: "post", input: ez.raw(), handler }),
  },
  v2: {
    item: problemEndpointsFactory.build(definition),
    file: problemEndpointsFactory.build({ method: "post", input: ez.raw(), handler }),
  },
} satisfies Routing;

const problemType = "application/problem+json; charset=utf-8";
const expectProblem = (answer: Answer, status: number, detail: string): void => {
  expect([answer.status, answer.headers["content-type"]]).toEqual([status, problemType]);
  expect(answer.json()).toMatchObject({ detail });
};
const expectDefault = (answer: Answer, status: number, message: string): void =>
  expect([answer.status, answer.json()]).toEqual([status, errorEnvelope(message)]);
const expectOops = (answer: Answer, status: number, message: string): void =>
  expect([answer.status, answer.json()]).toEqual([status, oops(message)]);

const refuseAll = (): never => {
  throw createHttpError(401, "Sign in");
};
const asPost = (body = "{}", headers: Sent["headers"] = {}): Sent => ({
  method: "POST",
  body,
  headers: { "content-type": "application/json", ...headers },
});
const form = { "content-type": "application/x-www-form-urlencoded" };

const early: readonly [string, Sent, number, string, Partial<ServerConfig>?][] = [
  ["malformed JSON", asPost("{]"), 400, "Invalid JSON"],
  ["a large body", asPost(`{"a":"${"x".repeat(64)}"}`), 413, "Content Too Large"],
  ["a large form", asPost(`a=${"x".repeat(64)}`, form), 413, "Content Too Large"],
  [
    "an unknown charset",
    asPost("{}", { "content-type": "application/json; charset=utf-16" }),
    415,
    "Unsupported charset",
  ],
  [
    "an unknown encoding",
    asPost("{}", { "content-encoding": "zip" }),
    415,
    "Unsupported content encoding",
  ],
  ["a wrong method", { method: "PUT" }, 405, "Method Not Allowed"],
  [
    "a form from another site",
    asPost("a=1", { ...form, "sec-fetch-site": "cross-site", origin: "https://evil.example" }),
    403,
    "Forms from other sites are not accepted",
  ],
  ["a rejection by the cors function", asPost(), 401, "Sign in", { cors: refuseAll }],
  [
    "a rejection of a wrong method by the cors function",
    { method: "PUT" },
    401,
    "Sign in",
    { cors: refuseAll },
  ],
  [
    "a rejection by `childLoggerProvider`",
    asPost(),
    401,
    "Sign in",
    { childLoggerProvider: refuseAll },
  ],
  [
    "a rejection by a hook's middleware",
    asPost(),
    401,
    "Sign in",
    { beforeRouting: ({ app }) => void app.use(refuseAll) },
  ],
];

describe("an error of an endpoint's path goes to the endpoint's own result handler", () => {
  test.each(early)("%s", async (_what, sent, status, message, config) => {
    const server = await start(routing, { ...config, errorHandler: teapots });
    expectDefault(await server.send("/v1/item", sent), status, message);
    const problem = await server.send("/v2/item", sent);
    expectProblem(problem, status, status === 405 ? "Method Not Allowed" : message);
    expect(problem.headers.allow).toBe(status === 405 ? "POST" : undefined);
    expect(server.linesOf("error")).toEqual([]);
  });

  test("a body that stalls", async () => {
    const server = await start(routing, { errorHandler: teapots, bodyIdleTimeout: 20 });
    const head =
      "HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{";
    expect(await server.raw(`POST /v1/item ${head}`)).toMatch(/^HTTP\/1.1 408 .*"error":\{"mess/s);
    expect(await server.raw(`POST /v2/item ${head}`)).toMatch(/^HTTP\/1.1 408 .*"about:blank"/s);
  });

  test("the client's types tell the truth", async () => {
    const { port } = await start(routing, { errorHandler: problemResultHandler });
    const client = createClient<typeof routing>({ baseUrl: `http://127.0.0.1:${port}` });
    const [one, two] = await Promise.all([
      client.request("post /v1/item", { a: "x".repeat(64) }),
      client.request("post /v2/item", { a: "x".repeat(64) }),
    ]);
    const text = "Content Too Large";
    expect(one.status === 413 && one.body.error.message).toBe(text);
    expect(two.status === 413 && two.body.detail).toBe(text);
  });
});

test("a 405 goes to the endpoint that matches the path best, and to the first in the map of those", async () => {
  const build = (factory: Pick<typeof defaultEndpointsFactory, "build">) =>
    factory.build({ input, handler });
  const [plain, problem] = [
    build(defaultEndpointsFactory),
    build(problemEndpointsFactory as never),
  ];
  const server = await start({
    "get other": plain,
    "delete item": problem,
    "get item": plain,
    "put :id": problem,
    "get me": plain,
  });
  expectProblem(await server.send("/item", { method: "PATCH" }), 405, "Method Not Allowed");
  expectDefault(await server.send("/me", { method: "PATCH" }), 405, "Method Not Allowed");
});

describe("`errorHandler`", () => {
  test.each([
    ["an unknown path", "/absent", "GET", 404, "Not Found", {}],
    ["malformed percent-encoding", "/v1/%zz", "GET", 400, "Malformed path", {}],
    ["a wrong method as a 404", "/v1/item", "GET", 404, "Not Found", { wrongMethodBehavior: 404 }],
  ] as const)("handles %s", async (_what, target, method, status, message, config) => {
    const server = await start(routing, { ...config, errorHandler: teapots });
    expectOops(await server.send(target, { method }), status, message);
  });

  test("is replaced by a 500 in plain text if it throws, and the server keeps running", async () => {
    const broken = new ResultHandler({
      positive: (data) => data,
      negative: z.object({}),
      handler: () => {
        throw new Error("broken handler");
      },
    });
    const server = await start(routing, { errorHandler: broken });
    for (const target of ["/absent", "/%zz"]) {
      const { status, text, headers } = await server.send(target);
      expect([status, text]).toEqual([500, "Internal Server Error"]);
      expect(headers["content-type"]).toBe("text/plain; charset=utf-8");
      expect(headers["cache-control"]).toBe("no-store");
    }
    expect(server.linesOf("error")).toHaveLength(2);
    expect((await server.send("/v1/item", asPost())).status).toBe(200);
  });
});

const byPrefix = { "/v2": problemResultHandler, "/v2/old": defaultResultHandler, "/": teapots };

describe("`errorHandler` by prefix", () => {
  test("is that of the longest prefix, whose segments are whole", async () => {
    const server = await start(routing, { errorHandler: byPrefix });
    for (const target of ["/v2", "/v2/absent", "/v2/absent/?a=/v2/old", "/%762/absent"])
      expectProblem(await server.send(target), 404, "Not Found");
    expectProblem(await server.send("/v2/%zz"), 400, "Malformed path");
    for (const target of ["/v2/old", "/v2/old/absent"])
      expectDefault(await server.send(target), 404, "Not Found");
    for (const target of ["/", "/v20", "/v1/v2", "/V2/absent"])
      expectOops(await server.send(target), 404, "Not Found");
  });

  test("matches letters of any case if routes do", async () => {
    const server = await start(routing, { errorHandler: byPrefix, caseSensitive: false });
    expectProblem(await server.send("/V2/absent"), 404, "Not Found");
  });

  test("is the default one for paths without a prefix if `/` is missing", async () => {
    const server = await start(routing, { errorHandler: { "/v2": problemResultHandler } });
    expectDefault(await server.send("/v1/absent"), 404, "Not Found");
  });

  test("also answers paths that hooks have passed on", async () => {
    const server = await start(routing, {
      errorHandler: byPrefix,
      cors: (() => ({})) as CorsFunction,
      afterRouting: ({ app }) => void app.use((_request, _response, next) => next()),
    });
    expectProblem(await server.send("/v2/absent"), 404, "Not Found");
  });

  test("is relative to the path where the router of an API is mounted", async () => {
    const api = express.Router();
    const { logger } = createRecorder();
    const config = createConfig({ app: api, cors: false, logger, errorHandler: byPrefix });
    const { notFoundHandler } = attachRouting(config, routing);
    const server = createHttpServer(express().use("/api", api).use(notFoundHandler));
    onTestFinished(() => void server.close());
    await once(server.listen(0, "127.0.0.1"), "listening");
    const { port } = server.address() as AddressInfo;
    expectProblem(await send(port, "/api/v2/absent"), 404, "Not Found");
    expectOops(await send(port, "/api/absent"), 404, "Not Found");
    // this request has never reached the API
    expectOops(await send(port, "/v2/absent"), 404, "Not Found");
  });
});

test("errors of later layers go to the error handler, although a guard of files has passed the request on", async () => {
  const directory = await mkdtemp(join(tmpdir(), "sallyport-error-handler-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  const guard = problemEndpointsFactory.addMiddleware({ handler: () => ({}) });
  const server = await start(
    { files: new ServeStatic(directory, {}, guard) },
    {
      errorHandler: teapots,
      afterRouting: ({ app }) => void app.use((_request, response) => response.sendFile("/none")),
    },
  );
  expect((await server.send("/files/none")).text).toContain("oops");
});
