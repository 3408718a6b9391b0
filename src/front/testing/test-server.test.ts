import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { gunzipSync } from "node:zlib";
import createHttpError from "http-errors";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import {
  ConfigError,
  defaultEndpointsFactory as factory,
  ez,
  RoutingError,
  ServeStatic,
  type Routing,
  type ServerConfig,
} from "../../index.ts";
import { testServer, type TestServer } from "./index.ts";

let directory = "";
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "sallyport-testing-"));
  await writeFile(join(directory, "a.txt"), "0123456789".repeat(500));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const faults: unknown[] = [];
const onFault = (reason: unknown): void => void faults.push(reason);
beforeAll(() => void process.on("unhandledRejection", onFault));
afterAll(() => void process.off("unhandledRejection", onFault));
afterEach(() => {
  vi.useRealTimers();
  // whatever a test does, no promise may be left unhandled
  expect(faults.splice(0)).toEqual([]);
});

const echo = factory.build({
  method: ["get", "post", "put"],
  handler: async ({ request }) => ({
    ...{ method: request.method, url: request.url, headers: request.headers },
    body: (request as { body?: unknown }).body ?? null,
  }),
});
const reader = factory.build({ handler: async () => ({}) });
const upload = factory.build({
  method: "post",
  input: z.object({ file: ez.upload(), title: z.string() }),
  handler: async ({ input: { file, title } }) => ({
    ...{ title, name: file.name, type: file.mimetype, text: file.data.toString() },
  }),
});
const redirect = factory.buildVoid({
  handler: ({ response }) => response.cookie("a", "1").cookie("b", "2").redirect("/echo"),
});
const status = factory.buildVoid({
  input: z.object({ is: z.coerce.number() }),
  handler: ({ input, response }) => response.status(input.is).end(),
});
const cut = factory.buildVoid({
  input: z.object({ after: z.coerce.number() }),
  handler: async ({ input, response }) => {
    response.write("half");
    if (input.after > 0) await pause(input.after);
    throw new Error("no more");
  },
});
const broken = factory.buildVoid({ handler: ({ response }) => response.destroy() });

/** The steps that the handlers recorded, including the abort of their signal. */
const steps: string[] = [];
let goOn: () => void = () => undefined;
const stepwise = factory.buildVoid({
  handler: async ({ response, signal }) => {
    signal.addEventListener("abort", () => steps.push("aborted"));
    for (const piece of ["one", "two", "three"]) {
      steps.push(piece);
      response.write(piece);
      await new Promise<void>((resolve) => {
        goOn = resolve;
        signal.addEventListener("abort", () => resolve());
      });
      if (signal.aborted) return;
    }
    response.end();
  },
});
const waiting = factory.build({
  handler: async ({ signal }) => {
    steps.push("began");
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    steps.push("aborted");
    return {};
  },
});

/** The number of bytes that the handler has written. */
let written = 0;
const large = factory.buildVoid({
  handler: async ({ response }) => {
    for (written = 0; written < 8_000_000; written += 40_000)
      if (!response.write(Buffer.alloc(40_000, "x"))) await once(response, "drain");
    response.end();
  },
});
const closing = factory.buildVoid({
  handler: ({ request }) => request.socket.on("close", () => steps.push("closed")),
});

const routing = {
  echo,
  reader,
  upload,
  redirect,
  status,
  cut,
  broken,
  stepwise,
  waiting,
  large,
  closing,
};
const open = (config: Partial<ServerConfig> = {}): Promise<TestServer> => {
  steps.length = 0;
  return testServer(config, { ...routing, files: new ServeStatic(directory) });
};
const json = { "content-type": "application/json" };
const dataOf = async (response: Response): Promise<Record<string, unknown>> =>
  ((await response.json()) as { data: Record<string, unknown> }).data;

/** Returns the reason with which a promise rejects. */
const refusalOf = (running: Promise<unknown>): Promise<unknown> =>
  running.then(
    () => undefined,
    (error: unknown) => error,
  );

