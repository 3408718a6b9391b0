import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import createHttpError from "http-errors";
import {
  ConfigError,
  createConfig,
  defaultEndpointsFactory as factory,
  EndpointsFactory,
  ResultHandler,
  ServeStatic,
  type CorsArguments,
  type CorsFunction,
  type HookArguments,
  type Routing,
} from "sallyport";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { errorEnvelope, start, successEnvelope, type Answer, type Sent } from "../harness.ts";

/** Returns the CORS headers of a response. */
const corsOf = ({ headers }: Answer): object =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith("access-control")));

const defaults = {
  "access-control-allow-origin": "*",
  "access-control-allow-methods": "GET, POST, PUT, PATCH, DELETE, OPTIONS",
  "access-control-allow-headers": "Content-Type, Authorization",
};
const origin = "https://app.example";
const exact = { "access-control-allow-origin": origin };
const allowing: CorsFunction = () => ({ "Access-Control-Allow-Origin": origin });

const calls: string[] = [];
afterEach(() => {
  calls.length = 0;
  vi.unstubAllEnvs();
});

const things = factory.build({
  method: ["get", "post"],
  input: z.object({ n: z.coerce.number().default(1) }),
  handler: async ({ input }) => {
    calls.push("handler");
    return { n: input.n };
  },
});
const failing = factory.build({
  handler: async () => {
    throw createHttpError(409, "Conflict of interest");
  },
});
const crashing = factory.build({
  handler: async () => {
    throw new Error("crash");
  },
});
const guarded = factory
  .addMiddleware({
    handler: async () => {
      calls.push("middleware");
      throw createHttpError(401, "Who are you?");
    },
  })
  .build({ method: ["get", "delete"], handler: async () => ({}) });
const routing: Routing = { things, failing, crashing, guarded };

const json = { "content-type": "application/json" };
/** Requests to known paths, with the expected status. */
const onRoutes: readonly [string, string, Sent, number][] = [
  ["a success", "/things", {}, 200],
  ["HEAD", "/things", { method: "HEAD" }, 200],
  ["an HTTP error", "/failing", {}, 409],
  ["a crash", "/crashing", {}, 500],
  ["a rejecting middleware", "/guarded", {}, 401],
  ["invalid input", "/things?n=x", {}, 400],
  ["malformed JSON", "/things", { method: "POST", body: "{]", headers: json }, 400],
  ["an unknown content type", "/things", { method: "POST", body: "x" }, 415],
  ["a large body", "/things", { method: "POST", body: { a: "x".repeat(99) } }, 413],
  ["a wrong method", "/things", { method: "PUT" }, 405],
  ["a preflight", "/things", { method: "OPTIONS" }, 200],
];
const elsewhere: readonly [string, string, Sent, number][] = [
  ["an unknown path", "/absent", {}, 404],
  ["a preflight of an unknown path", "/absent", { method: "OPTIONS" }, 404],
  ["a malformed path", "/%zz", {}, 400],
  ["a native route", "/native", {}, 200],
];

