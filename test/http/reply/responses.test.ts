import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import createHttpError from "http-errors";
import { defaultEndpointsFactory, ServeStatic } from "sallyport";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { errorEnvelope, start, successEnvelope, type Answer, type TestServer } from "../harness.ts";

const ping = defaultEndpointsFactory.build({ handler: () => ({ pong: true }) });
const fail = (error: unknown) =>
  defaultEndpointsFactory.build({
    handler: ({ response }) => {
      response.set("Cache-Control", "public, max-age=3600");
      throw error;
    },
  });
const create = defaultEndpointsFactory.build({
  method: "post",
  input: z.object({ a: z.string() }),
  handler: ({ response }) => {
    response.status(201);
    return { created: true };
  },
});
const routing = { ping, create, broken: fail(new Error("x")), gone: fail(createHttpError(410)) };

const without = (headers: Answer["headers"], ...names: string[]): object =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)));

describe("HEAD and conditional requests", () => {
  test("R1: HEAD has the headers of GET and no body", async () => {
    for (const etag of [false, true]) {
      const server = await start(routing, { etag, cors: true });
      for (const path of ["/ping", "/gone", "/broken", "/nowhere"]) {
        const get = await server.send(path);
        const head = await server.send(path, { method: "HEAD" });
        expect([head.status, head.text]).toEqual([get.status, ""]);
        expect(head.headers["content-length"]).toBe(String(Buffer.byteLength(get.text)));
        expect(without(head.headers, "date")).toEqual(without(get.headers, "date"));
      }
    }
  });

  test("R1: HEAD for a stream gets the headers at once, and stops the producer", async () => {
    let isStopped = false;
    async function* produce(): AsyncGenerator<string> {
      try {
        for (;;) {
          await sleep(10);
          yield "chunk";
        }
      } finally {
        isStopped = true;
      }
    }
    const stream = defaultEndpointsFactory.buildVoid({
      handler: ({ response }) => {
        response.type("text/plain");
        Readable.from(produce()).pipe(response);
      },
    });
    const server = await start({ stream });
    const head = await server.send("/stream", { method: "HEAD" });
    expect(head).toMatchObject({ status: 200, text: "" });
    await expect.poll(() => isStopped).toBe(true);
  });

  const startTagged = async (): Promise<{ server: TestServer; etag: string }> => {
    const tagged = defaultEndpointsFactory.build({
      method: ["get", "post"],
      handler: ({ response }) => {
        response.set({ "Cache-Control": "private", Vary: "Accept" });
        response.set("Last-Modified", "Wed, 21 Oct 2015 07:28:00 GMT");
        return { a: 1 };
      },
    });
    const server = await start({ ...routing, tagged }, { etag: true });
    return { server, etag: (await server.send("/tagged")).headers.etag ?? "" };
  };

  test("R2: a matching If-None-Match, with one ETag, a list, a weak ETag or *, gets a 304 for GET and HEAD", async () => {
    const { server, etag } = await startTagged();
    expect(etag).toMatch(/^(W\/)?"[^"]+"$/);
    const bare = etag.replace("W/", "");
    for (const field of [etag, bare, `W/${bare}`, `"x", ${etag}, "y"`, "*"])
      for (const method of ["GET", "HEAD"]) {
        const answer = await server.send("/tagged", {
          method,
          headers: { "if-none-match": field },
        });
        expect([answer.status, answer.text]).toEqual([304, ""]);
        expect(answer.headers).toMatchObject({ etag, "cache-control": "private", vary: "Accept" });
        expect(answer.headers.date).toBeDefined();
        expect(answer.headers["content-type"]).toBeUndefined();
      }
  });

  test("R2: an If-None-Match that does not match gets a 200, and takes precedence over If-Modified-Since", async () => {
    const { server, etag } = await startTagged();
    const later = "Wed, 21 Oct 2026 07:28:00 GMT";
    const earlier = "Wed, 21 Oct 2014 07:28:00 GMT";
    const statusOf = async (headers: Record<string, string>): Promise<number> =>
      (await server.send("/tagged", { headers })).status;
    expect(await statusOf({ "if-none-match": '"x"' })).toBe(200);
    expect(await statusOf({ "if-modified-since": later })).toBe(304);
    expect(await statusOf({ "if-modified-since": earlier })).toBe(200);
    expect(await statusOf({ "if-none-match": '"x"', "if-modified-since": later })).toBe(200);
    expect(await statusOf({ "if-none-match": etag, "if-modified-since": earlier })).toBe(304);
  });

  test("R2: an ETag that a handler sets is compared with If-None-Match", async () => {
    const endpoint = defaultEndpointsFactory.build({
      handler: async ({ response }) => {
        response.set("ETag", '"v1"');
        return {};
      },
    });
    const server = await start({ a: endpoint });
    expect((await server.send("/a", { headers: { "if-none-match": '"v1"' } })).status).toBe(304);
  });

  test("R2: POST requests and errors never get a 304", async () => {
    const { server } = await startTagged();
    const headers = { "if-none-match": "*" };
    expect((await server.send("/tagged", { method: "POST", headers })).status).toBe(200);
    for (const [path, status] of [
      ["/gone", 410],
      ["/broken", 500],
      ["/nowhere", 404],
    ] as const)
      expect((await server.send(path, { headers })).status).toBe(status);
  });
});