/** Waits until no more resources are open than before, and returns their number; vitest may need some for a moment. */
const countOpen = async (before: number): Promise<number> => {
  const count = (): number => process.getActiveResourcesInfo().length;
  for (let left = 1000; count() > before && left > 0; left--) await pause(10);
  return count();
};

describe("a body", () => {
  test("of JSON reaches the handler", async () => {
    const { fetch } = await open();
    const response = await fetch("/echo", { method: "POST", headers: json, body: '{"a":["ä"]}' });
    expect([response.status, response.statusText, response.ok]).toEqual([200, "OK", true]);
    expect(await dataOf(response)).toMatchObject({ method: "POST", body: { a: ["ä"] } });
  });

  test("of a DELETE reaches the handler", async () => {
    const endpoint = factory.build({
      method: "delete",
      inputSources: ["body"],
      input: z.object({ a: z.int() }),
      handler: async ({ input }) => input,
    });
    const { fetch } = await testServer({}, { endpoint });
    const init = { method: "DELETE", headers: json, body: '{"a":1}' };
    expect(await dataOf(await fetch("/endpoint", init))).toEqual({ a: 1 });
  });

  test("may be sent in chunks", async () => {
    const { fetch } = await open();
    const headers = { ...json, "Transfer-Encoding": "chunked" };
    const response = await fetch("/echo", { method: "PUT", headers, body: '{"a":1}' });
    expect(await dataOf(response)).toMatchObject({ body: { a: 1 } });
  });

  test("of URLSearchParams reaches the handler as a form", async () => {
    const { fetch } = await open();
    const body = new URLSearchParams([
      ["a", "ä &"],
      ["b", "1"],
      ["b", "2"],
    ]);
    const response = await fetch("/echo", { method: "PUT", body });
    expect(await dataOf(response)).toMatchObject({ body: { a: "ä &", b: ["1", "2"] } });
  });

  test("of FormData reaches the handler as an upload", async () => {
    const { fetch } = await open({ upload: true });
    const body = new FormData();
    body.append("title", "Ä title");
    body.append("file", new Blob(["content"], { type: "text/x-a" }), "a.txt");
    const response = await fetch("/upload", { method: "POST", body });
    expect(await dataOf(response)).toEqual({
      ...{ title: "Ä title", name: "a.txt", type: "text/x-a", text: "content" },
    });
  });

  test("may be a stream, or bytes", async () => {
    const { fetch } = await open();
    const pieces = ['{"a":', "1}"].map((piece) => Buffer.from(piece));
    const stream = new ReadableStream({
      pull: (controller) => {
        const piece = pieces.shift();
        if (piece) controller.enqueue(piece);
        else controller.close();
      },
    });
    for (const body of [stream, new TextEncoder().encode('{"a":1}')]) {
      const init = { method: "POST", headers: json, body, duplex: "half" } as RequestInit;
      expect(await dataOf(await fetch("/echo", init))).toMatchObject({ body: { a: 1 } });
    }
  });

  test("that is malformed or too large gets the same response as on a server", async () => {
    const { fetch } = await open({ bodyLimit: 100 });
    const send = async (body: string): Promise<number> =>
      (await fetch("/echo", { method: "POST", headers: json, body })).status;
    expect([await send("{"), await send(`"${"x".repeat(500_000)}"`)]).toEqual([400, 413]);
  });
});

