import { once } from "node:events";
import { request as httpRequest, type ServerOptions } from "node:http";
import type { Socket } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import createHttpError from "http-errors";
import {
  defaultEndpointsFactory as factory,
  EndpointsFactory,
  ResultHandler,
  type Routing,
  type ServerConfig,
} from "sallyport";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import {
  errorEnvelope,
  start,
  stopClock,
  successEnvelope,
  type TestServer,
  untilStill,
} from "../harness.ts";
import { readAll, toReplies, type Reply } from "../replies.ts";

const ping = factory.build({ handler: () => ({ pong: true }) });
const echo = factory.build({
  method: "post",
  input: z.object({ text: z.string() }),
  output: z.object({ text: z.string() }),
  handler: ({ input }) => input,
});
/** An endpoint that waits for the given number of milliseconds, and responds with that number. */
const wait = factory.build({
  input: z.object({ ms: z.coerce.number() }),
  output: z.object({ ms: z.number() }),
  handler: async ({ input }) => {
    await new Promise((resolve) => setTimeout(resolve, input.ms));
    return input;
  },
});
const routing: Routing = { ping, echo, wait };

const head = (line: string, ...fields: readonly string[]): string =>
  [`${line} HTTP/1.1`, "Host: a", ...fields, "", ""].join("\r\n");
const good = head("GET /ping");
const closing = head("GET /ping", "Connection: close");

const short = {
  ...{ headersTimeout: 300, requestTimeout: 600, connectionsCheckingInterval: 50 },
  keepAliveTimeout: 200,
} satisfies ServerOptions;
const listen = { port: 0, host: "127.0.0.1" };
const withOptions = (options: ServerOptions) => ({ http: { listen, options } });

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

const noReply: Reply = { status: 0, head: "", body: "" };

/** Sends bytes, and expects one response with Connection: close, after which the server closes the socket. */
const expectClosed = async (socket: Socket, bytes: string): Promise<Reply> => {
  socket.write(bytes);
  const { text, isClosed } = await readAll(socket);
  const [reply = noReply, ...others] = toReplies(text);
  expect([reply.head, others]).toEqual([expect.stringMatching(/^connection: close\r?$/im), []]);
  expect(isClosed, "the server closes the connection").toBe(true);
  return reply;
};

/** Sends the given bytes, then a valid request on the same connection, and returns the first response. */
const expectKept = async (server: TestServer, bytes: string): Promise<Reply> => {
  const socket = await server.open();
  socket.write(bytes);
  await once(socket, "readable");
  socket.write(closing);
  const [first = noReply, second, ...others] = toReplies((await readAll(socket)).text);
  expect(first.head).not.toMatch(/^connection: close\r?$/im);
  expect([second?.body, others]).toEqual([JSON.stringify(successEnvelope({ pong: true })), []]);
  return first;
};

const expectEnvelope = ({ head, body }: Reply, message: string): void => {
  expect(head).toMatch(/^content-type: application\/json; charset=utf-8\r?$/im);
  expect(head).toMatch(/^x-content-type-options: nosniff\r?$/im);
  expect(head).toMatch(/^cache-control: no-store\r?$/im);
  expect(JSON.parse(body)).toEqual(errorEnvelope(message));
};

describe("Methods", () => {
  test("W14: CONNECT gets a 405 with Allow, and the connection is closed", async () => {
    const server = await start(routing);
    const reply = await expectClosed(
      await server.open(),
      "CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n",
    );
    expect(reply.status).toBe(405);
    expect(reply.head).toMatch(/^allow: DELETE, GET, PATCH, POST, PUT, QUERY, HEAD, OPTIONS\r?$/im);
    expectEnvelope(reply, "Method Not Allowed");
    expect((await server.send("/ping")).status).toBe(200);
  });

  test.each(["websocket", "h2c", "unheard-of"])(
    "W14: an upgrade to %s is ignored, and handled as an ordinary request",
    async (protocol) => {
      const fields = ["Connection: Upgrade, HTTP2-Settings", `Upgrade: ${protocol}`];
      const reply = await expectKept(
        await start(routing),
        head("GET /ping", ...fields, "HTTP2-Settings: AAMAAABkAAQAAP__"),
      );
      expect(reply.status).toBe(200);
    },
  );

  test.each(["TRACE", "PROPFIND", "PURGE", "OPTIONS"])(
    "W15 and W16: %s gets a 405 with Allow for a known path, and a 404 for an unknown one",
    async (method) => {
      const server = await start(routing);
      const known = await expectKept(server, head(`${method} /ping`));
      expect(known.status).toBe(405);
      expect(known.head).toMatch(/^allow: GET, HEAD\r?$/im);
      expectEnvelope(known, "Method Not Allowed");
      const unknown = await expectKept(server, head(`${method} /none`));
      expect(unknown.status).toBe(404);
      expectEnvelope(unknown, "Not Found");
      expect([...server.linesOf("warn"), ...server.linesOf("error")]).toEqual([]);
    },
  );

  test.each(["get", "Get", "FOO", "GETX", "__proto__"])(
    "W16: the method %s, which the parser does not know, gets a 400",
    async (method) => {
      const reply = await expectClosed(
        await (await start(routing)).open(),
        head(`${method} /ping`),
      );
      expect(reply.status).toBe(400);
      expectEnvelope(reply, "Bad Request");
    },
  );
});

