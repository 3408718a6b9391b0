import { execFileSync, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { request as httpsRequest, type RequestOptions } from "node:https";
import {
  connect,
  createServer as createNetServer,
  type AddressInfo,
  type Server as NetServer,
} from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import createHttpError from "http-errors";
import {
  createConfig,
  createServer,
  defaultEndpointsFactory,
  RoutingError,
  type Routing,
  type ServerConfig,
} from "sallyport";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { findFreePort } from "../../free-port.ts";
import { createRecorder, errorEnvelope, send, start, successEnvelope } from "../harness.ts";

const hello = defaultEndpointsFactory.build({ handler: () => ({ hello: "world" }) });
const echo = defaultEndpointsFactory.build({
  input: z.looseObject({}),
  handler: ({ input }) => ({ ...input }),
});
const routing: Routing = { hello, echo, save: { post: echo } };
const fail = (): never => {
  throw createHttpError(418, "it fails");
};
const corsNames = (headers: object): string[] =>
  Object.keys(headers).filter((name) => name.startsWith("access-control-"));
const folder = mkdtempSync(join(tmpdir(), "sallyport-"));

/** Sends a GET over HTTPS or a UNIX socket. */
const get = (
  make: typeof httpRequest,
  options: RequestOptions,
): Promise<{ status: number; body: unknown }> =>
  new Promise((resolve, reject) => {
    make({ path: "/hello", agent: false, ...options }, (response) => {
      let text = "";
      response.on("data", (chunk: Buffer) => (text += chunk.toString()));
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) as unknown }),
      );
    })
      .on("error", reject)
      .end();
  });

const toAddress = (server: Pick<NetServer, "address"> | undefined) => {
  const { port, address: host } = (server as NetServer).address() as AddressInfo;
  return { port, host };
};

/** Occupies a port. */
const occupy = async () => {
  const server = createNetServer().listen(await findFreePort(), "127.0.0.1");
  await once(server, "listening");
  const release = async (): Promise<void> => {
    if (server.listening) await once(server.close(), "close");
  };
  return { at: toAddress(server), release };
};

/** Returns an address at which nothing listens, and at which no other test starts to listen. */
const findFreeAddress = async () => ({ port: await findFreePort(), host: "127.0.0.1" });

const isListening = ({ port, host }: { port: number; host: string }): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, host, () => resolve(socket.destroy().destroyed));
    socket.once("error", () => resolve(false));
  });

/** Returns the error with which a server fails to start. */
const failToStart = async (
  config: object,
  map: Routing = routing,
): Promise<{ code?: string; message: string }> => {
  const { logger } = createRecorder();
  const started = createServer({ cors: false, logger, ...config }, map);
  return started.then(
    ({ servers }) => {
      for (const server of servers) server.close();
      throw new Error("It has started");
    },
    (error: Error) => error,
  );
};

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("createConfig", () => {
  it("returns the same configuration object", () => {
    const config: ServerConfig = { http: { listen: 8090 }, cors: false };
    expect(createConfig(config)).toBe(config);
  });
});

describe("configuration: http.listen", () => {
  it("as a number: the port", async () => {
    const port = await findFreePort();
    const server = await start(routing, { http: { listen: port } });
    expect(server.port).toBe(port);
    expect((await send(port, "/hello")).json()).toEqual(successEnvelope({ hello: "world" }));
  });

  it("as a UNIX socket path", async () => {
    const socketPath = join(folder, "http.sock");
    const { servers } = await start(routing, { http: { listen: socketPath } });
    expect(servers[0]?.address()).toBe(socketPath);
    expect(await get(httpRequest, { socketPath })).toEqual({
      status: 200,
      body: successEnvelope({ hello: "world" }),
    });
  });

  it("as a listen-options object: only that address", async () => {
    const { servers } = await start(routing, { http: { listen: { port: 0, host: "127.0.0.1" } } });
    expect(servers[0]?.address()).toMatchObject({ address: "127.0.0.1", family: "IPv4" });
  });

  it("as a listen-options object with a socket path", async () => {
    const path = join(folder, "options.sock");
    await start(routing, { http: { listen: { path } } });
    expect((await get(httpRequest, { socketPath: path })).status).toBe(200);
  });
});