describe("a target", () => {
  test("may be a path, a URL or a Request, with options in the second argument", async () => {
    const { fetch } = await open();
    const seen = async (...args: Parameters<TestServer["fetch"]>): Promise<unknown> => {
      const { url, headers } = await dataOf(await fetch(...args));
      return [url, (headers as { host: string }).host];
    };
    expect(await seen("/echo?a=%C3%A4#top")).toEqual(["/echo?a=%C3%A4", "localhost"]);
    expect(await seen("echo")).toEqual(["/echo", "localhost"]);
    const url = "http://api.example:81/echo";
    expect(await seen(new URL(url))).toEqual(["/echo", "api.example:81"]);
    expect(await seen(new Request(url), { headers: { host: "b.example" } })).toEqual([
      ...["/echo", "b.example"],
    ]);
  });

  test("that is a Request determines the method, the headers and the body", async () => {
    const { fetch } = await open();
    const request = new Request("http://a/echo", {
      ...{ method: "PUT", body: '{"a":1}', headers: { ...json, "x-a": "1" } },
    });
    expect(await dataOf(await fetch(request))).toMatchObject({
      ...{ method: "PUT", body: { a: 1 }, headers: { "x-a": "1" } },
    });
    expect(request.bodyUsed).toBe(true);
  });

  test("with the method in lower case is refused as by a server, except where fetch itself changes the case", async () => {
    const { fetch } = await open();
    expect((await fetch("/echo", { method: "patch" })).status).toBe(400);
    expect(await dataOf(await fetch("/echo", { method: "put" }))).toMatchObject({ method: "PUT" });
  });

  test("that is not a URL is rejected as by the global fetch", async () => {
    const { fetch } = await open();
    await expect(fetch("http://[")).rejects.toThrow(TypeError);
  });
});

describe("features around endpoints", () => {
  test("include 404 and 405 responses, preflight requests, CORS and HEAD", async () => {
    const { fetch } = await open({ cors: true });
    const missing = await fetch("/nowhere");
    expect(missing.status).toBe(404);
    expect(await missing.json()).toMatchObject({ error: { code: "SLP_NOT_FOUND" } });
    const wrong = await fetch("/reader", { method: "DELETE" });
    expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
    const preflight = await fetch("/reader", { method: "OPTIONS" });
    expect([preflight.status, await preflight.text()]).toEqual([200, ""]);
    for (const { headers } of [missing, wrong, preflight])
      expect(headers.get("access-control-allow-origin")).toBe("*");
    const head = await fetch("/reader", { method: "HEAD" });
    expect([head.status, head.body, head.headers.get("content-length")]).toEqual([200, null, "30"]);
  });

  test("include CORS only if configured, without a warning", async () => {
    const { fetch, loggerMock } = await testServer({}, { reader });
    expect((await fetch("/reader", { method: "OPTIONS" })).status).toBe(405);
    expect(loggerMock._getLogs().warn).toEqual([]);
  });

  test("include static files and ranges", async () => {
    const { fetch } = await open();
    const part = await fetch("/files/a.txt", { headers: { range: "bytes=2-5" } });
    expect([part.status, await part.text()]).toEqual([206, "2345"]);
    expect(part.headers.get("content-range")).toBe("bytes 2-5/5000");
    expect(await (await fetch("/files/a.txt")).text()).toHaveLength(5000);
    expect((await fetch("/files/b.txt")).status).toBe(404);
  });

  test("include compression, which the test itself has to decode", async () => {
    const { fetch } = await open({ compression: true });
    const plain = await fetch("/files/a.txt");
    expect(plain.headers.get("content-encoding")).toBeNull();
    const packed = await fetch("/files/a.txt", { headers: { "accept-encoding": "gzip" } });
    expect(packed.headers.get("content-encoding")).toBe("gzip");
    expect(gunzipSync(await packed.arrayBuffer())).toHaveLength(5000);
  });

  test("include the hooks, and access to the application", async () => {
    const { fetch, app } = await open({
      beforeRouting: async ({ app, getLogger }) => {
        getLogger().info("before");
        app.get("/early", (_request, response) => void response.send("early"));
      },
      afterRouting: ({ app }) =>
        void app.get("/late", (_request, response) => void response.send("late")),
    });
    expect(await (await fetch("/early")).text()).toBe("early");
    expect(await (await fetch("/late")).text()).toBe("late");
    expect((await fetch("/reader")).status).toBe(200);
    app.set("json spaces", 1);
    expect(await (await fetch("/reader")).text()).toContain('\n "status"');
  });

  test("include a log of all requests, whatever logger is configured", async () => {
    const debug = vi.fn();
    const { fetch, loggerMock } = await open({ logger: { debug, extra: 1 } as never });
    await fetch("/reader?secret=1");
    expect(loggerMock._getLogs().debug).toMatchObject([["GET: /reader", { status: 200 }]]);
    expect(debug).not.toHaveBeenCalled();
    expect(loggerMock).toHaveProperty("extra", 1);
  });

  test("include the options of node:http", async () => {
    const { fetch } = await open({ http: { listen: 80, options: { maxHeaderSize: 400 } } });
    expect((await fetch("/reader", { headers: { a: "x".repeat(500) } })).status).toBe(431);
  });
});