test.each([204, 205])("a %i response has neither a body nor a length", async (status) => {
  const endpoint = defaultEndpointsFactory.build({
    handler: async ({ response }) => {
      response.status(status);
      return {};
    },
  });
  const answer = await (await start({ a: endpoint })).send("/a");
  expect([answer.status, answer.text]).toEqual([status, ""]);
  expect(["0", undefined]).toContain(answer.headers["content-length"]);
});

type Exchange = [status: number, target: string, sent?: Parameters<TestServer["send"]>[1]];

describe("Errors and caches", () => {
  const json = { "content-type": "application/json" };
  const faults: Exchange[] = [
    [400, "/%zz"],
    [400, "/create", { method: "POST", body: {} }],
    [400, "/create", { method: "POST", headers: json, body: "{" }],
    [404, "/nowhere"],
    [404, "/files/missing.txt"],
    [405, "/ping", { method: "POST" }],
    [410, "/gone"],
    [413, "/create", { method: "POST", body: { a: "x".repeat(2000) } }],
    [414, `/${"x".repeat(9000)}`],
    [415, "/create", { method: "POST", body: "x" }],
    [500, "/broken"],
  ];
  const withFiles = { ...routing, files: new ServeStatic(tmpdir()) };

  test.each(faults)("R3: no cache stores a %i for %.20s", async (status, target, sent) => {
    const server = await start(withFiles, { bodyLimit: 1000 });
    const answer = await server.send(target, sent);
    expect(answer.status).toBe(status);
    expect(answer.headers["cache-control"]).toBe("no-store");
    expect(answer.headers["x-content-type-options"]).toBe("nosniff");
    expect(answer.headers["content-type"]).toBe("application/json; charset=utf-8");
    expect(answer.headers.etag).toBeUndefined();
  });

  test.each([
    ["an oversized header", `X-A: ${"x".repeat(20_000)}`, 431],
    ["a metacharacter", "X-A: a\u0001b", 400],
  ])("R3: no cache stores the rejection of %s", async (_what, field, status) => {
    const server = await start(routing);
    const text = await server.raw(`GET /ping HTTP/1.1\r\nHost: a\r\n${field}\r\n\r\n`);
    expect(text.slice(9, 12)).toBe(String(status));
    expect(text).toMatch(/^cache-control: no-store\r$/im);
  });

  test("R3: no header field or query parameter overrides the method", async () => {
    const server = await start(routing);
    for (const name of ["X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"]) {
      const answer = await server.send("/ping?_method=POST", { headers: { [name]: "POST" } });
      expect(answer.json()).toEqual(successEnvelope({ pong: true }));
    }
  });

  const preflight = { method: "OPTIONS", headers: { "access-control-request-method": "GET" } };

  test.each<Exchange>([...faults, [200, "/ping"], [200, "/ping", preflight]])(
    "R4: with `cors: true`, the CORS headers are sent with a %i for %.20s",
    async (status, target, sent) => {
      const server = await start(withFiles, { bodyLimit: 1000, cors: true });
      const { headers, ...answer } = await server.send(target, sent);
      expect(answer.status).toBe(status);
      expect(headers["access-control-allow-origin"]).toBe("*");
      expect(headers["access-control-allow-credentials"]).toBeUndefined();
      expect(headers.vary).toBeUndefined();
    },
  );
});

const origin = "https://a.example";
const startCors = (headers: Record<string, string>): Promise<TestServer> =>
  start(routing, { cors: () => headers });