describe.runIf(spawnSync("openssl", ["version"]).status === 0)("configuration: https", () => {
  const listen = { port: 0, host: "127.0.0.1" };
  let options: { cert: string; key: string };
  beforeAll(() => {
    const flags = "req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=localhost -keyout - -out -";
    const pem = execFileSync("openssl", flags.split(" "), { stdio: ["ignore", "pipe", "ignore"] });
    const [key = "", cert = ""] = pem.toString().split(/(?=-----BEGIN CERTIFICATE)/);
    options = { key, cert };
  });
  const getSecurely = (server: Pick<NetServer, "address"> | undefined) =>
    get(httpsRequest, { ...toAddress(server), rejectUnauthorized: false });
  const expected = { status: 200, body: successEnvelope({ hello: "world" }) };

  it("only https: one HTTPS server, with the given options and port", async () => {
    const { servers } = await start(routing, { http: undefined, https: { listen, options } });
    expect(servers).toHaveLength(1);
    expect(await getSecurely(servers[0])).toEqual(expected);
  });

  it("both servers: HTTP first, then HTTPS", async () => {
    const server = await start(routing, { https: { listen, options } });
    expect(server.servers).toHaveLength(2);
    expect((await server.send("/hello")).json()).toEqual(expected.body);
    expect(await getSecurely(server.servers[1])).toEqual(expected);
  });

  it("connection timeouts are the same as for HTTP, unless https.options has its own", async () => {
    const { servers } = await start(routing, { https: { listen, options } });
    const own = { ...options, keepAliveTimeout: 1000 };
    const other = await start(routing, { http: undefined, https: { listen, options: own } });
    const times = { headersTimeout: 15_000, requestTimeout: 60_000, keepAliveTimeout: 65_000 };
    for (const server of servers) expect(server).toMatchObject(times);
    expect(other.servers[0]).toMatchObject({ ...times, keepAliveTimeout: 1000 });
  });

  it("if HTTPS cannot bind, HTTP does not listen either", async () => {
    const { at, release } = await occupy();
    const free = await findFreeAddress();
    const error = await failToStart({ http: { listen: free }, https: { listen: at, options } });
    await release();
    expect(error).toMatchObject({ code: "EADDRINUSE" });
    expect(error.message).toContain("https.listen");
    expect(await isListening(free)).toBe(false);
  });
});

describe("configuration: cors", () => {
  it("true: the three default headers", async () => {
    const server = await start(routing, { cors: true });
    expect((await server.send("/hello")).headers).toMatchObject({
      "access-control-allow-origin": "*",
      "access-control-allow-methods": "GET, POST, PUT, PATCH, DELETE, OPTIONS",
      "access-control-allow-headers": "Content-Type, Authorization",
    });
  });

  it("false: no CORS headers", async () => {
    const server = await start(routing, { cors: false });
    expect(corsNames((await server.send("/hello")).headers)).toEqual([]);
    expect(server.linesOf("warn")).toEqual([]);
  });

  it("a function: the headers that it returns", async () => {
    const server = await start(routing, {
      cors: () => ({ "Access-Control-Allow-Origin": "https://a.example" }),
    });
    const { headers } = await server.send("/hello");
    expect(corsNames(headers)).toEqual(["access-control-allow-origin"]);
    expect(headers["access-control-allow-origin"]).toBe("https://a.example");
  });

  it("missing: no CORS headers, and one warning in development", async () => {
    const server = await start(routing, { cors: undefined as never });
    expect(corsNames((await server.send("/hello")).headers)).toEqual([]);
    expect((await server.send("/hello", { method: "OPTIONS" })).status).toBe(405);
    expect(server.linesOf("warn")).toHaveLength(1);
    expect(server.linesOf("warn")[0]?.message).toContain("`cors`");
  });

  it("missing: no warning in production", async () => {
    vi.stubEnv("NODE_ENV", "production");
    const server = await start(routing, { cors: undefined as never });
    expect(server.linesOf("warn")).toEqual([]);
  });
});

