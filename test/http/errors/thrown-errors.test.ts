import { once } from "node:events";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { Response } from "express";
import createHttpError from "http-errors";
import {
  defaultEndpointsFactory,
  EndpointsFactory,
  ResultHandler,
  type CorsFunction,
  type Result,
  type Routing,
  type ServerConfig,
} from "sallyport";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { z } from "zod";
import {
  type Answer,
  errorEnvelope,
  expectOneLine,
  shortenGrace,
  start,
  successEnvelope,
  type TestServer,
} from "../harness.ts";
import { splitReplies } from "../replies.ts";

const ping = defaultEndpointsFactory.build({ handler: () => ({ pong: true }) });
const internal = errorEnvelope("Internal Server Error");

/** Starts a server without an access log, so that its log is empty at first. */
const startQuietly = async (
  routing: Routing,
  config: Partial<ServerConfig> = {},
): Promise<TestServer> => {
  const server = await start({ ...routing, ping }, { accessLogger: null, ...config });
  server.lines.length = 0;
  return server;
};

/** Starts a server whose `/run` calls the given function. */
const startRun = (
  handler: Parameters<typeof defaultEndpointsFactory.buildVoid>[0]["handler"],
  config: Partial<ServerConfig> = {},
): Promise<TestServer> =>
  startQuietly(
    { run: defaultEndpointsFactory.build({ handler: handler as () => object }) },
    config,
  );

/** Sends the given request and a final one on the same socket, and returns both responses. */
const converse = async (server: TestServer, request: string): Promise<string[]> => {
  const last = "GET /ping HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
  return splitReplies(await server.raw(request + last));
};

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
const pong = /^HTTP\/1\.1 200 .*\{"pong":true\}\}$/s;

const toError = (server: TestServer): unknown =>
  (server.linesOf("error")[0]?.meta as { error: unknown } | undefined)?.error;

/** Expects a server fault: a 500 in the envelope, exactly one logged error, and a connection that stays open. */
const expectFault = async (server: TestServer, path = "/run"): Promise<Answer> => {
  const answer = await server.send(`${path}?token=secret`, {
    headers: { authorization: "secret" },
  });
  expect(answer.status).toBe(500);
  expect(answer.json()).toEqual(internal);
  expect(answer.headers["content-type"]).toBe("application/json; charset=utf-8");
  expect(answer.headers["x-content-type-options"]).toBe("nosniff");
  expect(answer.headers["cache-control"]).toBe("no-store");
  expect(server.linesOf("warn")).toEqual([]);
  const [line, ...others] = server.linesOf("error");
  expect(others).toEqual([]);
  expect(line?.meta).toEqual({ method: "GET", path, error: toError(server) });
  expect(line?.message).toBe("Server fault");
  const [first, second] = await converse(server, get(path));
  expect(first).toMatch(/^HTTP\/1\.1 500 /);
  expect(second).toMatch(pong);
  return answer;
};

const inAnySync = (): never => {
  throw new Error("inner workings");
};
const failing = [inAnySync, async () => inAnySync()];

const throws = (thing: unknown) => (): never => {
  throw thing;
};

beforeEach(() => void vi.stubEnv("NODE_ENV", "production"));
afterEach(() => void vi.unstubAllEnvs());

test.each(failing)("H1: a handler that throws or rejects gets a 500", async (fail) => {
  const server = await startRun(fail);
  await expectFault(server);
  expect(toError(server)).toMatchObject({ message: "inner workings" });
  expect((toError(server) as Error).stack).toContain("inAnySync");
});

test("H1: a middleware that throws or rejects gets a 500", async () => {
  for (const handler of failing) {
    const factory = defaultEndpointsFactory.addMiddleware({ handler });
    await expectFault(await startQuietly({ run: factory.build({ handler: () => ({}) }) }));
  }
});

test("H1: the logged error has the canonical path", async () => {
  const server = await startRun(inAnySync);
  await server.send("/run/?a=1");
  await server.send("http://secret.example.com/run");
  const paths = server.linesOf("error").map(({ meta }) => (meta as { path: string }).path);
  expect(paths).toEqual(["/run", "/run"]);
});