describe("Cross-origin requests", () => {
  test("R5: an allowed origin other than * causes Vary: Origin, even if the request has no origin", async () => {
    const every = await startCors({ "Access-Control-Allow-Origin": "*" });
    expect((await every.send("/ping")).headers.vary).toBeUndefined();
    for (const headers of [{ "Access-Control-Allow-Origin": origin }, {}]) {
      const server = await startCors(headers);
      for (const path of ["/ping", "/gone", "/broken"])
        expect((await server.send(path)).headers.vary).toBe("Origin");
    }
  });

  test("R6: credentials are dropped for the origin *, and one error is logged", async () => {
    const server = await startCors({
      "access-control-allow-origin": "*",
      "Access-Control-Allow-Credentials": "true",
    });
    for (const path of ["/ping", "/ping", "/gone"]) {
      const { headers } = await server.send(path);
      expect(headers["access-control-allow-origin"]).toBe("*");
      expect(headers["access-control-allow-credentials"]).toBeUndefined();
    }
    expect(server.linesOf("error")).toHaveLength(1);
  });

  test("R7: the origin of a request is never reflected, not even null", async () => {
    for (const cors of [true, false])
      for (const asked of ["https://evil.example", "null"]) {
        const server = await start(routing, { cors });
        const { headers } = await server.send("/ping", { headers: { origin: asked } });
        expect(headers["access-control-allow-origin"]).toBe(cors ? "*" : undefined);
        expect(JSON.stringify(headers)).not.toContain("evil");
      }
  });

  const preflight = (server: TestServer, target: string, method: string, asked = "X-A") =>
    server.send(target, {
      method: "OPTIONS",
      headers: {
        origin,
        "access-control-request-method": method,
        "access-control-request-headers": asked,
      },
    });

  test("R8: a preflight runs neither a middleware nor the handler, and always gets the same headers", async () => {
    let calls = 0;
    const count = defaultEndpointsFactory
      .addMiddleware({ handler: () => void calls++ })
      .build({ handler: () => ({ calls: ++calls }) });
    const server = await start({ count }, { cors: true });
    for (const [method, asked] of [
      ["GET"],
      ["DELETE"],
      ["FOO"],
      ["GET", "x,".repeat(4000)],
    ] as const) {
      const answer = await preflight(server, "/count", method, asked);
      expect([answer.status, answer.text]).toEqual([200, ""]);
      expect(answer.headers["access-control-allow-methods"]).toBe(
        "GET, POST, PUT, PATCH, DELETE, OPTIONS",
      );
      expect(answer.headers["access-control-allow-headers"]).toBe("Content-Type, Authorization");
      expect(answer.headers["access-control-max-age"]).toBeUndefined();
    }
    expect((await preflight(server, "/nowhere", "GET")).status).toBe(404);
    expect(calls).toBe(0);
  });

  test("R8: Max-Age is sent if the cors function sets it", async () => {
    const server = await startCors({ "Access-Control-Max-Age": "600" });
    const { headers } = await preflight(server, "/ping", "GET");
    expect(headers["access-control-max-age"]).toBe("600");
  });

  test("R9: a preflight without CORS gets a 405 with Allow", async () => {
    const server = await start(routing);
    const answer = await preflight(server, "/ping", "GET");
    expect([answer.status, answer.headers.allow]).toEqual([405, "GET, HEAD"]);
    expect(answer.json()).toEqual(errorEnvelope("Method Not Allowed"));
    expect(Object.keys(answer.headers).join()).not.toContain("access-control");
  });

  test("R10: header fields that claim another host, protocol or address are ignored", async () => {
    const look = defaultEndpointsFactory.build({
      handler: ({ request: { hostname, protocol, secure, ip, ips } }) => {
        return { hostname, protocol, secure, ip: ip ?? "", ips };
      },
    });
    const go = defaultEndpointsFactory.buildVoid({
      handler: ({ response }) => response.redirect("/look"),
    });
    const server = await start({ look, go });
    const headers = {
      host: "good.example",
      "x-forwarded-host": "evil.example",
      "x-forwarded-proto": "https",
      "x-forwarded-for": "6.6.6.6",
      forwarded: "for=6.6.6.6;host=evil.example;proto=https",
    };
    const answer = await server.send("/look", { headers });
    const seen = { hostname: "good.example", protocol: "http", secure: false, ip: "127.0.0.1" };
    expect(answer.json()).toEqual(successEnvelope({ ...seen, ips: [] }));
    expect((await server.send("/go", { headers })).headers.location).toBe("/look");
  });

  test.each([
    ["name", "a=b; c", {}],
    ["name", "a\r\nX", {}],
    ["path", "a", { path: "/; Domain=evil" }],
    ["domain", "a", { domain: "a\r\nX: y" }],
  ])("R12: a cookie with an invalid %s is rejected", async (_what, name, options) => {
    const cookie = defaultEndpointsFactory.build({
      handler: ({ response }) => {
        response.cookie(name, "value", options);
        return {};
      },
    });
    const server = await start({ cookie });
    const answer = await server.send("/cookie");
    expect(answer.status).toBe(500);
    expect(answer.headers["set-cookie"]).toBeUndefined();
    expect(server.linesOf("error")).toHaveLength(1);
  });
});