describe("configuration: inputSources with cookies that nothing parses", () => {
  const inputSources = { get: ["query", "cookies"] } as const;
  it.each<[string, Partial<ServerConfig>, number]>([
    ["causes a warning", {}, 1],
    ["is accepted with the option", { cookies: true }, 0],
    ["is accepted if a hook may parse them", { beforeRouting: () => undefined }, 0],
    [
      "causes a warning if they are signed and there is no secret",
      { cookies: true, inputSources: { get: ["signedCookies"] } },
      1,
    ],
    [
      "is accepted if they are signed and there is a secret",
      { cookies: { secret: "a" }, inputSources: { get: ["signedCookies"] } },
      0,
    ],
    ["causes a warning if the secret is undefined", { cookies: { secret: undefined } }, 1],
  ])("%s", async (_what, config, count) => {
    const server = await start(routing, { inputSources, ...config });
    const warnings = server.linesOf("warn").map(({ message }) => message);
    expect(warnings.filter((text) => text.startsWith("SLP_WARN_COOKIES: "))).toHaveLength(count);
  });

  it("causes no warning in production", async () => {
    vi.stubEnv("NODE_ENV", "production");
    expect((await start(routing, { inputSources })).linesOf("warn")).toEqual([]);
  });
});

describe("configuration: startupLogo", () => {
  it.each([
    [undefined, 1],
    [true, 1],
    [false, 0],
  ])("%s: logs %i lines that say where the server listens", async (startupLogo, count) => {
    const server = await start(routing, { startupLogo });
    const lines = server.linesOf("info").map(({ message }) => message);
    expect(lines).toEqual(Array(count).fill(`Listening on http://127.0.0.1:${server.port}`));
  });
});

describe("configuration: logger", () => {
  const chatty = defaultEndpointsFactory.build({
    handler: ({ logger }) => {
      for (const severity of ["debug", "info", "warn", "error"] as const) logger[severity]("said");
    },
  });
  const listenTo = async (options: ServerConfig["logger"]): Promise<string[]> => {
    const print = vi.spyOn(console, "log").mockReturnValue(undefined);
    const server = await start({ chatty }, { logger: options });
    await server.send("/chatty");
    const texts = print.mock.calls.map(([text]) => String(text));
    return texts.filter((text) => text.endsWith(": said")).map((text) => text.split(" ")[1] ?? "");
  };

  it.each([
    ["silent", []],
    ["error", ["error:"]],
    ["warn", ["warn:", "error:"]],
    ["info", ["info:", "warn:", "error:"]],
    ["debug", ["debug:", "info:", "warn:", "error:"]],
  ] as const)("logger.level %s: lines of lower severity are dropped", async (level, expected) => {
    expect(await listenTo({ level, color: false })).toEqual(expected);
  });

  it("logger.color: severities are coloured", async () => {
    expect(await listenTo({ level: "error", color: true })).toEqual(["\u001B[31merror\u001B[39m:"]);
  });

  it("a custom logger: createServer returns it in the wrapper that hooks receive", async () => {
    const { logger, lines } = createRecorder();
    let given: unknown;
    const onStart = (args: { readonly logger: unknown }): void => void (given = args.logger);
    const server = await start({ chatty }, { logger, onStart });
    await server.send("/chatty");
    server.logger.info("said");
    expect(server.logger).toBe(given);
    expect(lines.filter(({ message }) => message === "said")).toHaveLength(5);
  });
});