describe("`cors` must be set to true, false or a function", () => {
  test.each(["*", {}, 1, null, "true"])("%j is rejected at startup", async (cors) => {
    const error: unknown = await start(routing, { cors: cors as never }).catch(
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(ConfigError);
    expect(error).toMatchObject({ code: "SLP_CONFIG_VALUE" });
    expect((error as ConfigError).message).toContain("`cors`");
  });

  test("a configuration without `cors` does not compile", () => {
    // @ts-expect-error -- the property cors is missing
    expect(createConfig({ http: { listen: 0 } })).toEqual({ http: { listen: 0 } });
  });

  test("without `cors` there are no CORS headers, and one warning in development", async () => {
    const server = await start(routing, { cors: undefined as never });
    expect(server.linesOf("warn")).toHaveLength(1);
    expect(server.linesOf("warn")[0]?.message).toContain("`cors`");
    expect(corsOf(await server.send("/things"))).toEqual({});
    expect((await server.send("/things", { method: "OPTIONS" })).status).toBe(405);
    expect(server.linesOf("warn")).toHaveLength(1);
    vi.stubEnv("NODE_ENV", "production");
    const productive = await start(routing, { cors: undefined as never });
    expect(productive.linesOf("warn")).toEqual([]);
  });

  test("false: no response has CORS headers", async () => {
    const server = await start(routing, { bodyLimit: 64 });
    for (const [, target, sent] of [...onRoutes, ...elsewhere]) {
      const answer = await server.send(target, { ...sent, headers: { ...sent.headers, origin } });
      expect(corsOf(answer)).toEqual({});
    }
  });

  test("R9: a preflight without CORS gets a 405 with Allow", async () => {
    const server = await start(routing);
    const headers = { origin, "access-control-request-method": "GET" };
    const answer = await server.send("/things", { method: "OPTIONS", headers });
    expect([answer.status, answer.json()]).toEqual([405, errorEnvelope("Method Not Allowed")]);
    expect(answer.headers.allow).toBe("GET, POST, HEAD");
    expect(calls).toEqual([]);
  });
});

describe("R4: `cors: true` sends the three default headers on every response", () => {
  let directory = "";
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "sallyport-cors-"));
    await writeFile(join(directory, "a.txt"), "a");
  });
  afterAll(() => rm(directory, { recursive: true }));

  test.each([
    ...onRoutes,
    ...elsewhere,
    ["a file", "/public/a.txt", {}, 200] as const,
    ["a missing file", "/public/b.txt", {}, 404] as const,
  ])("%s", async (_what, target, sent, status) => {
    const server = await start(
      { ...routing, public: new ServeStatic(directory) },
      {
        cors: true,
        bodyLimit: 64,
        beforeRouting: ({ app }) => {
          app.get("/native", (_request, response) => void response.send("native"));
        },
      },
    );
    const headers = { ...sent.headers, origin };
    const answer = await server.send(target, { ...sent, headers });
    expect(answer.status).toBe(status);
    // R7: the origin is never reflected; R4: no credentials and no Vary
    expect(corsOf(answer)).toEqual(defaults);
    expect(answer.headers.vary).toBeUndefined();
  });

  test("R7: the origin null gets the same headers", async () => {
    const server = await start(routing, { cors: true });
    const answer = await server.send("/things", { headers: { origin: "null" } });
    expect(corsOf(answer)).toEqual(defaults);
  });

  test("R8: preflights get fixed headers, whatever they request, and no Max-Age", async () => {
    const server = await start(routing, { cors: true });
    const headers = {
      origin,
      "access-control-request-method": "PURGE",
      "access-control-request-headers": "x-a,".repeat(2000),
    };
    const answer = await server.send("/guarded", { method: "OPTIONS", headers });
    expect([answer.status, answer.text]).toEqual([200, ""]);
    expect(corsOf(answer)).toEqual(defaults);
    expect(calls).toEqual([]);
  });
});

test("hooks may respond to preflights for malformed paths", async () => {
  const beforeRouting = ({ app }: HookArguments): void => {
    app.use((_request, response) => void response.status(418).end());
  };
  const server = await start(
    { a: factory.build({ handler: () => ({}) }) },
    { cors: true, beforeRouting },
  );
  const ask = async (path: string) => {
    const headers = { "access-control-request-method": "GET" };
    return (await server.send(path, { method: "OPTIONS", headers })).status;
  };
  expect([await ask("/a"), await ask("/%zz"), await ask("/absent")]).toEqual([200, 418, 418]);
});