describe("Static files", () => {
  let above: string;
  let directory: string;

  beforeAll(async () => {
    above = await mkdtemp(join(tmpdir(), "sallyport-"));
    directory = join(above, "public");
    await mkdir(join(directory, "sub"), { recursive: true });
    await writeFile(join(above, "secret.txt"), "secret");
    for (const name of [".env", "private.txt"]) await writeFile(join(directory, name), "secret");
    await writeFile(join(directory, "a.txt"), "0123456789");
    await writeFile(join(directory, "sub", "b.txt"), "below");
  });

  afterAll(() => rm(above, { recursive: true }));

  const startFiles = (dotfiles: "deny" | "ignore" = "ignore"): Promise<TestServer> => {
    const guarded = fail(createHttpError(401));
    const files = new ServeStatic(directory, { dotfiles, index: false });
    return start({ files, "files/private.txt": guarded, "files/sub/b.txt": guarded });
  };

  const ways =
    "/files/.. /files/sub/../.. /files/%2e%2e /files/....// /files/%252e%252e /files//.. /.. /files.." +
    " /files/.%00. /files/%2e%2e%2f. /files/..%2f. /files/..%5c. /files/%2e%2e%5c. /files/..\\.";

  test.each(ways.split(" "))("R16: %s never leads to a file outside the directory", async (way) => {
    const server = await startFiles();
    for (const target of [`${way}/secret.txt`, `${way.replace(/\.$/, "")}secret.txt`]) {
      const answer = await server.send(target);
      expect([400, 403, 404]).toContain(answer.status);
      expect(answer.json()).toMatchObject({ status: "error" });
      expect(answer.text).not.toMatch(/secret|sallyport-/);
      expect(answer.headers["cache-control"]).toBe("no-store");
    }
  });

  test.each(["deny", "ignore"] as const)("R16: a hidden file gets a 404 (%s)", async (dotfiles) => {
    const server = await startFiles(dotfiles);
    for (const target of ["/files/.env", "/files/%2eenv", "/files/sub/../.env", "/files/.x/a"])
      expect((await server.send(target)).json()).toEqual(errorEnvelope("Not Found"));
  });

  test.each([
    "/files/private.txt",
    "/files/private%2etxt",
    "/files//private.txt",
    "/files/x/../private.txt",
    "/files/%2e/private.txt",
    "/files/sub%2Fb.txt",
    "/files/sub//b.txt",
  ])("R16: %s does not bypass the endpoint of that path", async (target) => {
    const answer = await (await startFiles()).send(target);
    expect([401, 404]).toContain(answer.status);
    expect(answer.text).not.toMatch(/secret|below/);
  });

  test("R16: a file is sent with its type and nosniff, and without a body for HEAD", async () => {
    const server = await startFiles();
    const get = await server.send("/files/a.txt");
    expect([get.status, get.text]).toEqual([200, "0123456789"]);
    expect(get.headers["content-type"]).toBe("text/plain; charset=utf-8");
    expect(get.headers["x-content-type-options"]).toBe("nosniff");
    const head = await server.send("/files/a.txt", { method: "HEAD" });
    expect([head.status, head.text, head.headers["content-length"]]).toEqual([200, "", "10"]);
    expect((await server.send("/files/sub")).status).not.toBe(200);
    expect((await server.send("/files/a.txt/")).status).toBe(404);
  });

  test("R16: ranges are supported, and rejected if they are outside the file", async () => {
    const server = await startFiles();
    const ask = (range: string): Promise<Answer> =>
      server.send("/files/a.txt", { headers: { range } });
    const part = await ask("bytes=2-4");
    expect([part.status, part.text]).toEqual([206, "234"]);
    expect(part.headers["content-range"]).toBe("bytes 2-4/10");
    const wrong = await ask("bytes=20-30");
    expect([wrong.status, wrong.headers["content-range"]]).toEqual([416, "bytes */10"]);
    expect((await ask("lines=1-2")).text).toBe("0123456789");
  });
});

test("a response ends even where `uncork` has no effect, as on Deno after its end", async () => {
  let looks = 0;
  const corked = defaultEndpointsFactory.build({
    handler: ({ response }) => {
      Object.defineProperty(response, "writableCorked", {
        get: () => {
          // what loops until this is 0 would never end
          if (++looks > 100) throw new Error("an endless loop");
          return 1;
        },
      });
      return {};
    },
  });
  const server = await start({ corked });
  expect((await server.send("/corked")).status).toBe(200);
});