describe("a response", () => {
  test("that redirects is returned without being followed, with all its cookies", async () => {
    const { fetch } = await open();
    const response = await fetch("/redirect");
    expect([response.status, response.headers.get("location")]).toEqual([302, "/echo"]);
    expect(response.headers.getSetCookie()).toEqual(["a=1; Path=/", "b=2; Path=/"]);
  });

  test.each([204, 205, 304])("with status %d has no body", async (code) => {
    const { fetch } = await open();
    const response = await fetch(`/status?is=${code}`);
    expect([response.status, response.body, await response.text()]).toEqual([code, null, ""]);
  });

  test("is read chunk by chunk while the handler still runs", async () => {
    const { fetch } = await open();
    const response = await fetch("/stepwise");
    const pieces = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    expect(await pieces?.read()).toEqual({ done: false, value: "one" });
    expect(steps).toEqual(["one"]);
    goOn();
    expect(await pieces?.read()).toEqual({ done: false, value: "two" });
    expect(steps).toEqual(["one", "two"]);
    goOn();
    await pieces?.read();
    goOn();
    expect(await pieces?.read()).toEqual({ done: true, value: undefined });
    expect(steps).not.toContain("aborted");
  });

  test("that is read slowly makes the handler wait", async () => {
    const { fetch } = await open();
    const pieces = (await fetch("/large")).body?.getReader();
    const first = await pieces?.read();
    await pause(20);
    expect(written).toBeLessThan(2_000_000);
    let size = first?.value?.length ?? 0;
    for (let piece = await pieces?.read(); piece?.value; piece = await pieces?.read())
      size += piece.value.length;
    expect(size).toBe(8_000_000);
    expect(written).toBe(8_000_000);
  });

  test.each(["GET", "HEAD"])(
    "to %s closes its connection once it has been read",
    async (method) => {
      const { fetch } = await open();
      await (await fetch("/closing", { method })).text();
      await expect.poll(() => steps).toEqual(["closed"]);
    },
  );

  test.each([10, 0])(
    "that is cut off causes an error when it is read, even if it was cut off by then (%i)",
    async (after) => {
      const { fetch, loggerMock } = await open();
      const response = await fetch(`/cut?after=${after}`);
      expect(response.status).toBe(200);
      await expect(response.text()).rejects.toThrow(Error);
      expect(loggerMock._getLogs().error).toHaveLength(1);
    },
  );

  test("that is cut off has no effect if it is not read", async () => {
    const { fetch, loggerMock } = await open();
    await fetch("/cut?after=10");
    await expect.poll(() => loggerMock._getLogs().error).toHaveLength(1);
    await pause(10);
  });

  test("that never comes makes fetch reject with a TypeError, as the global fetch does", async () => {
    const { fetch } = await open();
    await expect(fetch("/broken")).rejects.toThrow(TypeError);
  });
});