describe("The Expect header", () => {
  const json = "Content-Type: application/json";
  const expecting = "Expect: 100-continue";
  const wrongType = "Unsupported Media Type";

  test("W17: an accepted request gets a 100, and is then served", async () => {
    const server = await start(routing);
    const socket = await server.open();
    socket.write(head("POST /echo", json, "Content-Length: 12", expecting));
    await once(socket, "readable");
    socket.write(`{"text":"x"}${closing}`);
    const replies = toReplies((await readAll(socket)).text);
    expect(replies.map(({ status }) => status)).toEqual([100, 200, 200]);
  });

  test.each([
    ["an unknown path", "POST /none", [json, "Content-Length: 12"], 404, "Not Found"],
    ["a wrong method", "PUT /echo", [json, "Content-Length: 12"], 405, "Method Not Allowed"],
    ["too large a body", "POST /echo", [json, "Content-Length: 9999"], 413, "Content Too Large"],
    ["a wrong type", "POST /echo", ["Content-Type: text/a", "Content-Length: 12"], 415, wrongType],
  ] as const)("W17: %s is rejected without a 100", async (_name, line, fields, status, message) => {
    const server = await start(routing, { bodyLimit: 1000 });
    const reply = await expectClosed(await server.open(), head(line, ...fields, expecting));
    expect(reply.status).toBe(status);
    expectEnvelope(reply, message);
    expect(server.linesOf("error")).toEqual([]);
  });

  const refuse = (): never => {
    throw createHttpError(401, "Who are you?");
  };
  test("W17: a 401 from a hook is sent without a 100", async () => {
    const beforeRouting: ServerConfig["beforeRouting"] = ({ app }) => void app.use(refuse);
    const socket = await (await start({ echo }, { beforeRouting })).open();
    const bytes = head("POST /echo", json, "Content-Length: 12", expecting);
    const reply = await expectClosed(socket, bytes);
    expectEnvelope(reply, "Who are you?");
  });

  test("100 Continue is sent when a handler reads the body itself", async () => {
    const endpoint = factory.build({
      method: "put",
      handler: async ({ request }) => {
        const chunks = await request.toArray();
        return { text: Buffer.concat(chunks as Buffer[]).toString() };
      },
    });
    const server = await start({ a: endpoint }, { inputSources: { put: ["params"] } });
    const answer = await new Promise<string>((resolve, reject) => {
      const request = httpRequest(
        { port: server.port, path: "/a", method: "PUT", headers: { expect: "100-continue" } },
        (response) => void response.setEncoding("utf8").on("data", resolve),
      );
      request.on("continue", () => request.end("hello")).on("error", reject);
    });
    expect(answer).toBe(JSON.stringify(successEnvelope({ text: "hello" })));
  });

  test("W18: an expectation other than 100-continue gets a 417, and the connection is kept", async () => {
    const server = await start(routing);
    const reply = await expectKept(server, head("GET /ping", "Expect: something-else"));
    expect(reply.status).toBe(417);
    expectEnvelope(reply, "Expectation Failed");
    expect(server.linesOf("error")).toEqual([]);
  });
});