describe("createServer", () => {
  it("resolves once the server is bound, so that its address can be used", async () => {
    const { servers, app, logger } = await start(routing);
    expect(servers[0]?.listening).toBe(true);
    expect(toAddress(servers[0]).port).toBeGreaterThan(0);
    expect(typeof app.use).toBe("function");
    expect(typeof logger.info).toBe("function");
  });

  it("rejects if the port is in use, and names the option and the fix", async () => {
    const { at, release } = await occupy();
    const error = await failToStart({ http: { listen: at } });
    await release();
    expect(error).toMatchObject({ code: "EADDRINUSE" });
    expect(error.message).toContain(`\`http.listen\` option is ${JSON.stringify(at)}`);
    expect(error.message).toContain("choose another address");
    expect(await isListening(at)).toBe(false);
  });

  it("rejects if the routing is wrong, and nothing listens", async () => {
    const listen = await findFreeAddress();
    const error = await failToStart({ http: { listen } }, { a: "b" as never });
    expect(error).toBeInstanceOf(RoutingError);
    expect(error).toMatchObject({ code: "SLP_ROUTING_LEAF", cause: { path: "/a" } });
    expect(await isListening(listen)).toBe(false);
  });

  it.each([
    ["beforeRouting throws", "beforeRouting", fail],
    ["afterRouting rejects", "afterRouting", async () => fail()],
  ])("rejects if %s, and nothing listens", async (_case, name, hook) => {
    const listen = await findFreeAddress();
    const error = await failToStart({ http: { listen }, [name]: hook });
    expect(error.message).toBe("it fails");
    expect(await isListening(listen)).toBe(false);
  });

  it("with neither http nor https resolves to no servers, and logs one warning", async () => {
    const { logger, lines } = createRecorder();
    const { servers, app } = await createServer({ cors: false, logger }, routing);
    expect(servers).toEqual([]);
    expect(typeof app).toBe("function");
    expect(lines.filter(({ severity }) => severity === "warn")).toHaveLength(1);
  });
});

describe("an invalid configuration is rejected with the option, the value and the fix", () => {
  const http = { listen: 0 };
  it.each([
    [{ http, port: 1 }, "SLP_CONFIG_UNKNOWN_OPTION", ["`port`", "The options are"]],
    [{ http, bodylimit: 1 }, "SLP_CONFIG_UNKNOWN_OPTION", ["Did you mean `bodyLimit`"]],
    [{ http: { listen: 0, prot: 1 } }, "SLP_CONFIG_UNKNOWN_OPTION", ["`http.prot`"]],
    [{ http: {} }, "SLP_CONFIG_MISSING", ["`http.listen`"]],
    [{ https: { listen: 0 } }, "SLP_CONFIG_MISSING", ["`https.options`"]],
    [{ http: { listen: Number.NaN } }, "SLP_CONFIG_VALUE", ["`http.listen`", "NaN", "port"]],
    [{ http: { listen: 65_536 } }, "SLP_CONFIG_VALUE", ["`http.listen`", "65536", "port"]],
    [{ http: 8090 }, "SLP_CONFIG_VALUE", ["`http`", "8090", "listen"]],
    [{ http, cors: "*" }, "SLP_CONFIG_VALUE", ["`cors`", '"*"', "true, false"]],
    [{ http, logger: { level: "all" } }, "SLP_CONFIG_VALUE", ["`logger.level`", '"all"', '"warn"']],
    [{ http, logger: { color: 1 } }, "SLP_CONFIG_VALUE", ["`logger.color`", "1", "true or false"]],
    [{ http, bodyLimit: "10 mb" }, "SLP_CONFIG_VALUE", ["`bodyLimit`", '"10 mb"', "bytes"]],
    [{ http, bodyLimit: -1 }, "SLP_CONFIG_VALUE", ["`bodyLimit`", "-1", "positive"]],
    [{ http, bodyLimit: 0 }, "SLP_CONFIG_VALUE", ["`bodyLimit`", "positive"]],
    [{ http, bodyLimit: { values: 0 } }, "SLP_CONFIG_VALUE", ["`bodyLimit.values`", "positive"]],
    [{ http, bodyLimit: { bytes: "1" } }, "SLP_CONFIG_VALUE", ["`bodyLimit.bytes`", '"1"']],
    [{ http, bodyLimit: { value: 1 } }, "SLP_CONFIG_UNKNOWN_OPTION", ["`bodyLimit.values`"]],
    [{ http, bodyLimit: 1.5 }, "SLP_CONFIG_VALUE", ["`bodyLimit`", "integer"]],
    [{ http, forms: "none" }, "SLP_CONFIG_VALUE", ["`forms`", '"none"', "true or false"]],
    [{ http, constructor: 1 }, "SLP_CONFIG_UNKNOWN_OPTION", ["`constructor`"]],
    [{ http, upload: { toString: 1 } }, "SLP_CONFIG_UNKNOWN_OPTION", ["`upload.toString`"]],
    [{ http, requestTimeout: Number.NaN }, "SLP_CONFIG_VALUE", ["`requestTimeout`", "NaN"]],
    [
      { http, inputSources: { get: ["form"] } },
      "SLP_CONFIG_VALUE",
      ["`inputSources.get`", "query"],
    ],
    [{ http, inputSources: { GET: [] } }, "SLP_CONFIG_UNKNOWN_OPTION", ["`inputSources.GET`"]],
    [{ http, errorHandler: () => 1 }, "SLP_CONFIG_VALUE", ["`errorHandler`", "ResultHandler"]],
    [{ http, wrongMethodBehavior: 400 }, "SLP_CONFIG_VALUE", ["400", "404, 405"]],
    [{ http, beforeRouting: {} }, "SLP_CONFIG_VALUE", ["`beforeRouting`", "function"]],
    [{ http, etag: "soft" }, "SLP_CONFIG_VALUE", ["`etag`", '"soft"', '"weak"']],
  ])("%o: %s", async (config, code, words) => {
    const error = await failToStart(config);
    expect(error).toMatchObject({ code });
    for (const word of words) expect(error.message).toContain(word);
  });
});