test("H1: outside production, the response shows the message of an error", async () => {
  vi.stubEnv("NODE_ENV", "development");
  const answer = await (await startRun(inAnySync)).send("/run");
  expect([answer.status, answer.json()]).toEqual([500, errorEnvelope("inner workings")]);
});

const { proxy: revoked, revoke } = Proxy.revocable({}, {});
revoke();
const guarded = Object.defineProperty(new Error("x"), "message", { get: inAnySync });
const things = [null, undefined, "text", 404, Symbol("s"), {}, { statusCode: 404 }, guarded];
const throwing = [...things, Object.freeze(new Error("x")), revoked].map(throws);

test.each(throwing)(
  "H2: any thrown value, such as null or a proxy, gets a 500 (%#)",
  async (fail) => {
    await expectFault(await startRun(fail));
  },
);

test("H3: the response to an HTTP error has the error's status, message and headers", async () => {
  const headers = { "Retry-After": "7" };
  const server = await startRun(throws(createHttpError(429, "Slow down", { headers })));
  const answer = await server.send("/run");
  expect([answer.status, answer.json()]).toEqual([429, errorEnvelope("Slow down")]);
  expect(answer.headers["retry-after"]).toBe("7");
  expect(answer.headers["cache-control"]).toBe("no-store");
  expect(server.lines.map(({ severity }) => severity)).toEqual(["debug"]);
  expect((await converse(server, get("/run")))[1]).toMatch(pong);
});

test.each([200, 99, 1000, 399, 600, 404.5, Number.NaN, "404", null])(
  "H4: the status %j of an error is invalid, and becomes 500",
  async (status) => {
    for (const name of ["status", "statusCode"])
      await expectFault(await startRun(throws(Object.assign(new Error("x"), { [name]: status }))));
  },
);

test.each([
  [{ status: 404 }, 404],
  [{ statusCode: 410 }, 410],
  [{ statusCode: 200, status: 409 }, 409],
  [{ statusCode: 409, status: 200 }, 409],
  [{ status: 503 }, 503],
])("H4: an error with %j gets a %i", async (fields, status) => {
  const server = await startRun(throws(Object.assign(new Error("why"), fields)));
  const answer = await server.send("/run");
  expect(answer.status).toBe(status);
  expect(answer.json()).toEqual(errorEnvelope(status < 500 ? "why" : "Service Unavailable"));
});

test.each([403, 503])(
  "H5: invalid header fields of a %i error are dropped individually",
  async (status) => {
    const bad = { "X-A": "a\r\nSet-Cookie: b=c", "X-B": "d\0", "X-C": "\u20ac", "X F": "e" };
    const error = createHttpError(status, "No", { headers: { ...bad, "X-D": "e" } });
    const answer = await expectFault(await startRun(throws(error)));
    expect(answer.headers["x-d"]).toBe("e");
    for (const name of ["x-a", "x-b", "x-c", "x f", "set-cookie"])
      expect(answer.headers[name]).toBeUndefined();
  },
);

test("H5: a handler that sets an invalid header field gets a 500", async () => {
  for (const value of ["a\r\nSet-Cookie: b=c", "a\0", "\u20ac"])
    await expectFault(await startRun(({ response }) => void response.set("X-A", value)));
});

test("H5: a redirect cannot inject a header field", async () => {
  const server = await startRun(({ response }) => response.redirect("/x\r\nSet-Cookie: a=\u20ac"));
  const answer = await server.send("/run");
  expect(answer.headers["set-cookie"]).toBeUndefined();
  expect(answer.headers.location).toBe("/x%0D%0ASet-Cookie:%20a=%E2%82%AC");
});

const circular: Record<string, unknown> = {};
circular["self"] = circular;
const a = z.object({ a: z.string() });