describe("Pipelining", () => {
  const waiting = (ms: number): string => head(`GET /wait?ms=${ms}`);
  const statusesOf = async (server: TestServer, bytes: string): Promise<Reply[]> => {
    const socket = await server.open();
    socket.write(bytes);
    return toReplies((await readAll(socket)).text);
  };

  test("W19: pipelined requests get responses in order, and none is lost", async () => {
    const times = Array.from({ length: 40 }, (_, index) => 40 - index);
    const replies = await statusesOf(await start(routing), times.map(waiting).join("") + closing);
    const bodies = replies.slice(0, -1).map(({ body }) => body);
    expect(bodies).toEqual(times.map((ms) => JSON.stringify(successEnvelope({ ms }))));
    expect(replies).toHaveLength(times.length + 1);
  });

  test("W19: a rejected request among pipelined ones does not change the responses to the others", async () => {
    const refused = [head("GET /none"), head("GET /%zz"), head("PUT /ping"), head("TRACE /ping")];
    const bytes = waiting(30) + refused.join(good) + closing;
    const replies = await statusesOf(await start(routing), bytes);
    const statuses = replies.map(({ status }) => status);
    expect(statuses).toEqual([200, 404, 200, 400, 200, 405, 200, 405, 200]);
  });

  test("W19: requests before a malformed one get responses, then the malformed one gets its own, and the connection is closed", async () => {
    const server = await start(routing);
    const socket = await server.open();
    socket.write(`${waiting(80)}${waiting(60)}${good}garbage\r\n\r\n`);
    const { text, isClosed } = await readAll(socket);
    const replies = toReplies(text);
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 400]);
    expect(replies.slice(0, 2).map(({ body }) => body)).toEqual(
      [80, 60].map((ms) => JSON.stringify(successEnvelope({ ms }))),
    );
    expect(isClosed).toBe(true);
    expect(server.linesOf("error")).toEqual([]);
  });

  test("W20: the server stops reading from a client that floods it and reads nothing, and serves other clients", async () => {
    const handler = vi.fn(() => ({ text: "x".repeat(65_536) }));
    const big = factory.build({ output: z.object({ text: z.string() }), handler });
    const server = await start({ big, ping }, { accessLogger: null });
    const socket = (await server.open()).pause();
    const request = head("GET /big", `X-Padding: ${"x".repeat(2000)}`);
    socket.write(request.repeat(5000));
    await expect.poll(() => handler.mock.calls.length).toBeGreaterThan(0);
    expect(await untilStill(() => handler.mock.calls.length)).toBeLessThan(1000);
    expect((await server.send("/ping")).status).toBe(200);
    socket.destroy();
  });
});

describe("Slow clients", () => {
  test("W21: headers that arrive too slowly get a 408, and the warning is sampled", async () => {
    stopClock();
    const server = await start(routing, withOptions(short));
    const begin = Date.now();
    const replies = await Promise.all(
      ["GET /ping HTTP/1.1\r\nHost: a\r\n", "GET /pi"].map(async (bytes) =>
        expectClosed(await server.open(), bytes),
      ),
    );
    expect(Date.now() - begin).toBeGreaterThan(250);
    for (const reply of replies) {
      expect(reply.status).toBe(408);
      expectEnvelope(reply, "Request Timeout");
    }
    expect(server.linesOf("warn")).toHaveLength(1);
    expect(server.linesOf("error")).toEqual([]);
  });

  test.each([
    ["requestTimeout", withOptions(short), 100],
    ["bodyIdleTimeout", { bodyIdleTimeout: 200 }, 5000],
  ])(
    "W22: a body that is too slow for %s gets a 408, and no handler runs",
    async (_name, config, interval) => {
      const handler = vi.fn(() => ({}));
      const slow = factory.build({ method: "post", input: z.object({}), handler });
      const server = await start({ slow, ping }, config);
      const socket = await server.open();
      const fields = ["Content-Type: application/json", "Content-Length: 100"];
      socket.write(`${head("POST /slow", ...fields)}{`);
      const timer = setInterval(() => socket.writable && socket.write(" "), interval);
      const reply = await expectClosed(socket, "");
      clearInterval(timer);
      expect(reply.status).toBe(408);
      expectEnvelope(reply, "Request Timeout");
      expect(handler).not.toHaveBeenCalled();
      expect(server.linesOf("error")).toEqual([]);
      expect((await server.send("/ping")).status).toBe(200);
    },
  );

  test("W23: a response waits for a client that does not read, and is finally dropped with at most a debug line", async () => {
    let produced = 0;
    const isStopped = vi.fn();
    const endless = function* (): Generator<Buffer> {
      try {
        for (; produced < 2e8; produced += 65_536) yield Buffer.alloc(65_536);
      } finally {
        isStopped();
      }
    };
    const stream = factory.build({
      handler: ({ response }) => pipeline(Readable.from(endless()), response).then(() => ({})),
    });
    const server = await start({ stream }, { responseIdleTimeout: 300 });
    const socket = (await server.open()).pause();
    socket.write(head("GET /stream"));
    await expect.poll(() => isStopped.mock.calls.length).toBe(1);
    expect([produced > 0, produced < 5e7]).toEqual([true, true]);
    socket.destroy();
    await pause(20);
    expect([...server.linesOf("warn"), ...server.linesOf("error")]).toEqual([]);
  });

  test.each([
    ["one large response", "/large", 1],
    ["many pipelined responses", "/piece", 400],
  ])(
    "W23: %s to a client that does not read is dropped after a timeout",
    async (_name, path, count) => {
      const server = await start(
        {
          large: factory.build({ handler: () => ({ text: "x".repeat(2e7) }) }),
          piece: factory.build({ handler: () => ({ text: "x".repeat(1e5) }) }),
        },
        { responseIdleTimeout: 200 },
      );
      const socket = (await server.open()).pause();
      const onClose = vi.fn();
      socket.on("error", () => undefined).on("close", onClose);
      const arrived = server.untilRequest();
      socket.write(head(`GET ${path}`).repeat(count));
      await arrived;
      await server.untilLeft();
      socket.destroy();
    },
  );

  test("W23: a timeout that the application has set for the connection is kept", async () => {
    let timeout: number | undefined;
    const own = factory.build({
      handler: async ({ request, response }) => {
        request.socket.setTimeout(60_000);
        response.write("x".repeat(2e7));
        await pause(20);
        timeout = request.socket.timeout;
        response.end();
        return {};
      },
    });
    const socket = (await (await start({ own }, { responseIdleTimeout: 100 })).open()).pause();
    socket.write(head("GET /own"));
    await expect.poll(() => timeout).toBe(60_000);
    socket.destroy();
  });

  test("W23: a slow handler, and a client that reads slowly, are left alone", async () => {
    const server = await start(
      {
        slow: factory.build({
          handler: async ({ response }) => {
            await new Promise((resolve) => response.write("x".repeat(5e6), resolve));
            await pause(1300);
            response.end("y");
            return {};
          },
        }),
      },
      { responseIdleTimeout: 1000 },
    );
    const socket = await server.open();
    let end = "";
    socket.on("data", (piece: Buffer) => {
      end = (end + piece.toString("latin1", Math.max(0, piece.length - 10))).slice(-10);
      socket.pause();
      setTimeout(() => socket.resume(), 1);
    });
    socket.write(head("GET /slow"));
    await expect.poll(() => end).toMatch(/y\r\n0\r\n\r\n$/);
    socket.destroy();
  });

  test("W24: an idle connection is ended after keepAliveTimeout, which is 65 seconds by default", async () => {
    const [byDefault] = (await start(routing)).servers;
    expect(byDefault).toMatchObject({
      ...{ keepAliveTimeout: 65_000, headersTimeout: 15_000, requestTimeout: 60_000 },
    });
    const server = await start(routing, withOptions(short));
    const socket = await server.open();
    const onError = vi.fn();
    socket.on("error", onError).resume();
    socket.write(good);
    const begin = performance.now();
    await once(socket, "end");
    expect(performance.now() - begin).toBeGreaterThan(150);
    expect(onError).not.toHaveBeenCalled();
    expect([...server.linesOf("warn"), ...server.linesOf("error")]).toEqual([]);
  });
});

