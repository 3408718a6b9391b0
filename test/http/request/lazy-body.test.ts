import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Socket } from "node:net";
import express, { type Request, type RequestHandler } from "express";
import createHttpError from "http-errors";
import {
  defaultEndpointsFactory as factory,
  ez,
  problemEndpointsFactory,
  ResultHandler,
  type ServerConfig,
} from "sallyport";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { errorEnvelope, start, successEnvelope } from "../harness.ts";
import { listStatuses } from "../replies.ts";

const refuse = (): never => {
  throw createHttpError(401, "Who are you?");
};
const guarded = factory.addMiddleware({ handler: refuse });
const input = z.looseObject({});
const act = guarded.build({ method: "post", input, handler: () => ({}) });
const json = { "content-type": "application/json" };
const head = (line: string, ...fields: readonly string[]): string =>
  [`${line} HTTP/1.1`, "Host: a", ...fields, "", ""].join("\r\n");
const good = head("GET /ping");
const ping = factory.build({ handler: () => ({ pong: true }) });

const readUntil = (socket: Socket, count: number): Promise<readonly number[]> =>
  new Promise((resolve) => {
    let text = "";
    socket.on("data", (piece: Buffer) => {
      text += piece.toString("latin1");
      const statuses = listStatuses(text);
      if (statuses.length >= count) resolve(statuses);
    });
    socket.once("close", () => resolve(listStatuses(text)));
  });

