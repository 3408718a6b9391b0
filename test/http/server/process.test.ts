import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer as createNetServer, type AddressInfo } from "node:net";
import { spawn } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import createHttpError from "http-errors";
import {
  ConfigError,
  createServer,
  defaultEndpointsFactory as factory,
  type Logger,
  type Routing,
} from "sallyport";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { createRecorder, send, start, successEnvelope } from "../harness.ts";

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

const ping = factory.build({ handler: () => ({ pong: true }) });
const echo = factory.build({
  method: "post",
  input: z.object({ text: z.string() }),
  output: z.object({ text: z.string() }),
  handler: ({ input }) => input,
});

/** Starts a server that is expected to fail, and returns the error. */
const failToStart = async (config: object): Promise<NodeJS.ErrnoException> => {
  const { logger } = createRecorder();
  try {
    const server = await createServer({ cors: false, logger, ...config }, { ping });
    await server.close();
  } catch (error) {
    return error as NodeJS.ErrnoException;
  }
  throw new Error("The server has started");
};

describe("Shutdown", () => {
  test("S1: a request whose body is half sent when the shutdown begins is finished", async () => {
    const server = await start({ echo });
    const socket = await server.open();
    let text = "";
    socket.on("data", (chunk: Buffer) => (text += chunk.toString()));
    const arrived = server.untilRequest();
    socket.write(
      'POST /echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 12\r\n\r\n{"text"',
    );
    await arrived;
    const closing = server.close();
    await pause(100);
    socket.write(':"x"}');
    await closing;
    await expect.poll(() => text).toContain(JSON.stringify(successEnvelope({ text: "x" })));
    expect(text).toMatch(/^connection: close\r$/im);
  });

  test("S2: a request that arrives while its connection is being closed is served completely or not at all", async () => {
    for (const delay of [0, 0, 1, 2, 5]) {
      const handler = vi.fn(() => ({ pong: true }));
      const server = await start({ ping: factory.build({ handler }) });
      const socket = await server.open();
      const request = "GET /ping HTTP/1.1\r\nHost: a\r\n\r\n";
      socket.write(request);
      await once(socket, "data");
      handler.mockClear();
      let text = "";
      socket.on("data", (chunk: Buffer) => (text += chunk.toString()));
      const closed = new Promise((resolve) => socket.once("close", resolve));
      const closing = server.close();
      if (delay > 0) await pause(delay);
      if (socket.writable) socket.write(request);
      await Promise.all([closing, closed]);
      const served = text.split("HTTP/1.1 200 OK").length - 1;
      expect(served).toBe(handler.mock.calls.length);
      expect(text.slice(-41)).toBe(served > 0 ? '{"status":"success","data":{"pong":true}}' : "");
    }
  });
});

describe("Listening", () => {
  let folder = "";
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "sallyport-socket-"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  test("S3: if one server cannot listen, the error names its address, and the other does not listen either", async () => {
    const taken = createNetServer().listen(0, "127.0.0.1");
    const free = createNetServer().listen(0, "127.0.0.1");
    await Promise.all([once(taken, "listening"), once(free, "listening")]);
    const { port } = taken.address() as AddressInfo;
    const other = (free.address() as AddressInfo).port;
    await once(free.close(), "close");
    const at = { port, host: "127.0.0.1" };
    const error = await failToStart({
      http: { listen: { port: other, host: "127.0.0.1" } },
      https: { listen: at, options: {} },
    });
    expect(error.code).toBe("EADDRINUSE");
    expect(error.message).toContain(`\`https.listen\` option is ${JSON.stringify(at)}`);
    await expect(send(other, "/ping")).rejects.toMatchObject({ code: "ECONNREFUSED" });
    await once(taken.close(), "close");
  });

  test("S3: if neither server can listen, the error is that of the first one", async () => {
    const path = join(folder, "none", "server.sock");
    const error = await failToStart({
      http: { listen: path },
      https: { listen: `${path}.https`, options: {} },
    });
    expect(error.message).toContain("`http.listen`");
  });

  test("S3: a socket file left by a killed process is explained in the error", async () => {
    const path = join(folder, "stale.sock");
    const program = `require("net").createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, "SIGKILL"))`;
    await once(spawn(process.execPath, ["-e", program]), "exit");
    for (const listen of [path, { path }]) {
      const error = await failToStart({ http: { listen } });
      expect(error.code).toBe("EADDRINUSE");
      expect(error.message).toContain(path);
      expect(error.message).toMatch(/stale|left|no process/);
      expect(error.message).toContain("delete");
    }
  });

  test("S3: a socket file that another process serves is not reported as stale", async () => {
    const path = join(folder, "served.sock");
    const served = createNetServer().listen(path);
    await once(served, "listening");
    const error = await failToStart({ http: { listen: path } });
    await once(served.close(), "close");
    expect(error.code).toBe("EADDRINUSE");
    expect(error.message).toContain(path);
    expect(error.message).not.toMatch(/stale|delete/);
  });

  test("S3: the error about a socket file that cannot be created does not mention ports", async () => {
    const path = join(folder, "none", "server.sock");
    const error = await failToStart({ http: { listen: path } });
    // Node reports a missing directory in this way
    expect(error.code).toBe("EACCES");
    expect(error.message).toContain(path);
    expect(error.message).not.toContain("1023");
  });
});