describe("when a client disconnects", () => {
  test("before the response, the handler's signal is aborted", async () => {
    const { fetch } = await open();
    const leaving = new AbortController();
    const refused = refusalOf(fetch("/waiting", { signal: leaving.signal }));
    await expect.poll(() => steps).toEqual(["began"]);
    leaving.abort();
    expect(await refused).toMatchObject({ name: "AbortError" });
    await expect.poll(() => steps).toEqual(["began", "aborted"]);
  });

  test("before the response, fetch rejects with the reason of the signal, as the global fetch does", async () => {
    const { fetch } = await open();
    const reason = new Error("bored");
    await expect(fetch("/waiting", { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });

  test("through the signal of a Request, the handler's signal is aborted", async () => {
    const { fetch } = await open();
    const leaving = new AbortController();
    const refused = refusalOf(fetch(new Request("http://a/waiting", { signal: leaving.signal })));
    await expect.poll(() => steps).toEqual(["began"]);
    leaving.abort();
    expect(await refused).toMatchObject({ name: "AbortError" });
    await expect.poll(() => steps).toEqual(["began", "aborted"]);
  });

  test("during the response, the handler's signal is aborted", async () => {
    const { fetch } = await open();
    const leaving = new AbortController();
    const response = await fetch("/stepwise", { signal: leaving.signal });
    const refused = refusalOf(response.text());
    leaving.abort();
    expect(await refused).toBeInstanceOf(Error);
    await expect.poll(() => steps).toEqual(["one", "aborted"]);
  });

  test("during the response, its body fails with an AbortError, as with the global fetch", async () => {
    const { fetch } = await open();
    const leaving = new AbortController();
    const response = await fetch("/stepwise", { signal: leaving.signal });
    const refused = refusalOf(response.text());
    leaving.abort();
    expect(await refused).toMatchObject({ name: "AbortError" });
  });

  test("by cancelling the body, the handler's signal is aborted", async () => {
    const { fetch } = await open();
    const response = await fetch("/stepwise");
    await response.body?.cancel();
    await expect.poll(() => steps).toEqual(["one", "aborted"]);
  });
});

describe("a server", () => {
  test("does not start if the configuration or the routing is wrong, or a hook fails", async () => {
    const wrong = { corss: true } as never;
    await expect(testServer(wrong, { reader })).rejects.toThrow(ConfigError);
    await expect(testServer(wrong, { reader })).rejects.toThrow("Did you mean `cors`?");
    const routing = { "GET /x": reader } as never as Routing;
    await expect(testServer({}, routing as never)).rejects.toThrow(RoutingError);
    const beforeRouting = (): never => {
      throw createHttpError(500, "hook");
    };
    await expect(testServer({ beforeRouting }, { reader })).rejects.toThrow("hook");
  });

  test("keeps concurrent requests apart, even from those to another server, and leaves nothing open", async () => {
    const before = process.getActiveResourcesInfo().length;
    const [one, other] = await Promise.all([open(), testServer({ cors: true }, { a: { echo } })]);
    const [seen, seenByOther] = await Promise.all([
      Promise.all(
        Array.from({ length: 100 }, async (_, n) => dataOf(await one.fetch(`/echo?${n}`))),
      ),
      Promise.all(
        Array.from({ length: 100 }, async (_, n) => dataOf(await other.fetch(`/a/echo?${n}`))),
      ),
    ]);
    expect(seen.map(({ url }) => url)).toEqual(seen.map((_, n) => `/echo?${n}`));
    expect(seenByOther.map(({ url }) => url)).toEqual(seen.map((_, n) => `/a/echo?${n}`));
    expect((await other.fetch("/echo")).status).toBe(404);
    expect(one.loggerMock._getLogs().debug).toHaveLength(100);
    expect(other.loggerMock._getLogs().debug).toHaveLength(102);
    expect(await countOpen(before)).toBeLessThanOrEqual(before);
  });

  test("responds while the clock is faked", async () => {
    const { fetch } = await open();
    vi.useFakeTimers();
    const response = await fetch("/echo", { method: "POST", headers: json, body: "{}" });
    expect((await dataOf(response))["body"]).toEqual({});
    expect(await (await fetch("/files/a.txt")).text()).toHaveLength(5000);
  });
});