test.each([
  [a, { a: 1 }],
  [a, undefined],
  [a, null],
  [a, { a: Promise.resolve("x") }],
  [a, []],
  [undefined, { a: 1n }],
  [undefined, circular],
  [undefined, { toJSON: inAnySync }],
  [undefined, { a: { toJSON: inAnySync } }],
])(
  "H6: an output that does not fit or cannot be serialised gets a 500 (%#)",
  async (output, returned) => {
    const handler = ({ response }: Result): object => {
      response.set({ "Content-Type": "text/csv", "Cache-Control": "public, max-age=60" });
      return returned as object;
    };
    const run = defaultEndpointsFactory.build({ output, handler: handler as never });
    await expectFault(await startQuietly({ run }));
  },
);

test.each([
  ["returns", () => ({ a: 1 })],
  ["replies again", (response: Result["response"]) => response.json({ second: true })],
  ["ends the response again", (response: Result["response"]) => void response.end("second")],
  ["writes again", (response: Result["response"]) => void response.write("second")],
  ["throws", inAnySync],
  ["rejects", async () => inAnySync()],
])("H7: the first response of a handler is kept if it then %s", async (_then, then) => {
  const server = await startRun(({ response }) => {
    response.status(201).json({ first: true });
    return then(response);
  });
  const [first, second, ...others] = await converse(server, get("/run"));
  expect(first).toMatch(/^HTTP\/1\.1 201 .*\r\n\r\n\{"first":true\}$/s);
  expect(second).toMatch(pong);
  expect(others).toEqual([]);
  expect(server.lines.map(({ severity }) => severity)).toEqual(["warn"]);
  expect(server.lines[0]?.message).toMatch(/already sent/);
});

test("H8: if a handler throws in the middle of its response, the response is cut off and does not end cleanly", async () => {
  const server = await startRun(async ({ response }) => {
    response.write("begun");
    await sleep(20);
    inAnySync();
  });
  const [reply = "", ...others] = await converse(server, get("/run"));
  expect(reply).toMatch(/^HTTP\/1\.1 200 .*begun\r\n$/s);
  expect(others).toEqual([]);
  expect(server.lines.map(({ severity }) => severity)).toEqual(["error"]);
  expect(toError(server)).toMatchObject({ message: "inner workings" });
  await expect(server.send("/run")).rejects.toThrow("aborted");
});

const late = (
  read: (signal: () => AbortSignal) => Promise<unknown>,
  timeout?: number,
): Routing => ({
  run: defaultEndpointsFactory.build({
    ...(timeout !== undefined && { timeout }),
    handler: async (args) => ({ late: await read(() => args.signal) }),
  }),
});

test.each([
  ["the configuration", undefined, 50],
  ["the endpoint", 50, 0],
  ["the endpoint, despite a longer one in the configuration,", 50, 60_000],
])(
  "H9: a handler over the time limit of %s gets a 503",
  async (_place, timeout, requestTimeout) => {
    let seen: AbortSignal | undefined;
    const read = (signal: () => AbortSignal): Promise<unknown> =>
      once((seen = signal()), "abort").then(() => inAnySync());
    const server = await startQuietly(late(read, timeout), { requestTimeout });
    const [first, second, ...others] = await converse(server, get("/run"));
    expect(first).toMatch(/^HTTP\/1\.1 503 .*"code":"SLP_HANDLER_TIMEOUT"\}\}$/s);
    expect(second).toMatch(pong);
    expect(seen?.aborted).toBe(true);
    await sleep(30);
    expect(others).toEqual([]);
    expect(server.lines).toMatchObject([
      { severity: "error", meta: { path: "/run" } },
      { severity: "warn", message: "A request failed after its time limit had expired" },
    ]);
  },
);

test("H9: a handler that first reads its signal after the time limit finds it aborted", async () => {
  const seen: boolean[] = [];
  const read = (signal: () => AbortSignal): Promise<unknown> =>
    sleep(100).then(() => seen.push(signal().aborted));
  const server = await startQuietly(late(read, 30));
  expect((await server.send("/run")).status).toBe(503);
  await expect.poll(() => seen).toEqual([true]);
});