test.each([
  ["Host, Authorization and others", ["Host: b", "Authorization: Basic eDp5", "X-Role: admin"]],
  ["Content-Language", ["Content-Language: en"]],
])("W25: trailers (%s) never become headers, and the connection is kept", async (_name, fields) => {
  const seen = factory.build({
    method: "post",
    output: z.object({ headers: z.record(z.string(), z.unknown()) }),
    handler: ({ request }) => ({ headers: { ...request.headers } }),
  });
  const chunks = ["2", "{}", "0", ...fields, "", ""].join("\r\n");
  const own = ["Content-Type: application/json", "Transfer-Encoding: chunked"];
  const bytes = head("POST /seen", ...own) + chunks;
  const reply = await expectKept(await start({ seen, ping }), bytes);
  expect(JSON.parse(reply.body)).toEqual(
    successEnvelope({
      headers: { host: "a", "content-type": "application/json", "transfer-encoding": "chunked" },
    }),
  );
});

describe("Responses", () => {
  const strict: Partial<ServerConfig> = {
    accessLogger: ({ res }) => void (res && (res.strictContentLength = true)),
  };

  test("W29: a wrong Content-Length from a handler is never used to frame the response", async () => {
    const wrong = factory.build({
      handler: ({ response }) => void response.setHeader("Content-Length", "5"),
    });
    const server = await start({ wrong, ping }, strict);
    const reply = await expectKept(server, head("GET /wrong"));
    expect([reply.status, JSON.parse(reply.body)]).toEqual([200, successEnvelope({})]);
  });

  test.each([204, 205, 304])("W29: a response with status %i has no body", async (status) => {
    const handler = new ResultHandler({
      ...{ positive: z.object({}), negative: z.object({}) },
      handler: ({ response }) => void response.status(status).json({ unwanted: true }),
    });
    const none = new EndpointsFactory(handler).build({ handler: () => ({}) });
    const reply = await expectKept(await start({ none, ping }, strict), head("GET /none"));
    expect([reply.status, reply.body]).toEqual([status, ""]);
  });

  test.each(["/ping", "/none"])(
    "W29: HEAD %s has the length of GET and no body",
    async (target) => {
      const server = await start(routing, strict);
      const text = await server.raw(head(`HEAD ${target}`, "Connection: close"));
      const { length } = (await server.send(target)).text;
      expect(text).toMatch(new RegExp(`^content-length: ${length}\r$`, "im"));
      expect(text.indexOf("\r\n\r\n")).toBe(text.length - 4);
    },
  );
});