describe("a `cors` function receives defaultHeaders, request, endpoint and logger", () => {
  test("the defaults, the request, the matched endpoint and the logger are passed", async () => {
    const seen: CorsArguments[] = [];
    const server = await start(routing, {
      cors: (args) => {
        seen.push(args);
        args.logger.info("from cors");
        return args.defaultHeaders;
      },
    });
    const answer = await server.send("/failing", { headers: { origin } });
    expect(answer.status).toBe(409);
    expect(corsOf(answer)).toEqual(defaults);
    expect(seen).toHaveLength(1);
    expect(seen[0]?.defaultHeaders).toEqual({
      "Access-Control-Allow-Origin": "*",
      "Access-Control-Allow-Methods": "GET, POST, PUT, PATCH, DELETE, OPTIONS",
      "Access-Control-Allow-Headers": "Content-Type, Authorization",
    });
    expect(seen[0]?.endpoint).toBe(failing);
    expect(seen[0]?.request.path).toBe("/failing");
    expect(seen[0]?.request.get("Origin")).toBe(origin);
    expect(server.linesOf("info").map(({ message }) => message)).toContain("from cors");
  });

  test("for a preflight, the endpoint is that of the requested method", async () => {
    const seen: unknown[] = [];
    const [get, put] = [things, factory.build({ method: "put", handler: () => ({}) })];
    const server = await start(
      { a: { get, put } },
      { cors: ({ endpoint, defaultHeaders }) => (seen.push(endpoint), defaultHeaders) },
    );
    for (const wanted of ["PUT", "GET", "HEAD", "PURGE"])
      await server.send("/a", {
        method: "OPTIONS",
        headers: { "access-control-request-method": wanted },
      });
    await server.send("/a", { method: "PUT" });
    expect(seen).toEqual([put, get, get, get, put]);
  });

  test("the function may be async, and its changes to defaultHeaders affect only that request", async () => {
    const server = await start(routing, {
      cors: async ({ defaultHeaders, request }) => {
        await new Promise((resolve) => setTimeout(resolve, 5));
        if (request.query["own"]) defaultHeaders["Access-Control-Allow-Origin"] = origin;
        return defaultHeaders;
      },
    });
    const own = await server.send("/things?own=1");
    expect(corsOf(own)).toEqual({ ...defaults, ...exact });
    expect(corsOf(await server.send("/things"))).toEqual(defaults);
  });

  test.each(onRoutes)("the result of the function replaces the defaults on %s", async (...row) => {
    const [, target, sent, status] = row;
    const server = await start(routing, { cors: allowing, bodyLimit: 64 });
    const answer = await server.send(target, sent);
    expect(answer.status).toBe(status);
    expect(corsOf(answer)).toEqual(exact);
    // R5
    expect(answer.headers.vary).toBe("Origin");
  });

  test("the function is called without an endpoint for a 404 and for a file, and not at all for a malformed path", async () => {
    const cors = vi.fn<CorsFunction>(allowing);
    const server = await start({ ...routing, docs: new ServeStatic("docs") }, { cors });
    for (const [target, method, status] of [
      ["/absent", "GET", 404],
      ["/absent", "OPTIONS", 404],
      ["/docs/errors.md", "GET", 200],
    ] as const) {
      const answer = await server.send(target, { method });
      expect([answer.status, corsOf(answer)]).toEqual([status, exact]);
      expect(answer.headers.vary).toContain("Origin");
    }
    expect((await server.send("/%zz")).status).toBe(400);
    expect(cors.mock.calls.map(([{ endpoint }]) => endpoint)).toEqual(Array(3).fill(undefined));
  });

  test("a 404 remains a 404 if the function fails without an endpoint, and the error is logged once", async () => {
    const cors: CorsFunction = ({ endpoint }) => ({
      "X-Methods": String((endpoint as { methods: unknown }).methods),
    });
    const server = await start(routing, { cors });
    for (let count = 0; count < 2; count++) expect((await server.send("/absent")).status).toBe(404);
    expect(server.linesOf("error").map(({ message }) => message)).toEqual([
      expect.stringContaining("SLP_CORS_ENDPOINT: "),
    ]);
    const refusing = await start(routing, {
      cors: () => {
        throw createHttpError(403);
      },
    });
    expect((await refusing.send("/absent")).status).toBe(404);
    expect(refusing.linesOf("error")).toEqual([]);
  });

  test("R5: Vary: Origin is added to an existing Vary, even if no origin is allowed", async () => {
    const server = await start(routing, {
      cors: ({ request }) => (request.get("Origin") === origin ? { ...exact, Vary: "Cookie" } : {}),
    });
    const known = await server.send("/things", { headers: { origin } });
    expect([corsOf(known), known.headers.vary]).toEqual([exact, "Cookie, Origin"]);
    const stranger = await server.send("/things", { headers: { origin: "https://evil.example" } });
    expect([corsOf(stranger), stranger.headers.vary]).toEqual([{}, "Origin"]);
    const open = await start(routing, { cors: ({ defaultHeaders }) => defaultHeaders });
    expect((await open.send("/things")).headers.vary).toBeUndefined();
  });
});

describe("a `cors` function that returns an empty object causes no CORS headers", () => {
  test("neither responses nor preflights have CORS headers, and preflights still get a 200", async () => {
    const server = await start(routing, { cors: () => ({}) });
    for (const method of ["GET", "OPTIONS", "PUT"]) {
      const answer = await server.send("/things", { method });
      expect(corsOf(answer)).toEqual({});
      expect(answer.status).toBe(method === "PUT" ? 405 : 200);
    }
  });

  test.each([undefined, null])(
    "a function that returns %j causes no CORS headers either",
    async (nothing) => {
      const server = await start(routing, { cors: () => nothing as never });
      const answer = await server.send("/things");
      expect([answer.status, corsOf(answer)]).toEqual([200, {}]);
      expect(server.linesOf("error")).toEqual([]);
    },
  );
});

describe("a `cors` function applies to all endpoints, and a middleware only to its own", () => {
  test.each([true, allowing])("a header that a middleware sets takes precedence", async (cors) => {
    const own = factory
      .addMiddleware({
        handler: async ({ response }) => {
          response.setHeader("Access-Control-Allow-Origin", "https://other.example");
          response.set("Access-Control-Expose-Headers", "X-Total");
        },
      })
      .build({ handler: async () => ({ own: true }) });
    const server = await start({ own, things }, { cors });
    const base = cors === true ? defaults : exact;
    const answer = await server.send("/own");
    expect(answer.json()).toEqual(successEnvelope({ own: true }));
    expect(corsOf(answer)).toEqual({
      ...base,
      "access-control-allow-origin": "https://other.example",
      "access-control-expose-headers": "X-Total",
    });
    expect(corsOf(await server.send("/things"))).toEqual(base);
  });
});