describe("B23: a middleware can reject a request before its body is read", () => {
  test.each([
    ["that is malformed", "{", json],
    ["of another type", "x", { "content-type": "text/plain" }],
    ["that is too large", JSON.stringify({ a: "x".repeat(2000) }), json],
    ["with a forbidden key", '{"__proto__":{}}', json],
  ])("a body %s gets a 401", async (_name, body, headers) => {
    const server = await start({ act }, { bodyLimit: 1000 });
    const answer = await server.send("/act", { method: "POST", headers, body });
    expect([answer.status, answer.json()]).toEqual([401, errorEnvelope("Who are you?")]);
  });

  test("W17: a client that waits for a 100 gets a 401 and no 100", async () => {
    const server = await start({ act });
    const socket = await server.open();
    socket.write(head("POST /act", "Content-Length: 5", "Expect: 100-continue"));
    expect(await readUntil(socket, 2)).toEqual([401]);
  });

  test("W17: a middleware that listens for something else than the body asks for none", async () => {
    const listening = factory
      .use((request, _response, next) => {
        request.on("close", () => undefined);
        next(createHttpError(401));
      })
      .build({ method: "post", input: z.object({}), handler: () => ({}) });
    const socket = await (await start({ act: listening })).open();
    socket.write(head("POST /act", "Content-Length: 5", "Expect: 100-continue"));
    expect(await readUntil(socket, 2)).toEqual([401]);
  });

  test("a rejected upload leaves no temporary file, and hardly any of it is read", async () => {
    const directory = await mkdtemp(join(tmpdir(), "sallyport-lazy-"));
    onTestFinished(() => rm(directory, { recursive: true }));
    const beforeUpload = vi.fn();
    const upload = guarded.build({
      method: "post",
      input: z.object({ file: ez.upload() }),
      handler: () => ({}),
    });
    const options = { tempFileDir: directory, limits: { memory: 0 }, beforeUpload };
    const server = await start({ upload }, { upload: options });
    const sockets: Socket[] = [];
    server.servers[0]?.on("connection", (socket: Socket) => sockets.push(socket));
    const socket = await server.open();
    const size = 10 * 1_048_576;
    const fields = ["Content-Type: multipart/form-data; boundary=b", `Content-Length: ${size}`];
    const part = '--b\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n';
    socket.write(head("POST /upload", ...fields) + part);
    const statuses = readUntil(socket, 1);
    for (let sent = part.length; sent < size; sent += 65_536) socket.write(Buffer.alloc(65_536));
    expect(await statuses).toEqual([401]);
    await new Promise((resolve) => socket.once("close", resolve));
    expect(sockets[0]?.bytesRead).toBeLessThan(131_072);
    expect(beforeUpload).not.toHaveBeenCalled();
    expect(await readdir(directory)).toEqual([]);
  });

  test("B20: the 401 that a native middleware writes with `writeHead` leaves a long body unread", async () => {
    const endpoint = factory
      .use((_request, response) => void response.writeHead(401).end("no"))
      .build({ method: "post", handler: () => ({}) });
    const server = await start({ x: endpoint });
    const reply = await server.raw(
      "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 9000000\r\n\r\nx",
    );
    expect(reply).toMatch(/^HTTP\/1\.1 401 /);
    expect(reply).toMatch(/^connection: close\r$/im);
  });

  test("the connection stays open if little of the body is left to read", async () => {
    const socket = await (await start({ act, ping })).open();
    const body = "x".repeat(5000);
    socket.write(head("POST /act", "Content-Length: 5000") + body + good);
    expect(await readUntil(socket, 2)).toEqual([401, 200]);
    socket.destroy();
  });

  test.each([
    ["of known length", ["Content-Length: 200000"], "x".repeat(200_000)],
    ["in chunks", ["Transfer-Encoding: chunked"], `30d40\r\n${"x".repeat(200_000)}\r\n0\r\n\r\n`],
  ])("the connection is closed after a long body %s", async (_name, fields, body) => {
    const socket = await (await start({ act, ping })).open();
    const statuses = readUntil(socket, 2);
    socket.write(head("POST /act", ...fields));
    for (let at = 0; at < body.length; at += 20_000) {
      if (!socket.writable) break;
      socket.write(body.slice(at, at + 20_000));
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    if (socket.writable) socket.write(good);
    expect(await statuses).toEqual([401]);
  });
});

describe("the body is read when the first stage needs it", () => {
  const bodyOf = (native: RequestHandler, options = {}) =>
    factory.use(native, options).build({
      method: "post",
      input: z.looseObject({}),
      handler: ({ input: seen, request }) => ({ input: seen, body: request.body as unknown }),
    });

  test("a native body parser reads the body, as on Express", async () => {
    const server = await start({
      text: factory.use(express.text()).build({
        method: "post",
        handler: ({ request }) => ({ text: request.body as unknown }),
      }),
      raw: factory.use(express.raw()).build({
        method: "post",
        handler: ({ request }) => ({ size: (request.body as Buffer).length }),
      }),
      form: bodyOf(express.urlencoded({ extended: true })),
    });
    const send = async (path: string, type: string, body: string) =>
      (await server.send(path, { method: "POST", headers: { "content-type": type }, body })).json();
    expect(await send("/text", "text/plain", "hi")).toEqual(successEnvelope({ text: "hi" }));
    const bytes = "application/octet-stream";
    expect(await send("/raw", bytes, "four")).toEqual(successEnvelope({ size: 4 }));
    const form = await send("/form", "application/x-www-form-urlencoded", "a[b]=1");
    expect(form).toMatchObject({ data: { input: { a: { b: "1" } } } });
  });

  test("a native middleware with the `body` option gets the parsed body, and the body that it sets is the input", async () => {
    const clean: RequestHandler = (request, _response, next) => {
      const { name } = request.body as { name: string };
      request.body = { name: name.replace(/</g, "") };
      next();
    };
    const server = await start({ clean: bodyOf(clean, { body: true }) });
    const answer = await server.send("/clean", { method: "POST", body: { name: "<b>" } });
    const left = { name: "b>" };
    expect(answer.json()).toEqual(successEnvelope({ input: left, body: left }));
  });

  test("a middleware with an input schema, or with `body: true`, makes the body available to later middlewares", async () => {
    const seen: unknown[] = [];
    const look: RequestHandler = (request, _response, next) => {
      seen.push(request.body);
      next();
    };
    const build = (start: typeof factory) =>
      start.use(look).build({ method: "post", input, handler: () => ({}) });
    const asking = factory.addMiddleware({
      input: z.object({ a: z.number() }),
      handler: () => ({}),
    });
    const explicit = factory.addMiddleware({ body: true, handler: () => ({}) });
    const server = await start({
      plain: build(factory),
      asking: build(asking),
      explicit: build(explicit),
    });
    for (const path of ["/plain", "/asking", "/explicit"])
      await server.send(path, { method: "POST", body: { a: 1 } });
    expect(seen).toEqual([undefined, { a: 1 }, { a: 1 }]);
  });

  test("a middleware that accesses an unread body causes one warning that names the fix", async () => {
    const look: RequestHandler = (request, _response, next) => next(request.body && undefined);
    const server = await start({ look: bodyOf(look), parsed: bodyOf(express.json()) });
    for (const path of ["/look", "/look", "/parsed"])
      expect((await server.send(path, { method: "POST", body: { a: 1 } })).json()).toMatchObject({
        data: { input: { a: 1 }, body: { a: 1 } },
      });
    expect(server.linesOf("warn").map(({ message }) => message)).toEqual([
      expect.stringMatching(/^SLP_WARN_UNREAD_BODY: .*POST \/look.*body: true/),
    ]);
  });

  test("a middleware that fails because the body is unread causes the warning too", async () => {
    const readName = ({ request }: { request: Request }): string =>
      (request.body as { name: string }).name;
    const build = (start: typeof factory) => start.build({ method: "post", handler: () => ({}) });
    const server = await start({
      plain: build(factory.addContext(async (_ctx, args) => ({ name: readName(args) }))),
      sync: build(factory.addMiddleware({ handler: (args) => ({ name: readName(args) }) })),
      native: build(factory.use((request) => void readName({ request }))),
    });
    for (const path of ["/plain", "/sync", "/native"])
      expect(await server.send(path, { method: "POST", body: { name: "a" } })).toMatchObject({
        status: 500,
      });
    expect(server.linesOf("warn").map(({ message }) => message)).toEqual(
      ["plain", "sync", "native"].map((path) =>
        expect.stringMatching(`^SLP_WARN_UNREAD_BODY: .*POST /${path} .*body: true`),
      ),
    );
  });

  test("a middleware that checks whether the body was read, and otherwise reads the stream itself, causes no warning", async () => {
    const answer: RequestHandler = async (request, response) => {
      let text = "";
      // graphql-http does so
      if (!request.body) for await (const piece of request) text += String(piece);
      response.send(text);
    };
    const server = await start({ own: bodyOf(answer) });
    expect((await server.send("/own", { method: "POST", body: { a: 1 } })).text).toBe('{"a":1}');
    expect(server.linesOf("warn")).toEqual([]);
  });

  test("B21: bytes and strings that a middleware sets as `request.body` are parsed by their content type", async () => {
    const put =
      (body: unknown): RequestHandler =>
      (request, _response, next) => {
        request.body = body;
        next();
      };
    const asForm = "application/x-www-form-urlencoded";
    const server = await start({
      bytes: bodyOf(put(Buffer.from('{"a":1}'))),
      text: bodyOf(put('{"a":1}')),
      form: bodyOf(put("a=1")),
      wrong: bodyOf(put("{")),
    });
    const send = (path: string, type = "application/json") =>
      server.send(path, { method: "POST", headers: { "content-type": type } });
    expect((await send("/bytes")).json()).toMatchObject({ data: { input: { a: 1 } } });
    expect((await send("/text")).json()).toMatchObject({ data: { input: { a: 1 } } });
    expect((await send("/form", asForm)).json()).toMatchObject({ data: { input: { a: "1" } } });
    expect((await send("/wrong")).status).toBe(400);
  });
});

describe("changes that a native middleware makes to the request reach the input", () => {
  test("in the query and the cookies", async () => {
    const endpoint = factory
      .use((request, _response, next) => {
        Object.defineProperty(request, "query", { value: { a: "own" }, configurable: true });
        Object.assign(request, { cookies: { sid: "1" } });
        next();
      })
      .build({ input: z.looseObject({}), handler: ({ input: seen }) => seen });
    const server = await start({ x: endpoint }, { inputSources: { get: ["query", "cookies"] } });
    expect((await server.send("/x?a=sent")).json()).toEqual(
      successEnvelope({ a: "own", sid: "1" }),
    );
  });
});

test("a query is parsed again when a middleware rewrites the URL", async () => {
  const endpoint = factory.build({
    input: z.looseObject({}),
    handler: async ({ input }) => input,
  });
  const server = await start(
    { q: endpoint },
    {
      beforeRouting: ({ app }) => {
        app.use((request, _response, next) => {
          if (request.query["a"] === "1") request.url = "/q?b=2";
          next();
        });
      },
    },
  );
  expect((await server.send("/old?a=1")).json()).toEqual(successEnvelope({ b: "2" }));
});

test("a `query` getter that a hook defines for all requests takes precedence", async () => {
  const beforeRouting: ServerConfig["beforeRouting"] = ({ app }) => {
    Object.defineProperty(app.request, "query", { get: () => ({ from: "hook" }) });
  };
  const echo = factory.build({
    input: z.object({ from: z.string() }),
    handler: async ({ input }) => input,
  });
  const server = await start({ echo }, { beforeRouting });
  expect((await server.send("/echo?from=client")).json()).toEqual({
    status: "success",
    data: { from: "hook" },
  });
});

test("an array that a native parser sets as `request.files` does not count as a body", async () => {
  const endpoint = factory.build({ method: "post", handler: async () => ({}) });
  const beforeRouting = ({ app }: { app: express.Express }): void => {
    app.use((request, _response, next) => {
      Object.assign(request, { files: [] });
      next();
    });
  };
  const server = await start({ a: endpoint }, { beforeRouting });
  expect((await server.send("/a", { method: "POST", body: {} })).status).toBe(200);
});

describe("an error before the endpoint is reached", () => {
  const own = new ResultHandler({
    positive: z.object({}),
    negative: z.object({}),
    handler: ({ error, response }) =>
      void response.status(error?.statusCode ?? 500).json({ own: error?.message }),
  });

  test.each([
    ["without a middleware", problemEndpointsFactory],
    ["with a middleware", problemEndpointsFactory.addMiddleware({ handler: () => ({}) })],
  ])("goes to the result handler of the endpoint at that path, %s", async (_name, problems) => {
    const server = await start(
      { p: problems.build({ method: "post", input, handler: () => ({}) }), ping },
      { errorHandler: own },
    );
    const problem = "application/problem+json; charset=utf-8";
    const malformed = await server.send("/p", { method: "POST", headers: json, body: "{" });
    expect([malformed.status, malformed.headers["content-type"]]).toEqual([400, problem]);
    const wrong = await server.send("/p", { method: "PUT" });
    expect([wrong.status, wrong.headers["content-type"], wrong.headers["allow"]]).toEqual([
      ...[405, problem, "POST"],
    ]);
    const { text } = await server.send("/ping", { method: "PUT" });
    expect(JSON.parse(text)).toEqual(errorEnvelope("Method Not Allowed"));
    expect((await server.send("/none")).json()).toEqual({ own: "Not Found" });
  });
});

test("a body that a native middleware has read is not read again, even if the stream has not emitted `end` yet", async () => {
  const server = await start({
    form: factory
      .use((request, _response, next) => {
        // formidable pauses the request in the same way while it writes to disk
        request.on("data", () => {
          request.pause();
          setTimeout(next, 10);
        });
      })
      .build({ method: "post", input, handler: async ({ input }) => input }),
  });
  const headers = { "content-type": "text/csv" };
  const answer = await server.send("/form", { method: "POST", headers, body: "a;b" });
  expect([answer.status, answer.json()]).toEqual([200, successEnvelope({})]);
});