describe("configuration: beforeRouting and afterRouting", () => {
  it("routes in beforeRouting take precedence over the API, and those in afterRouting serve other paths", async () => {
    const server = await start(routing, {
      childLoggerProvider: () => createRecorder().logger,
      beforeRouting: async ({ app, getLogger }) => {
        await Promise.resolve();
        getLogger().info("hooked");
        app.post("/save", ({ body }, response) => void response.json({ body: typeof body }));
        app.use((request, _response, next) => {
          expect(getLogger(request)).not.toBe(server.logger);
          next();
        });
      },
      afterRouting: ({ app }) => {
        app.get(["/hello", "/after"], (_request, response) => void response.json("after"));
        app.get("/fail", fail);
      },
    });
    const saved = await server.send("/save", { method: "POST", body: { a: 1 } });
    expect(saved.json()).toEqual({ body: "undefined" });
    expect((await server.send("/hello")).json()).toEqual(successEnvelope({ hello: "world" }));
    expect((await server.send("/after")).json()).toBe("after");
    const failed = await server.send("/fail");
    expect([failed.status, failed.json()]).toEqual([418, errorEnvelope("it fails")]);
    const unknown = await server.send("/unknown");
    expect([unknown.status, unknown.json()]).toEqual([404, errorEnvelope("Not Found")]);
    expect(server.linesOf("info").map(({ message }) => message)).toContain("hooked");
  });
});

describe("configuration: routes and responses", () => {
  it.each([404, 405] as const)(
    "wrongMethodBehavior: a wrong method gets a %i",
    async (wrongMethodBehavior) => {
      const server = await start(routing, { wrongMethodBehavior });
      expect((await server.send("/hello", { method: "PUT" })).status).toBe(wrongMethodBehavior);
    },
  );

  it("caseSensitive: false matches paths in any case", async () => {
    const routing = { Users: { "post /": hello } };
    const server = await start(routing, { caseSensitive: false });
    expect((await server.send("/uSERS", { method: "POST" })).status).toBe(200);
    expect((await server.send("/users")).headers).toMatchObject({ allow: "POST" });
    expect((await (await start(routing)).send("/users", { method: "POST" })).status).toBe(404);
  });

  it('methodLikeRouteBehavior "path": a key such as get is a segment', async () => {
    const server = await start({ a: { get: hello } }, { methodLikeRouteBehavior: "path" });
    expect([(await server.send("/a/get")).status, (await server.send("/a")).status]).toEqual([
      200, 404,
    ]);
  });

  it.each([
    [undefined, undefined],
    [false, undefined],
    [true, /^W\/"/],
    ["weak", /^W\/"/],
    ["strong", /^"/],
  ] as const)("etag %s", async (etag, pattern) => {
    const server = await start(routing, { etag });
    const { headers } = await server.send("/hello");
    expect(headers.etag ?? "none").toMatch(pattern ?? /^none$/);
    const again = await server.send("/hello", {
      headers: { "if-none-match": headers.etag ?? "none" },
    });
    expect([again.status, again.text === ""]).toEqual(pattern ? [304, true] : [200, false]);
  });
});