test("H9: a handler that finishes within its time limit responds as usual", async () => {
  const server = await startQuietly(late(() => sleep(20, "x"), 60_000));
  expect((await server.send("/run")).json()).toEqual(successEnvelope({ late: "x" }));
  expect(server.lines).toEqual([]);
});

test("H10: the result for a client that has left is dropped", async () => {
  let isDone = false;
  const server = await startRun(async ({ signal }) => {
    await once(signal, "abort");
    isDone = true;
    return {};
  });
  const socket = await server.open();
  const arrived = server.untilRequest();
  socket.write(get("/run"));
  await arrived;
  socket.destroy();
  await expect.poll(() => isDone).toBe(true);
  await expectOneLine(server, "debug");
});

test.each([
  [
    "passed to writeHead",
    ({ response }: { response: Response }) => response.writeHead(200, "a\r\nb"),
  ],
  [
    "set as statusMessage",
    ({ response }: { response: Response }) => void (response.statusMessage = "ü\n"),
  ],
])("H5: an invalid reason phrase %s causes a 500", async (_name, act) => {
  const server = await startRun(async (args) => {
    act(args);
    return {};
  });
  expect(await server.send("/run")).toMatchObject({ status: 500 });
  expect(server.linesOf("error")).toHaveLength(1);
});

test("H10: a handler that stops because its client has left, even during a stream, is not a fault", async () => {
  let isDone = false;
  const server = await startRun(async ({ response, signal }) => {
    response.write("begun");
    await once(signal, "abort");
    isDone = true;
    signal.throwIfAborted();
  });
  const socket = await server.open();
  socket.write(get("/run"));
  await once(socket, "data");
  socket.destroy();
  await expect.poll(() => isDone).toBe(true);
  await expectOneLine(server, "debug");
});

test("H10: if a client with pipelined requests leaves, the running request is notified, and no other runs", async () => {
  let runs = 0;
  let aborted = 0;
  const server = await startRun(async ({ signal }) => {
    runs++;
    await once(signal, "abort");
    aborted++;
    signal.throwIfAborted();
  });
  const socket = await server.open();
  socket.write(get("/run").repeat(3));
  await expect.poll(() => runs).toBe(1);
  socket.destroy();
  await expect.poll(() => aborted).toBe(1);
  await expectOneLine(server, "debug");
  expect(runs).toBe(1);
});

test("H11: the framework installs no handlers for process events", async () => {
  const events = ["uncaughtException", "unhandledRejection", "SIGTERM", "SIGINT"];
  const before = events.map((event) => process.listenerCount(event));
  const server = await startRun(inAnySync);
  await server.send("/run");
  expect(events.map((event) => process.listenerCount(event))).toEqual(before);
});

test("H12: all requests get responses even if a handler blocks the event loop for longer than their time limits", async () => {
  const block = (): object => {
    const end = performance.now() + 400;
    while (performance.now() < end);
    return { blocked: true };
  };
  const build = (handler: () => object) => defaultEndpointsFactory.build({ handler });
  const echo = defaultEndpointsFactory.build({
    method: "post",
    input: z.object({ a: z.int() }),
    handler: ({ input }) => input,
  });
  const server = await startQuietly(
    { block: build(block), wait: build(async () => sleep(20, { waited: true })), echo },
    { requestTimeout: 200 },
  );
  // when the event loop is blocked, one request has sent half a body, one has a running handler, and two are new
  const socket = await server.open();
  const head = "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n";
  socket.write(`${head}Content-Length: 7\r\n\r\n{"a"`);
  const waiting = server.send("/wait");
  await sleep(5);
  const blocking = server.send("/block");
  const others = [server.send("/ping"), server.send("/nowhere")];
  const half = once(socket, "data");
  socket.write(":1}");
  const answers = await Promise.all([waiting, blocking, ...others]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 404]);
  expect(String((await half)[0])).toMatch(/^HTTP\/1\.1 200 .*\{"a":1\}\}$/s);
  expect(server.linesOf("error")).toEqual([]);
  socket.destroy();
});