describe("the CORS headers that a function may set", () => {
  test("all six headers are sent unchanged, on responses and on preflights", async () => {
    const given = {
      "Access-Control-Allow-Origin": origin,
      "Access-Control-Allow-Methods": "GET",
      "Access-Control-Allow-Headers": "X-Key",
      "Access-Control-Allow-Credentials": "true",
      "Access-Control-Max-Age": "600",
      "Access-Control-Expose-Headers": "X-Total",
    };
    const lower = Object.entries(given).map(([name, value]) => [name.toLowerCase(), value]);
    const server = await start(routing, { cors: () => given });
    for (const method of ["GET", "OPTIONS"])
      expect(corsOf(await server.send("/things", { method }))).toEqual(Object.fromEntries(lower));
  });
});

describe("R6: credentials are never sent together with the origin *", () => {
  test.each([
    ["Access-Control-Allow-Origin", "Access-Control-Allow-Credentials"],
    ["access-control-allow-origin", "ACCESS-CONTROL-ALLOW-CREDENTIALS"],
  ])("%s and %s: the second is dropped, and one error is logged", async (first, second) => {
    const server = await start(routing, { cors: () => ({ [first]: "*", [second]: "true" }) });
    for (const method of ["GET", "OPTIONS", "PUT", "GET"])
      expect(corsOf(await server.send("/things", { method }))).toEqual({
        "access-control-allow-origin": "*",
      });
    expect(server.linesOf("error")).toHaveLength(1);
    expect(server.linesOf("error")[0]?.message).toContain("credentials");
  });
});

describe("H15: if a cors function fails, the response has no CORS headers", () => {
  const rejecting = async () => {
    throw new Error("no database");
  };
  test.each<[string, unknown]>([
    ["rejects", rejecting],
    [
      "throws",
      () => {
        throw new Error("no database");
      },
    ],
    [
      "throws a value that is not an Error",
      () => {
        throw "text";
      },
    ], // oxlint-disable-line no-throw-literal -- what is thrown need not be an error
    ["returns a string", () => "*"],
    ["returns a number as a value", () => ({ ...exact, "Access-Control-Max-Age": 600 })],
    ["returns CR and LF in a value", () => ({ ...exact, "X-A": "a\r\nSet-Cookie: b=c" })],
    ["returns characters beyond Latin-1", () => ({ ...exact, "X-A": "\u{1F600}" })],
    ["returns an invalid name", () => ({ ...exact, "X A": "a" })],
    ["returns null as a value", () => ({ ...exact, "X-A": null })],
  ])("%s: the response is a 500, one error is logged, and no handler runs", async (_what, cors) => {
    vi.stubEnv("NODE_ENV", "production");
    const server = await start(routing, { cors: cors as CorsFunction });
    let count = 0;
    for (const method of ["GET", "POST", "OPTIONS", "PUT"]) {
      const answer = await server.send("/things", { method });
      expect([answer.status, answer.json()]).toEqual([500, errorEnvelope("Internal Server Error")]);
      expect([corsOf(answer), answer.headers["x-a"]]).toEqual([{}, undefined]);
      expect(answer.headers["cache-control"]).toBe("no-store");
      expect(server.linesOf("error")).toHaveLength(++count);
    }
    expect(calls).toEqual([]);
  });

  test("throws an HTTP error: the endpoint's result handler responds, by default with the error's status", async () => {
    const cors: CorsFunction = async () => {
      throw createHttpError(403, "Unknown origin");
    };
    const server = await start(routing, { cors });
    for (const method of ["GET", "OPTIONS", "PUT"]) {
      const answer = await server.send("/things", { method });
      expect([answer.status, answer.json()]).toEqual([403, errorEnvelope("Unknown origin")]);
      expect(corsOf(answer)).toEqual({});
    }
    const errorHandler = new ResultHandler({
      positive: (data) => data,
      negative: z.string(),
      handler: ({ error, response }) => void response.status(418).send(error?.message),
    });
    const things = new EndpointsFactory(errorHandler).build({ handler: () => ({}) });
    const other = await start({ things }, { cors });
    const answer = await other.send("/things");
    expect([answer.status, answer.text]).toEqual([418, "Unknown origin"]);
    expect([calls, server.linesOf("error")]).toEqual([[], []]);
  });
});
