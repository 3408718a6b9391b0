import type { RequestHandler } from "express";
import createHttpError from "http-errors";
import { defaultEndpointsFactory as factory, Middleware, type Method } from "sallyport";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { errorEnvelope, start, successEnvelope, type Answer } from "../harness.ts";

const named = (name: string, method?: Method | Method[]) =>
  factory.build({ method, handler: async () => ({ name }) });

const pass: RequestHandler = (_request, _response, next) => next();

const refuse = (): never => {
  throw createHttpError(401);
};

const expectError = (answer: Answer, status: number, message: string): void => {
  expect([answer.status, answer.json()]).toEqual([status, errorEnvelope(message)]);
  expect(answer.headers).toMatchObject({
    "content-type": "application/json; charset=utf-8",
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
  });
};

describe("HEAD", () => {
  test("GET endpoints respond to HEAD with the headers of GET and without a body (R1)", async () => {
    const calls: unknown[] = [];
    const thing = factory.build({
      input: z.object({ id: z.string(), q: z.string() }),
      handler: async ({ input, request, response }) => {
        calls.push([request.method, input]);
        response.set("X-Thing", "yes");
        return { id: input.id };
      },
    });
    const server = await start({ ":id": thing });
    const get = await server.send("/7?q=x");
    const head = await server.send("/7?q=x", { method: "HEAD" });
    expect([get.status, get.json()]).toEqual([200, successEnvelope({ id: "7" })]);
    expect([head.status, head.text]).toEqual([200, ""]);
    const withoutDate = ({ headers: { date: _date, ...others } }: Answer) => others;
    expect(withoutDate(head)).toEqual(withoutDate(get));
    expect(head.headers["content-length"]).toBe(String(Buffer.byteLength(get.text)));
    const input = { id: "7", q: "x" };
    expect(calls).toEqual([
      ["GET", input],
      ["HEAD", input],
    ]);
  });

  test("errors keep their status on HEAD, without a body", async () => {
    const lost = factory.build({
      handler: async () => {
        throw createHttpError(410, "Gone for good");
      },
    });
    const server = await start({ lost });
    const get = await server.send("/lost");
    const head = await server.send("/lost", { method: "HEAD" });
    expectError(get, 410, "Gone for good");
    expect([head.status, head.text]).toEqual([410, ""]);
    expect(head.headers["content-length"]).toBe(get.headers["content-length"]);
    const absent = await server.send("/absent", { method: "HEAD" });
    expect([absent.status, absent.text]).toEqual([404, ""]);
  });

  test("a handler that writes and ends the response behaves the same for HEAD as for GET", async () => {
    const isSame: boolean[] = [];
    const twice = factory.buildVoid({
      handler: ({ response }) => {
        response.write("a");
        isSame.push(response.end("b") === response);
      },
    });
    const server = await start({ twice });
    for (const method of ["GET", "HEAD"])
      expect((await server.send("/twice", { method })).status).toBe(200);
    expect(isSame).toEqual([true, true]);
  });

  test("HEAD gets a 405 from endpoints without GET", async () => {
    const server = await start({ thing: named("thing", "post") });
    const { status, headers, text } = await server.send("/thing", { method: "HEAD" });
    expect([status, headers.allow, text]).toEqual([405, "POST", ""]);
  });
});

describe("OPTIONS", () => {
  test("with CORS on, the response is an empty 200, and neither ordinary middlewares nor the handler run", async () => {
    const calls: string[] = [];
    const guarded = factory.addMiddleware({
      handler: async () => {
        calls.push("middleware");
        throw createHttpError(401, "Who are you?");
      },
    });
    const thing = guarded.build({
      method: "post",
      input: z.object({ needed: z.string() }),
      handler: async () => {
        calls.push("handler");
        return {};
      },
    });
    const server = await start({ thing }, { cors: true });
    for (const wanted of ["POST", "DELETE", undefined]) {
      const headers = wanted === undefined ? {} : { "access-control-request-method": wanted };
      const answer = await server.send("/thing", { method: "OPTIONS", headers });
      expect([answer.status, answer.text]).toEqual([200, ""]);
      expect(answer.headers["content-length"]).toBe("0");
    }
    expect(calls).toEqual([]);
  });

  const preflight = { method: "OPTIONS", headers: { "access-control-request-method": "GET" } };

  test("with CORS off, a native middleware may handle a preflight; otherwise, OPTIONS gets a 405", async () => {
    const native = factory.use((request, response, next) => {
      if (request.method === "OPTIONS" && request.query["answer"]) response.status(204).end();
      else next();
    });
    const errors = { 409: "Conflict" };
    const server = await start({ a: native.build({ errors, handler: () => ({}) }) });
    expect((await server.send("/a?answer=1", preflight)).status).toBe(204);
    expect((await server.send("/a?answer=1", { method: "OPTIONS" })).status).toBe(405);
    expect((await server.send("/a", preflight)).status).toBe(405);
    // what the endpoint declares does not concern preflights
    expect(server.linesOf("warn")).toEqual([]);
  });

  test.each([
    ["a `handler`", new Middleware({ handler: () => refuse() })],
    ["an `around`", new Middleware({ around: () => refuse() })],
  ])(
    "R20: with CORS off, no native middleware runs without %s middleware before it",
    async (_name, guard) => {
      const [first, second] = [vi.fn(pass), vi.fn(pass)];
      const endpoint = factory
        .use(first)
        .addMiddleware(guard)
        .use(second)
        .build({ method: ["get", "post"], handler: () => ({}) });
      const server = await start({ a: endpoint });
      expect((await server.send("/a", preflight)).status).toBe(405);
      expect((await server.send("/a", { ...preflight, method: "GET" })).status).toBe(401);
      expect(first).toHaveBeenCalledTimes(2);
      expect(second).not.toHaveBeenCalled();
    },
  );

  test("with CORS off, a preflight is handled by the native middlewares of the requested method", async () => {
    const answer = (status: number) =>
      factory.use((_request, response) => void response.status(status).end());
    const server = await start({
      a: {
        get: answer(204).build({ handler: () => ({}) }),
        post: answer(206).build({ method: "post", handler: () => ({}) }),
      },
    });
    const headers = { "access-control-request-method": "POST" };
    expect((await server.send("/a", { method: "OPTIONS", headers })).status).toBe(206);
    expect((await server.send("/a", preflight)).status).toBe(204);
  });

  test("R19: with CORS on, a native middleware that rejects requests does not reject a preflight", async () => {
    const guarded = factory.use((_request, _response, next) => next(createHttpError(401)));
    const server = await start({ a: guarded.build({ handler: () => ({}) }) }, { cors: true });
    const headers = { "access-control-request-method": "GET" };
    const answer = await server.send("/a", { method: "OPTIONS", headers });
    expect([answer.status, answer.text]).toEqual([200, ""]);
    expect(answer.headers["access-control-allow-origin"]).toBe("*");
    expect((await server.send("/a")).status).toBe(401);
  });

  test("with CORS on, an unknown path still gets a 404", async () => {
    const server = await start({ a: named("a") }, { cors: true });
    expectError(await server.send("/b", { method: "OPTIONS" }), 404, "Not Found");
  });

  test("a cors function may set Allow itself", async () => {
    const server = await start({ thing: named("thing") }, { cors: () => ({ Allow: "GET" }) });
    const { status, headers } = await server.send("/thing", { method: "OPTIONS" });
    expect([status, headers.allow]).toEqual([200, "GET"]);
  });

  test("with CORS off, the response is a 405, and Allow lacks OPTIONS", async () => {
    const server = await start({ a: named("a") });
    const answer = await server.send("/a", { method: "OPTIONS" });
    expectError(answer, 405, "Method Not Allowed");
    expect(answer.headers.allow).toBe("GET, HEAD");
    expectError(await server.send("/b", { method: "OPTIONS" }), 404, "Not Found");
  });
});

