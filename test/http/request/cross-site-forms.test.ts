import { once } from "node:events";
import express from "express";
import {
  attachRouting,
  createConfig,
  defaultEndpointsFactory as factory,
  ez,
  Middleware,
  type CorsFunction,
  type ServerConfig,
} from "sallyport";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import {
  createRecorder,
  errorEnvelope,
  send,
  start,
  type Sent,
  type TestServer,
} from "../harness.ts";

const handler = vi.fn(() => ({}));
const middleware = vi.fn(() => ({}));
const guarded = factory.addMiddleware(new Middleware({ handler: middleware }));
const input = z.looseObject({});
const methods = ["post", "put", "patch", "delete"] as const;
const routing = {
  pay: guarded.build({ method: methods, input, handler }),
  bare: factory.build({ method: "post", inputSources: ["query"], handler }),
  form: factory.build({ method: "post", input: ez.form({ a: z.string() }), handler }),
  "get list": factory.build({ handler }),
};

beforeEach(() => {
  handler.mockClear();
  middleware.mockClear();
});

const urlencoded = "application/x-www-form-urlencoded";
const crossSite = { "sec-fetch-site": "cross-site", origin: "https://evil.example" };

const toForm = (headers: NonNullable<Sent["headers"]>, type = urlencoded): Sent => ({
  method: "POST",
  headers: { "content-type": type, ...headers },
  body: "a=1",
});

/** Sends a form, and returns the status; a form that is refused must have reached nothing. */
const post = async (server: TestServer, path: string, sent: Sent): Promise<number> => {
  const answer = await server.send(path, sent);
  const { status } = answer;
  if (status === 403) {
    expect(answer.json()).toEqual(errorEnvelope("Forms from other sites are not accepted"));
    expect(handler).not.toHaveBeenCalled();
    expect(middleware).not.toHaveBeenCalled();
  }
  return status;
};

describe("R23: a form that a browser sends from another site", () => {
  test.each([
    urlencoded,
    "multipart/form-data; boundary=b",
    "text/plain",
    "text/plain;charset=UTF-8",
    "TEXT/PLAIN",
    "text/plain; application/json",
    "text/plain;a=b, application/json",
    "text/plain, application/json",
    "text/ping",
    "\t text/plain",
    " ",
    "",
    ";",
  ])("is refused with the content type %j", async (type) => {
    const server = await start(routing);
    for (const path of ["/pay", "/bare", "/form"])
      expect(await post(server, path, toForm(crossSite, type))).toBe(403);
  });

  test("is refused without a content type, with or without a body, whatever the method", async () => {
    const server = await start(routing);
    for (const method of methods.map((one) => one.toUpperCase()))
      for (const body of ["a=1", ""])
        expect(await post(server, "/pay", { method, headers: crossSite, body })).toBe(403);
  });

  test("passes with a content type for which browsers ask first, and so do GET and HEAD", async () => {
    const server = await start(routing);
    for (const type of [
      "application/json",
      "application/json; charset=utf-8",
      "Application/JSON",
    ]) {
      const sent = { ...toForm(crossSite, type), body: "{}" };
      expect(await post(server, "/pay", sent)).toBe(200);
    }
    for (const method of ["GET", "HEAD"])
      expect(await post(server, "/list", { method, headers: crossSite })).toBe(200);
  });

  test("is recognised by Sec-Fetch-Site alone, if a browser sends that field", async () => {
    const server = await start(routing);
    const origin = "https://evil.example";
    for (const site of ["same-origin", "same-site", "none"])
      expect(await post(server, "/form", toForm({ "sec-fetch-site": site, origin }))).toBe(200);
    handler.mockClear();
    const host = "a.example";
    for (const site of ["cross-site", "same-origin, cross-site", ""])
      expect(
        await post(
          server,
          "/form",
          toForm({ "sec-fetch-site": site, host, origin: "https://a.example" }),
        ),
      ).toBe(403);
  });

  test.each([
    ["https://a.example", "a.example", 200],
    ["http://a.example", "a.example", 200],
    ["https://a.example", "A.example:443", 200],
    ["http://a.example:8090", "a.example:8090", 200],
    ["http://[::1]:8090", "[::1]:8090", 200],
    ["https://a.example", "a.example:8443", 403],
    ["https://a.example:8443", "a.example", 403],
    ["https://a.example.evil.example", "a.example", 403],
    ["https://b.a.example", "a.example", 403],
    ["null", "null", 403],
    ["https://a.example https://evil.example", "a.example", 403],
    ["", "a.example", 403],
  ])("is recognised without Sec-Fetch-Site by Origin: %s at %s gets a %i", async (...row) => {
    const [origin, host, status] = row;
    const server = await start(routing);
    expect(await post(server, "/form", toForm({ origin, host }))).toBe(status);
  });

  test("is compared with X-Forwarded-Host only if Express trusts the proxy", async () => {
    const trusting = (isTrusted: boolean): Partial<ServerConfig> => ({
      beforeRouting: ({ app }) => void app.set("trust proxy", isTrusted),
    });
    const sent = toForm({ origin: "https://a.example", "x-forwarded-host": "a.example" });
    expect(await post(await start(routing, trusting(false)), "/form", sent)).toBe(403);
    expect(await post(await start(routing, trusting(true)), "/form", sent)).toBe(200);
  });

  test("passes without the header fields of a browser", async () => {
    const server = await start(routing);
    expect(await post(server, "/form", toForm({}))).toBe(200);
  });
});

