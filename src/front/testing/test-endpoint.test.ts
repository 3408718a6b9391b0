import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import createHttpError from "http-errors";
import { afterEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import {
  ConfigError,
  defaultEndpointsFactory as factory,
  DefinitionError,
  EventStreamFactory,
  ez,
  getRawBody,
} from "../../index.ts";
import { testEndpoint } from "./index.ts";

afterEach(() => {
  vi.useRealTimers();
});

const fine = factory.build({ handler: async () => ({ fine: true }) });
const poster = factory.build({
  method: "post",
  handler: async ({ request }) => ({ body: request.body as unknown }),
});
const many = factory.build({
  method: ["put", "get", "post"],
  handler: async ({ request: { method } }) => ({ method }),
});

/** Returns the data in the envelope that an endpoint sent. */
const dataOf = ({ responseMock }: Awaited<ReturnType<typeof testEndpoint>>): unknown =>
  responseMock._getJSONData<{ data: unknown }>().data;

describe("the request", () => {
  test("is by default a GET without a target, with an empty body and a JSON type", async () => {
    const { requestMock } = await testEndpoint({ endpoint: fine });
    const { method, url, originalUrl, body, headers, query } = requestMock as typeof requestMock & {
      body: unknown;
    };
    expect({ method, url, originalUrl, body, query }).toEqual({
      ...{ method: "GET", url: "", originalUrl: "", body: {}, query: {} },
    });
    expect(headers).toEqual({ host: "localhost", "content-type": "application/json" });
    expect(requestMock.ip).toBe("127.0.0.1");
    expect(requestMock.protocol).toBe("http");
  });

  test("has empty path parameters by default, as on a server", async () => {
    const { requestMock } = await testEndpoint({ endpoint: fine });
    expect(requestMock.params).toEqual({});
  });

  test.each(["post", "POST"] as const)("accepts a method in any case: %s", async (method) => {
    const { requestMock } = await testEndpoint({ endpoint: many, requestProps: { method } });
    expect(requestMock.method).toBe("POST");
  });

  test.each([
    [["get", "delete", "patch", "put"], "PATCH"],
    [["delete", "get"], "GET"],
    [["delete"], "DELETE"],
  ] as const)("with a body to an endpoint that declares %j is a %s", async (method, expected) => {
    const endpoint = factory.build({ method: [...method], handler: async () => ({}) });
    const { requestMock } = await testEndpoint({ endpoint, requestProps: { body: { a: 1 } } });
    expect(requestMock.method).toBe(expected);
  });

  test("is a GET if the endpoint declares it, and otherwise has the first declared method", async () => {
    const putter = factory.build({ method: ["put", "post"], handler: async () => ({}) });
    expect((await testEndpoint({ endpoint: putter })).requestMock.method).toBe("PUT");
    expect((await testEndpoint({ endpoint: many })).requestMock.method).toBe("GET");
  });

  test("has the target and its query", async () => {
    const { requestMock } = await testEndpoint({
      endpoint: fine,
      requestProps: { url: "/users/7?limit=5&limit=6&q=%C3%A4" },
    });
    const { url, originalUrl, path, query } = requestMock;
    expect({ url, originalUrl, path, query }).toEqual({
      url: "/users/7?limit=5&limit=6&q=%C3%A4",
      originalUrl: "/users/7?limit=5&limit=6&q=%C3%A4",
      path: "/users/7",
      query: { limit: ["5", "6"], q: "ä" },
    });
  });

  test("has the separate `query` if one is given, not the query of the target", async () => {
    const { requestMock } = await testEndpoint({
      endpoint: fine,
      requestProps: { url: "/users?limit=5", query: { page: "1" } },
    });
    expect(requestMock.query).toEqual({ page: "1" });
  });

  test("provides the input from its query, body, parameters and files", async () => {
    const endpoint = factory.build({
      method: ["get", "post"],
      input: z.object({ id: z.string(), n: z.coerce.number() }),
      handler: async ({ input }) => input,
    });
    const params = { id: "7" };
    const byQuery = { params, query: { n: "5", id: "8" } };
    expect(dataOf(await testEndpoint({ endpoint, requestProps: byQuery }))).toEqual({
      ...{ id: "7", n: 5 },
    });
    const byBody = { method: "POST", params, body: { n: 6, id: "8" } } as const;
    expect(dataOf(await testEndpoint({ endpoint, requestProps: byBody }))).toEqual({
      ...{ id: "7", n: 6 },
    });
  });

  test("has every property it is given, including custom ones and those that are getters in Express", async () => {
    const given = {
      ...{ ip: "10.0.0.7", ips: ["a"], protocol: "https", secure: true, xhr: true, path: "/p" },
      ...{ hostname: "h", subdomains: ["s"], fresh: true, cookies: { a: "1" }, session: { id: 1 } },
    };
    const handler = vi.fn(async (args: { readonly request: object }) => ({
      ...(Object.fromEntries(
        Object.keys(given).map((name) => [name, Reflect.get(args.request, name)]),
      ) as object),
    }));
    const endpoint = factory.build({ handler });
    expect(dataOf(await testEndpoint({ endpoint, requestProps: given }))).toEqual(given);
  });

  test("has Express' own value for a property that is set to undefined", async () => {
    const { requestMock } = await testEndpoint({
      endpoint: fine,
      requestProps: { ip: undefined, query: undefined, url: "/?a=1" },
    });
    expect([requestMock.ip, requestMock.query]).toEqual(["127.0.0.1", { a: "1" }]);
  });

  test("has headers by lower-case name, and the test's content type rather than the default", async () => {
    const { requestMock } = await testEndpoint({
      endpoint: fine,
      requestProps: {
        headers: {
          "X-Key": "k",
          "Content-Type": "text/plain",
          Host: "a.example",
          "X-A": ["1", "2"],
        },
      },
    });
    expect(requestMock.headers).toEqual({
      ...{ "x-key": "k", "content-type": "text/plain", host: "a.example", "x-a": "1, 2" },
    });
    expect(requestMock.get("X-KEY")).toBe("k");
    expect(requestMock.hostname).toBe("a.example");
  });

  test("keeps headers such as Content-Length and Transfer-Encoding, which have no effect", async () => {
    const headers = {
      ...{ "Content-Length": "999", "Transfer-Encoding": "chunked", Connection: "close" },
      ...{ Expect: "100-continue", Upgrade: "websocket", TE: "trailers" },
    };
    const { requestMock, responseMock } = await testEndpoint({
      endpoint: poster,
      requestProps: { headers, body: { a: 1 } },
    });
    expect(responseMock._getJSONData()).toMatchObject({ data: { body: { a: 1 } } });
    expect(requestMock.headers).toMatchObject({
      ...{ "content-length": "999", "transfer-encoding": "chunked", connection: "close" },
      ...{ expect: "100-continue", upgrade: "websocket", te: "trailers" },
    });
  });

  test.each([[null], ["text"], [[1, 2]], [7]])("accepts a body of any kind: %j", async (body) => {
    const { requestMock } = await testEndpoint({ endpoint: poster, requestProps: { body } });
    expect((requestMock as { body?: unknown }).body).toEqual(body);
  });

  test("may have a file whose `mv` is called when the handler moves it", async () => {
    const endpoint = factory.build({
      method: "post",
      input: z.object({ avatar: ez.upload() }),
      handler: async ({ input }) => {
        await input.avatar.mv(`/uploads/${input.avatar.name}`);
        return { size: input.avatar.size };
      },
    });
    const mv = vi.fn(async () => undefined);
    const data = Buffer.from("img");
    const avatar = { name: "a.png", data, size: data.length, mimetype: "image/png", mv };
    const result = await testEndpoint({ endpoint, requestProps: { files: { avatar } } });
    expect(dataOf(result)).toEqual({ size: 3 });
    expect(mv.mock.calls).toEqual([["/uploads/a.png"]]);
  });

  test("is the object that the handler received, and so is the response", async () => {
    const handler = vi.fn(
      async (_args: { readonly request: object; readonly response: object }) => ({}),
    );
    const endpoint = factory.build({ handler });
    const { requestMock, responseMock } = await testEndpoint({ endpoint });
    const [seen] = handler.mock.calls[0] ?? [];
    expect(seen?.request).toBe(requestMock);
    expect(seen?.response).toBe(responseMock);
  });

  test("does not cause a TypeError if its head is too large for a server", async () => {
    const headers = { cookie: `a=${"x".repeat(20_000)}` };
    const outcome = await testEndpoint({ endpoint: fine, requestProps: { headers } }).catch(
      (error: unknown) => error,
    );
    expect(outcome).not.toBeInstanceOf(TypeError);
  });
});

describe("the response", () => {
  test("has the locals given by the test", async () => {
    const endpoint = factory.build({ handler: async ({ response }) => ({ ...response.locals }) });
    const result = await testEndpoint({ endpoint, responseOptions: { locals: { nonce: "n" } } });
    expect(dataOf(result)).toEqual({ nonce: "n" });
  });

  test("has no body for HEAD, but the same headers as with a body", async () => {
    const { responseMock } = await testEndpoint({
      endpoint: fine,
      requestProps: { method: "HEAD" },
    });
    expect(responseMock._getData()).toBe("");
    expect(responseMock._getHeaders()).toHaveProperty("content-length", "41");
  });

  test("has the status that was sent, whatever the handler sets afterwards", async () => {
    const endpoint = factory.buildVoid({
      handler: ({ response }) => response.status(202).send("sent").status(500),
    });
    const { responseMock } = await testEndpoint({ endpoint });
    expect(responseMock._getStatusCode()).toBe(202);
  });

  test("to OPTIONS is a preflight response, and the handler does not run", async () => {
    const handler = vi.fn(async () => ({}));
    const { responseMock } = await testEndpoint({
      endpoint: factory.build({ method: "post", handler }),
      requestProps: { method: "OPTIONS" },
      configProps: { cors: true },
    });
    expect([responseMock._getStatusCode(), responseMock._isEndCalled()]).toEqual([200, true]);
    expect(responseMock._getHeaders()).toHaveProperty("access-control-allow-origin", "*");
    expect(handler).not.toHaveBeenCalled();
  });
});

describe("the options", () => {
  const refusalOf = (options: object): Promise<unknown> =>
    testEndpoint(options as Parameters<typeof testEndpoint>[0]).then(
      () => undefined,
      (error: unknown) => error,
    );

  test.each([
    [
      { endpoint: fine, requestProp: {} },
      "there is no option `requestProp`. Did you mean `requestProps`? The options are endpoint, ctx, requestProps, responseOptions, configProps, loggerProps, signal.",
    ],
    [
      { endpoint: fine, responseOptions: { local: {} } },
      "`responseOptions`: there is no option `local`. Did you mean `locals`? The options are locals.",
    ],
    [{}, "`endpoint` must be an endpoint, made with a factory's `build`."],
    [
      { endpoint: { handler: () => ({}) } },
      "`endpoint` must be an endpoint, made with a factory's `build`.",
    ],
    [
      { endpoint: fine, requestProps: { method: "PSOT" } },
      'requestProps.method must be one of GET, POST, PUT, PATCH, DELETE, QUERY, HEAD, OPTIONS; got "PSOT".',
    ],
    [
      { endpoint: many, requestProps: { method: "delete" } },
      "the endpoint declares only PUT, GET, POST, but requestProps.method is DELETE; a server would respond with 405.",
    ],
    [
      { endpoint: poster, requestProps: { method: "HEAD" } },
      "the endpoint declares only POST, but requestProps.method is HEAD; a server would respond with 405.",
    ],
  ])("cause an error that names the mistake: %o", async (options, message) => {
    const refusal = await refusalOf(options);
    expect(refusal).toBeInstanceOf(DefinitionError);
    expect((refusal as Error).message).toBe(`testEndpoint: ${message}`);
    const code = message.startsWith("requestProps.method") ? /^SLP_TEST_METHOD$/ : /^SLP_TEST_/;
    expect((refusal as DefinitionError).code).toMatch(code);
  });

  test("that belong to the configuration are validated", async () => {
    const refusal = await refusalOf({ endpoint: fine, configProps: { requestTimout: 5 } });
    expect(refusal).toBeInstanceOf(ConfigError);
    expect((refusal as Error).message).toContain("Did you mean `requestTimeout`?");
  });

  test("are optional, apart from the endpoint", async () => {
    const options = { requestProps: undefined, configProps: undefined, loggerProps: undefined };
    const { responseMock } = await testEndpoint({
      ...{ endpoint: fine, responseOptions: undefined, ...options },
    });
    expect(responseMock._getStatusCode()).toBe(200);
  });

  test("that belong to the configuration apply if they concern a single endpoint", async () => {
    const endpoint = factory.build({
      input: z.object({ "x-key": z.string(), a: z.object({ b: z.string() }) }),
      handler: async ({ input }) => input,
    });
    const result = await testEndpoint({
      endpoint,
      requestProps: { url: "/?a[b]=1", headers: { "X-Key": "k" } },
      configProps: { inputSources: { get: ["headers", "query"] }, queryParser: "extended" },
    });
    expect(dataOf(result)).toEqual({ "x-key": "k", a: { b: "1" } });
  });
});

describe("a run", () => {
  test("lasts until the handler is done, even if the response is sent before that", async () => {
    const endpoint = factory.buildVoid({
      handler: async ({ response, logger }) => {
        response.send("sent");
        await pause(30);
        logger.info("done");
      },
    });
    const { loggerMock } = await testEndpoint({ endpoint });
    expect(loggerMock._getLogs().info).toEqual([["done"]]);
  });

  test("provides a socket with the methods that handlers may call", async () => {
    const endpoint = factory.build({
      handler: async ({ request: { socket } }) => ({ address: socket.address() }),
    });
    expect(dataOf(await testEndpoint({ endpoint }))).toMatchObject({
      address: { address: "127.0.0.1", family: "IPv4" },
    });
  });

  test("accepts a response whose head is larger than Node's clients accept by default", async () => {
    const endpoint = factory.buildVoid({
      handler: ({ response }) => response.set("X-Large", "x".repeat(20_000)).end(),
    });
    const { responseMock } = await testEndpoint({ endpoint });
    expect(responseMock._getHeaders()["x-large"]).toHaveLength(20_000);
  });

  test("closes its connection", async () => {
    const { requestMock } = await testEndpoint({ endpoint: fine });
    await expect.poll(() => requestMock.socket.destroyed).toBe(true);
  });

  test.each([createHttpError(404, "gone"), new Error("x"), "text", undefined, null, Symbol("s")])(
    "never rejects, whatever is thrown",
    async (thrown) => {
      const endpoint = factory.build({
        handler: () => {
          throw thrown;
        },
      });
      const { responseMock } = await testEndpoint({ endpoint });
      expect(responseMock._getStatusCode()).toBe(createHttpError.isHttpError(thrown) ? 404 : 500);
    },
  );

  test("ends while the clock is faked", async () => {
    vi.useFakeTimers();
    const endpoint = factory.build({
      input: z.object({ id: z.string() }),
      handler: async ({ response }) => {
        await Promise.resolve();
        return { locals: { ...response.locals }, now: Date.now() };
      },
    });
    vi.setSystemTime(0);
    const result = await testEndpoint({ endpoint, requestProps: { query: { id: "1" } } });
    expect(dataOf(result)).toEqual({ locals: {}, now: 0 });
    expect(vi.getTimerCount()).toBe(0);
  });

  test("reaches its time limit when a fake clock is advanced", async () => {
    vi.useFakeTimers();
    const endpoint = factory.build({ handler: () => new Promise<object>(() => undefined) });
    const running = testEndpoint({ endpoint, configProps: { requestTimeout: 60_000 } });
    await vi.waitFor(() => expect(vi.getTimerCount()).toBe(1), 10_000);
    await vi.advanceTimersByTimeAsync(60_000);
    expect((await running).responseMock._getStatusCode()).toBe(503);
  });

  test("is independent of other runs, and leaves nothing open", async () => {
    const endpoint = factory.build({
      input: z.object({ n: z.coerce.number() }),
      handler: async ({ input, response }) => {
        await new Promise((resolve) => setTimeout(resolve, input.n % 5));
        response.set("X-N", String(input.n));
        return { n: input.n };
      },
    });
    const before = process.getActiveResourcesInfo().length;
    const results = await Promise.all(
      Array.from({ length: 200 }, (_, n) =>
        testEndpoint({ endpoint, requestProps: { query: { n: String(n) } } }),
      ),
    );
    expect(results.map(dataOf)).toEqual(results.map((_, n) => ({ n })));
    expect(results.map(({ responseMock }) => responseMock._getHeaders()["x-n"])).toEqual(
      results.map((_, n) => String(n)),
    );
    // vitest itself may have resources open for a moment
    const count = (): number => process.getActiveResourcesInfo().length;
    for (let left = 1000; count() > before && left > 0; left--) await pause(10);
    expect(count()).toBeLessThanOrEqual(before);
  });
});

describe("testEndpoint", () => {
  test("passes a Buffer to an endpoint with a raw body", async () => {
    const endpoint = factory.build({
      ...{ method: "post", input: ez.raw() },
      handler: ({ input }) => ({ text: input.raw.toString() }),
    });
    const sent = await testEndpoint({ endpoint, requestProps: { body: Buffer.from("own") } });
    expect(dataOf(sent)).toEqual({ text: "own" });
  });

  test("provides the raw bytes of the body if the endpoint sets `keepRawBody`", async () => {
    const endpoint = factory.build({
      method: "post",
      keepRawBody: true,
      handler: async ({ request }) => ({ bytes: getRawBody(request)?.toString() }),
    });
    const sent = await testEndpoint({ endpoint, requestProps: { body: { a: 1 } } });
    expect(dataOf(sent)).toEqual({ bytes: '{"a":1}' });
    const rawBody = Buffer.from("own");
    const own = await testEndpoint({ endpoint, requestProps: { body: { a: 1 }, rawBody } });
    expect(dataOf(own)).toEqual({ bytes: "own" });
  });

  test("stops when its signal is aborted, as when a client disconnects, and returns what was received by then", async () => {
    const controller = new AbortController();
    const clock = new EventStreamFactory({ tick: z.number() }).build({
      handler: async ({ ctx: { emit, isClosed } }) => {
        for (let tick = 0; !isClosed(); tick++) {
          await emit("tick", tick);
          if (tick === 4) controller.abort();
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
      },
    });
    const { signal } = controller;
    const { responseMock } = await testEndpoint({ endpoint: clock, signal });
    expect(responseMock._getData()).toMatch(/^event: tick\ndata: 0\n\nevent: tick\ndata: 1\n\n/);
    expect(responseMock._isCut()).toBe(true);
    const silent = factory.build({
      handler: ({ signal: left }) => once(left, "abort").then(() => ({})),
    });
    const early = await testEndpoint({ endpoint: silent, signal: AbortSignal.timeout(10) });
    expect(early.responseMock._isCut()).toBe(true);
  });

  test.each([new Error("left"), "left", null])(
    "sends the request even if its signal is aborted already, with %o",
    async (reason) => {
      const endpoint = factory.build({
        handler: ({ signal: left }) => once(left, "abort").then(() => ({})),
      });
      const signal = AbortSignal.abort(reason);
      for (const requestProps of [{}, { method: "POST", body: { id: 1 } }] as const) {
        const { responseMock, loggerMock } = await testEndpoint({ endpoint, signal, requestProps });
        expect(responseMock._isCut()).toBe(true);
        expect(loggerMock._getLogs()).toMatchObject({ error: [], warn: [] });
      }
    },
  );

  test("returns the part of a stream that was received before it broke off", async () => {
    const endpoint = new EventStreamFactory({ tick: z.number() }).build({
      handler: async ({ ctx: { emit } }) => {
        await emit("tick", 1);
        await emit("tick", "2" as never);
      },
    });
    const { responseMock } = await testEndpoint({ endpoint });
    expect(responseMock._getData()).toBe("event: tick\ndata: 1\n\n");
    expect(responseMock._isCut()).toBe(true);
  });

  test("requires an options object rather than an endpoint", async () => {
    await expect(testEndpoint(fine as never)).rejects.toThrow("testEndpoint({ endpoint })");
  });
});