describe("a wrong method on a known path gets a 405 with Allow", () => {
  const all = ["get", "post", "put", "patch", "delete"] as const;

  test.each<[readonly Method[], string, string]>([
    [["get"], "POST", "GET, HEAD"],
    [["post"], "GET", "POST"],
    [["put", "get", "delete"], "PATCH", "DELETE, GET, PUT, HEAD"],
    [["patch", "delete", "post"], "HEAD", "DELETE, PATCH, POST"],
    [all, "PROPFIND", "DELETE, GET, PATCH, POST, PUT, HEAD"],
    [all, "TRACE", "DELETE, GET, PATCH, POST, PUT, HEAD"],
    [["post"], "QUERY", "POST"],
  ])(
    "for the methods %j requested with %s, Allow is %s, plus OPTIONS with CORS on, as for OPTIONS itself",
    async (methods, asked, allow) => {
      const thing = named("thing", [...methods]);
      const server = await start({ thing });
      const answer = await server.send("/thing", { method: asked });
      expect([answer.status, answer.headers.allow]).toEqual([405, allow]);
      const withCors = await start({ thing }, { cors: true });
      const other = await withCors.send("/thing", { method: asked });
      expect([other.status, other.headers.allow]).toEqual([405, `${allow}, OPTIONS`]);
      const options = await withCors.send("/thing", { method: "OPTIONS" });
      expect([options.status, options.headers.allow]).toEqual([200, `${allow}, OPTIONS`]);
    },
  );

  test("and the error envelope, which never echoes the request", async () => {
    const server = await start({ thing: named("thing") });
    const answer = await server.send("/thing?secret=1", { method: "DELETE" });
    expectError(answer, 405, "Method Not Allowed");
    expect(server.linesOf("error")).toEqual([]);
  });

  test("which combines the methods of all routes that match the path", async () => {
    const input = z.object({ id: z.string() });
    const byId = factory.build({ method: "delete", input, handler: () => ({}) });
    const server = await start({ users: { me: named("me"), ":id": byId } });
    const me = await server.send("/users/me", { method: "PUT" });
    expect([me.status, me.headers.allow]).toEqual([405, "DELETE, GET, HEAD"]);
    const you = await server.send("/users/you", { method: "PUT" });
    expect([you.status, you.headers.allow]).toEqual([405, "DELETE"]);
  });

  test("and the body of such a request does not affect the next request on the socket", async () => {
    const server = await start({ thing: named("thing") });
    const text = await server.raw(
      "POST /thing HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello" +
        "GET /thing HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
    );
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 405", "HTTP/1.1 200"]);
  });
});

describe("an unknown path gets a 404", () => {
  test.each(["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"])(
    "with a fixed message: %s",
    async (method) => {
      const server = await start({ thing: { deep: named("thing") } });
      for (const path of ["/thing", "/secret-path?token=1", "/", "/thing/deep/er"]) {
        const answer = await server.send(path, { method });
        expectError(answer, 404, "Not Found");
        expect(answer.headers.allow).toBeUndefined();
      }
      expect(server.linesOf("error")).toEqual([]);
    },
  );

  test("as does a wrong method if wrongMethodBehavior is 404", async () => {
    const server = await start({ thing: named("thing") }, { wrongMethodBehavior: 404 });
    for (const method of ["POST", "OPTIONS", "TRACE"]) {
      const answer = await server.send("/thing", { method });
      expectError(answer, 404, "Not Found");
      expect(answer.headers.allow).toBeUndefined();
    }
    expect((await server.send("/thing", { method: "HEAD" })).status).toBe(200);
  });
});