describe("the `cors` option lets a form from another site pass", () => {
  const { origin } = crossSite;
  const sendBy = async (cors: ServerConfig["cors"], headers = crossSite): Promise<number> =>
    post(await start(routing, { cors }), "/form", toForm(headers));
  const allow =
    (value: string): CorsFunction =>
    () => ({ "access-control-allow-origin": value });

  test("with true, or a function that returns the origin or *", async () => {
    expect(await sendBy(true)).toBe(200);
    expect(await sendBy(allow("*"))).toBe(200);
    expect(await sendBy(allow(origin))).toBe(200);
  });

  test("but not if the function returns another origin or none", async () => {
    expect(await sendBy(allow("https://b.example"))).toBe(403);
    expect(await sendBy(() => ({}))).toBe(403);
    const withoutOrigin = { "sec-fetch-site": "cross-site" };
    expect(await sendBy(allow(origin), withoutOrigin as typeof crossSite)).toBe(403);
  });

  test("and so does a native middleware in a hook that allows the origin", async () => {
    const beforeRouting: ServerConfig["beforeRouting"] = ({ app }) => {
      app.use((_request, response, next) => {
        response.setHeader("Access-Control-Allow-Origin", origin);
        next();
      });
    };
    const server = await start(routing, { beforeRouting });
    expect(await post(server, "/form", toForm(crossSite))).toBe(200);
    handler.mockClear();
    const other = { ...crossSite, origin: "https://b.example" };
    expect(await post(server, "/form", toForm(other))).toBe(403);
  });
});

test("R23: a refused form has the CORS headers, and is logged as a sampled warning", async () => {
  const server = await start(routing, {
    cors: () => ({ "Access-Control-Allow-Origin": "https://b.example" }),
  });
  for (const _time of [1, 2]) {
    const { status, headers } = await server.send("/pay", toForm(crossSite));
    expect([status, headers["access-control-allow-origin"], headers["cache-control"]]).toEqual([
      403,
      "https://b.example",
      "no-store",
    ]);
  }
  const reason = "SLP_CROSS_SITE_FORM";
  expect(server.linesOf("warn")).toEqual([
    expect.objectContaining({ meta: { method: "POST", path: "/pay", statusCode: 403, reason } }),
  ]);
});

describe("R23: the body of a refused form", () => {
  const head = `POST /pay HTTP/1.1\r\nHost: a\r\nSec-Fetch-Site: cross-site\r\nContent-Type: ${urlencoded}\r\n`;

  test("is not awaited, and closes the connection if it is long", async () => {
    const server = await start(routing);
    const text = await server.raw(`${head}Content-Length: 1000000\r\n\r\n`);
    expect(text).toMatch(/^HTTP\/1\.1 403 /);
    expect(text).toMatch(/^connection: close\r$/im);
  });

  test("is not asked for with a 100", async () => {
    const server = await start(routing);
    const text = await server.raw(`${head}Expect: 100-continue\r\nContent-Length: 3\r\n\r\n`);
    expect(text).toMatch(/^HTTP\/1\.1 403 /);
  });

  test("keeps the connection if it is short, and the next request is parsed correctly", async () => {
    const server = await start(routing);
    const next = "GET /list HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    const text = await server.raw(`${head}Content-Length: 3\r\n\r\na=1${next}`);
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 403", "HTTP/1.1 200"]);
  });
});

test("R23: attachRouting refuses a form from another site, unless a native middleware allows the origin", async () => {
  const app = express();
  app.use("/open", (_request, response, next) => {
    response.setHeader("Access-Control-Allow-Origin", "*");
    next();
  });
  const { logger } = createRecorder();
  attachRouting(createConfig({ app, cors: false, logger }), {
    pay: routing.pay,
    "post /open/pay": routing.pay,
  });
  const server = app.listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    const { port } = server.address() as { port: number };
    expect((await send(port, "/pay", toForm(crossSite))).status).toBe(403);
    expect(handler).not.toHaveBeenCalled();
    expect((await send(port, "/open/pay", toForm(crossSite))).status).toBe(200);
  } finally {
    server.close();
  }
});