describe("Load", () => {
  test("S5: three hundred simultaneous requests all get responses", async () => {
    const server = await start({ ping, echo });
    const answers = await Promise.all(
      Array.from({ length: 300 }, (_, index) =>
        server.send("/echo", { method: "POST", body: { text: String(index) } }),
      ),
    );
    expect(answers.map((answer) => answer.json())).toEqual(
      answers.map((_, index) => successEnvelope({ text: String(index) })),
    );
  });
});

describe("Logs", () => {
  const forged = "2026-01-01T00:00:00.000Z error: forged";
  const hostile = `a\r\n${forged}\u0000\u0007\u001b[2J\u007f\u009b2J\u2028${forged}\u2029b`;
  // oxlint-disable-next-line no-control-regex -- the log must not contain control characters
  const unsafe = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029]/;

  const print = async (handler: (args: { readonly logger: Logger }) => void, target = "/log") => {
    const log = vi.spyOn(console, "log").mockReturnValue(undefined);
    const routing: Routing = { log: factory.build({ handler }) };
    const server = await start(routing, { logger: { level: "debug", color: false } });
    log.mockClear();
    await server.raw(`GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    return log.mock.calls.map(([text]) => String(text));
  };

  const expectSafe = (texts: readonly string[]): void => {
    expect(texts.length).toBeGreaterThan(0);
    for (const text of texts) {
      expect(text).not.toMatch(unsafe);
      const [first = "", ...others] = text.split("\n");
      expect(first).toMatch(/^\d{4}-\d\d-\d\dT\S+ (?:debug|info|warn|error): /);
      for (const line of others) expect(line).not.toMatch(/^\d{4}-/);
    }
  };

  test("S8: control characters in a message are escaped, and the message stays on one line", async () => {
    const texts = await print(({ logger }) => void logger.warn(hostile));
    expectSafe(texts);
    const line = texts.find((text) => text.includes("forged")) ?? "";
    expect(line).not.toContain("\n");
    expect(line).toContain(String.raw`a\u000d\u000a2026`);
  });

  test.each([
    ["a string", hostile],
    ["a property", { user: hostile }],
    ["a key", { [hostile]: 1 }],
    ["an error", new Error(hostile)],
    ["a property of an error", Object.assign(new Error("x"), { user: hostile })],
    ["the cause of an error", new Error("x", { cause: new Error(hostile) })],
    ["a Map", new Map([[hostile, hostile]])],
    ["a symbol", Symbol(hostile)],
    ["an object that prints itself", { [inspect.custom]: () => hostile }],
  ])(
    "S8: control characters in metadata (%s) are escaped, and cannot forge a log line",
    async (_name, meta) => {
      expectSafe(await print(({ logger }) => void logger.info("said", meta)));
    },
  );

  test("S8: a thrown error with control characters cannot forge a log line", async () => {
    const texts = await print(() => {
      throw new Error(hostile);
    });
    expectSafe(texts);
    expect(texts.filter((text) => text.includes(" error: "))).not.toEqual([]);
  });

  test.each(["/log/%0d%0aforged", "/log/%1b[2J", "/log/%E2%80%A8x", "/log?x=%0a"])(
    "S8: the request target %s cannot forge a log line",
    async (target) => expectSafe(await print(() => undefined, target)),
  );

  const secret = "s3cr3t-v4lue";
  const faulty: Routing = {
    ping,
    echo,
    fail: factory.build({
      method: ["get", "post"],
      handler: () => {
        throw new Error("It fails");
      },
    }),
    output: factory.build({
      method: "post",
      input: z.object({ text: z.string() }),
      output: z.object({ text: z.enum(["known"]), strict: z.string() }),
      handler: ({ input }) => ({ ...input, strict: 1 }) as never,
    }),
    file: factory.build({
      handler: async () => ({ text: await readFile("/no/such/file.txt", "utf8") }),
    }),
    http: factory.build({
      handler: () => {
        throw createHttpError(500, "failed in /srv/app/node_modules/pg/lib/client.js");
      },
    }),
  };

  test("S9: no body, query, Authorization or Cookie reaches the log, whatever goes wrong", async () => {
    const server = await start(faulty, { cookies: true, cors: true });
    const headers = { authorization: `Bearer ${secret}`, cookie: `session=${secret}` };
    const bodies = [{ text: secret }, { text: { secret } }, `{"text":"${secret}`, `"${secret}"`];
    for (const path of ["/ping", "/echo", "/fail", "/output", "/none"])
      for (const body of bodies)
        await server.send(`${path}?token=${secret}`, {
          method: "POST",
          headers: { "content-type": "application/json", ...headers },
          body,
        });
    for (const path of ["/ping", "/fail", "/%zz", "/echo"])
      await server.send(`${path}?token=${secret}`, { headers });
    await server.raw(
      `GET http://user:${secret}@a/fail?t=${secret} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
    );
    await server.raw(`GET /ping HTTP/1.1\r\nHost: a\r\nCookie: ${secret}\r\nbad line\r\n\r\n`);
    await server.raw(`GET /ping HTTP/1.1\r\nHost: a\r\nHost: ${secret}\r\n\r\n`);
    expect(server.linesOf("error").length).toBeGreaterThan(0);
    expect(inspect(server.lines, { depth: null, showHidden: true })).not.toContain(secret);
  });

  const [fixed, own, named, system] = [
    "Internal Server Error",
    "It fails",
    "failed in /srv/app",
    "no such file or directory",
  ];
  test.each([
    ["production", [fixed], /ENOENT|\/no\/such|node_modules|node:|\.[jt]s\b/],
    ["test", [fixed, own, named], /ENOENT|\/no\/such/],
    [undefined, [fixed, own, named], /ENOENT|\/no\/such/],
    ["development", [own, named, system], /\bat .*:\d+:\d+/],
  ])("S10: with NODE_ENV %s, a 500 says %j", async (environment, said, hidden) => {
    vi.stubEnv("NODE_ENV", environment);
    const server = await start(faulty, { cors: false });
    const typed = { "content-type": "application/json" };
    const post = (target: string, body: string) =>
      server.send(target, { method: "POST", headers: typed, body });
    const answers = await Promise.all([
      ...["/fail", "/file", "/http", "/none", "/%zz", "/echo"].map((path) => server.send(path)),
      ...["{", "[]", '{"text":1}', '{"__proto__":1}'].map((body) => post("/echo", body)),
      post("/output", '{"text":"x"}'),
    ]);
    const failures = answers.filter(({ status }) => status >= 500).map(({ text }) => text);
    expect(failures).toHaveLength(4);
    const shown = [fixed, own, named, system].filter((one) =>
      failures.some((text) => text.includes(one)),
    );
    expect(shown).toEqual(said);
    const raw = await server.raw("garbage\r\n\r\n");
    for (const text of [
      ...answers.map(({ headers, text }) => JSON.stringify(headers) + text),
      raw,
    ]) {
      // neither a stack nor package names are sent, whatever NODE_ENV is
      expect(text).not.toMatch(/\n\s+at |\\n\s+at |sallyport|express|zod|llhttp/i);
      expect(text.replaceAll(/"code":"SLP_(?:BODY|INPUT|METHOD|NOT|PATH)_\w+"/g, "")).not.toMatch(
        /HPE_|SLP_|SyntaxError/,
      );
      expect(text).not.toMatch(hidden);
    }
  });
});

describe("Invalid configuration", () => {
  const http = { listen: { port: 0, host: "127.0.0.1" } };
  const broken: readonly [string, object][] = [
    ["bodyLimit", { bodyLimit: Number.NaN }],
    ["bodyLimit", { bodyLimit: Number.POSITIVE_INFINITY }],
    ["bodyIdleTimeout", { bodyIdleTimeout: "10s" }],
    ["bodyIdleTimeout", { bodyIdleTimeout: -1 }],
    ["requestTimeout", { requestTimeout: 2 ** 31 }],
    ["gracefulShutdown.timeout", { gracefulShutdown: { timeout: "15s" } }],
    ["gracefulShutdown.events", { gracefulShutdown: { events: ["SIGNOTHING"] } }],
    ["gracefulShutdown.timeuot", { gracefulShutdown: { timeuot: 1 } }],
    ["upload.limits.fileSize", { upload: { limits: { fileSize: "10 mb" } } }],
    ["upload.limits.fileSize", { upload: { limits: { fileSize: Number.NaN } } }],
    ["upload.limits.files", { upload: { limits: { files: -1 } } }],
    ["upload.limits.filesize", { upload: { limits: { filesize: 1 } } }],
    ["compression.level", { compression: { level: 10 } }],
    ["compression.threshold", { compression: { threshold: "a lot" } }],
    ["cookies.secret", { cookies: { secret: "" } }],
    ["http.options.headersTimeout", { http: { ...http, options: { headersTimeout: "15s" } } }],
    ["http.options.keepAliveTimeout", { http: { ...http, options: { keepAliveTimeout: -1 } } }],
  ];
  test.each(broken)("S11: an invalid `%s` (%o) prevents the start", async (option, config) => {
    const error = await failToStart({ http, ...config });
    // errors in Node's own options are reported by Node
    const isOfNode = option.startsWith("http.options.");
    expect(error instanceof ConfigError).toBe(!isOfNode);
    expect(error.message).toContain(option.replace("http.options.", ""));
  });
});