test.each([...failing, () => undefined, async () => undefined])(
  "H13: a result handler that fails or sends nothing gets a 500 in plain text (%#)",
  async (handler) => {
    shortenGrace();
    const schema = z.object({});
    const results = new ResultHandler({ positive: schema, negative: schema, handler });
    const run = new EndpointsFactory(results).build({ handler: () => ({}) });
    const server = await startQuietly({ run });
    const [first, second] = await converse(server, get("/run"));
    expect(first).toMatch(/^HTTP\/1\.1 500 .*\r\n\r\nInternal Server Error$/s);
    expect(first).toMatch(/^content-type: text\/plain; charset=utf-8\r$/im);
    expect(first).toMatch(/^cache-control: no-store\r$/im);
    expect(second).toMatch(pong);
    expect(server.linesOf("error")).toMatchObject([{ meta: { path: "/run" } }]);
  },
);

test.each(failing)("H14: a broken logger does not affect responses", async (log) => {
  const logger = { debug: log, info: log, warn: log, error: log };
  const server = await startRun(inAnySync, { logger });
  expect((await server.send("/run")).json()).toEqual(internal);
  expect((await server.send("/ping")).json()).toEqual(successEnvelope({ pong: true }));
  expect((await server.send("/nowhere")).status).toBe(404);
  expect((await converse(server, get("/run")))[1]).toMatch(pong);
});

const cors = (headers: unknown) => () => headers as never;
const origin = "Access-Control-Allow-Origin";

test.each<CorsFunction>([
  ...failing,
  cors("https://a.example"),
  cors({ [origin]: 5 }),
  cors({ [origin]: "https://a.example", "X-A": "b\r\nSet-Cookie: c=d" }),
  cors({ [origin]: "https://a.example", "X\nA": "b" }),
])("H15: a cors function that fails gets a 500 without CORS headers (%#)", async (fail) => {
  let calls = 0;
  const choose: CorsFunction = (args) => (args.request.path === "/run" ? fail(args) : {});
  const server = await startRun(() => void calls++, { cors: choose });
  const { headers } = await expectFault(server);
  expect(Object.keys(headers).join()).not.toMatch(/access-control|set-cookie|x-a/);
  expect(calls).toBe(0);
});

const body = "x".repeat(200_000);
const upload = `POST /run HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

test.each([
  ["never reads", () => undefined],
  ["reads a part of", (stream: Readable) => once(stream, "data").then(() => stream.pause())],
  ["pauses", (stream: Readable) => void stream.pause()],
  ["reads", (stream: Readable) => stream.resume() && once(stream, "end")],
  ["looks at", (stream: Readable) => once(stream, "readable")],
])(
  "H16: after a body that the handler %s, the next request gets a response",
  async (_how, read) => {
    const run = defaultEndpointsFactory.build({
      method: "post",
      handler: async ({ request }) => {
        await read(request);
        return { read: true };
      },
    });
    const server = await startQuietly({ run }, { inputSources: { post: ["params"] } });
    const [first, second, ...others] = await converse(server, upload);
    expect(first).toMatch(/^HTTP\/1\.1 200 .*\{"read":true\}\}$/s);
    expect(second).toMatch(pong);
    expect(others).toEqual([]);
  },
);

const own = { constructor: { value: 2, enumerable: true } };

test("B16: the own properties of a middleware's result except __proto__ are added to the context, which has no prototype", async () => {
  const [polluted, inherited] = [JSON.parse('{"__proto__":{"b":1},"a":1}'), { inherited: 1 }];
  const look = defaultEndpointsFactory
    .addMiddleware({ handler: () => polluted as object })
    .addMiddleware({ handler: () => Object.create(inherited, own) as object })
    .build({
      handler: ({ ctx }) => ({
        keys: Object.keys(ctx).sort(),
        others: ["b" in ctx, "inherited" in ctx, Object.getPrototypeOf(ctx)],
      }),
    });
  const answer = await (await start({ look })).send("/look");
  expect(answer.json()).toEqual(
    successEnvelope({ keys: ["a", "constructor"], others: [false, false, null] }),
  );
});
