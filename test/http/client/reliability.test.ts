import { createServer, type Server, type Socket } from "node:net";
import { connect } from "node:net";
import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import createHttpError from "http-errors";
import { defaultEndpointsFactory as factory, EventStreamFactory } from "sallyport";
import {
  AbortedError,
  createClient,
  NetworkError,
  ReplyError,
  TimeoutError,
  UnexpectedBodyError,
} from "sallyport/client";
import { afterEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { start } from "../harness.ts";

const proxies = new Set<Server>();
afterEach(() => {
  for (const proxy of proxies) proxy.close();
  proxies.clear();
});

/** A proxy between two sockets that may cut off, delay or change the data. */
const startProxy = async (
  port: number,
  onConnection: (client: Socket, upstream: Socket, number: number) => void,
): Promise<string> => {
  let number = 0;
  const proxy = createServer((client) => {
    const upstream = connect(port, "127.0.0.1");
    client.on("error", () => upstream.destroy());
    upstream.on("error", () => client.destroy());
    client.on("close", () => upstream.destroy());
    upstream.on("close", () => client.destroy());
    onConnection(client, upstream, ++number);
  });
  proxies.add(proxy);
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  return `http://127.0.0.1:${(proxy.address() as { port: number }).port}`;
};

const pass = (client: Socket, upstream: Socket): void => {
  client.pipe(upstream);
  upstream.pipe(client);
};

/** Creates an endpoint that counts its calls, and fails the given number of times. */
const createFlaky = (failures: number, error: () => Error) => {
  let calls = 0;
  const handler = async () => {
    if (++calls <= failures) throw error();
    return { calls };
  };
  const output = z.object({ calls: z.number() });
  return {
    flaky: { get: factory.build({ output, handler }), post: factory.build({ output, handler }) },
  };
};

const quick = { limit: 5, delay: 5 } as const;

describe("a client retries", () => {
  test("idempotent requests that failed temporarily", async () => {
    const routing = createFlaky(3, () => createHttpError(503, "Busy"));
    const { port } = await start(routing);
    const client = createClient<typeof routing>({ baseUrl: `http://127.0.0.1:${port}` });
    expect(await client.provide("get /flaky", {}, { retry: quick })).toEqual({
      status: "success",
      data: { calls: 4 },
    });
  });

  test("nothing by default; if enabled, neither POST requests nor permanent failures", async () => {
    const busy = createFlaky(1, () => createHttpError(503, "Busy"));
    const server = await start(busy);
    const client = createClient<typeof busy>({ baseUrl: `http://127.0.0.1:${server.port}` });
    expect((await client.request("get /flaky")).status).toBe(503);
    const posted = createFlaky(1, () => createHttpError(503, "Busy"));
    const other = await start(posted);
    const second = createClient<typeof posted>({
      baseUrl: `http://127.0.0.1:${other.port}`,
      retry: quick,
    });
    expect((await second.request("post /flaky")).status).toBe(503);
    expect((await second.request("post /flaky")).status).toBe(200);
    const wrong = createFlaky(1, () => createHttpError(409, "Taken"));
    const third = await start(wrong);
    const client3 = createClient<typeof wrong>({
      baseUrl: `http://127.0.0.1:${third.port}`,
      retry: quick,
    });
    expect((await client3.request("get /flaky")).status).toBe(409);
  });

  test("a POST if configured to, up to the limit", async () => {
    const routing = createFlaky(9, () => createHttpError(502, "Bad"));
    const { port } = await start(routing);
    const client = createClient<typeof routing>({ baseUrl: `http://127.0.0.1:${port}` });
    const attempts: number[] = [];
    const reply = await client.request(
      "post /flaky",
      {},
      {
        retry: { limit: 2, delay: 1, methods: ["POST"] },
        onRequest: ({ attempt }) => attempts.push(attempt),
      },
    );
    expect([reply.status, attempts]).toEqual([502, [1, 2, 3]]);
  });

  test.each([
    [1, "put", { "if-match": '"v1"' }, {}],
    [1, "delete", { "If-Match": '"v1"' }, {}],
    [1, "put", { "if-none-match": "*" }, {}],
    [1, "put", () => ({ "if-match": '"v1"' }), {}],
    [3, "put", { "if-match": '"v1"' }, { methods: ["put"] }],
    [3, "put", {}, {}],
    [3, "get", { "if-match": '"v1"' }, {}],
  ])(
    "conditional writes only if configured to: %d requests with %s, %j, %j",
    async (count, method, headers, more) => {
      const fetch = vi.fn(() => Promise.reject(new TypeError("lost")));
      const retry = { limit: 2, delay: 1, ...more };
      const client = createClient<never>({
        baseUrl: "http://localhost",
        fetch,
        retry,
      }) as unknown as {
        readonly request: (key: string, input: object, options: object) => Promise<unknown>;
      };
      await expect(client.request(`${method} /note`, {}, { headers })).rejects.toThrow("lost");
      expect(fetch).toHaveBeenCalledTimes(count);
    },
  );

  test("no sooner than Retry-After says, and not at all if that is too long to wait", async () => {
    const routing = createFlaky(1, () =>
      createHttpError(429, "Slow down", { headers: { "retry-after": "1" } }),
    );
    const { port } = await start(routing);
    const client = createClient<typeof routing>({ baseUrl: `http://127.0.0.1:${port}` });
    const times: number[] = [];
    const onRequest = (): void => void times.push(performance.now());
    const options = { retry: { limit: 1, delay: 1 }, onRequest };
    expect((await client.request("get /flaky", {}, options)).status).toBe(200);
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(990);
    const long = createFlaky(1, () =>
      createHttpError(503, "Later", { headers: { "retry-after": "3600" } }),
    );
    const second = await start(long);
    const impatient = createClient<typeof long>({
      baseUrl: `http://127.0.0.1:${second.port}`,
      retry: quick,
    });
    expect((await impatient.request("get /flaky")).status).toBe(503);
  });

  test("requests that a proxy cut off before or during the response", async () => {
    const routing = createFlaky(0, () => new Error("never"));
    const { port } = await start(routing);
    const baseUrl = await startProxy(port, (client, upstream, number) => {
      if (number === 1) client.destroy();
      else if (number === 2) {
        client.pipe(upstream);
        upstream.once("data", (data: Buffer) => {
          client.write(data.subarray(0, data.length - 4));
          setTimeout(() => client.destroy(), 20);
        });
      } else pass(client, upstream);
    });
    const client = createClient<typeof routing>({ baseUrl });
    expect(await client.provide("get /flaky", {}, { retry: quick })).toMatchObject({
      status: "success",
    });
    await expect(
      createClient<typeof routing>({ baseUrl: "http://127.0.0.1:1" }).provide("get /flaky"),
    ).rejects.toBeInstanceOf(NetworkError);
  });
});

describe("a client stops", () => {
  const slow = factory.build({
    output: z.object({}),
    handler: async ({ signal }) => {
      await wait(20_000, undefined, { signal });
      return {};
    },
  });

  test("after its timeout, naming the route", async () => {
    const routing = { slow };
    const { port } = await start(routing);
    const client = createClient<typeof routing>({
      baseUrl: `http://127.0.0.1:${port}`,
      timeout: 30,
    });
    const failed = client.provide("get /slow");
    await expect(failed).rejects.toBeInstanceOf(TimeoutError);
    await expect(failed).rejects.toMatchObject({
      code: "SLP_CLIENT_TIMEOUT",
      method: "GET",
      path: "/slow",
      timeout: 30,
      message: "GET /slow: no complete response within 30 ms",
    });
  });

  test("when its signal is aborted before or during a request, or while it waits to retry", async () => {
    const routing = { slow, ...createFlaky(9, () => createHttpError(503)) };
    const { port } = await start(routing);
    const client = createClient<typeof routing>({ baseUrl: `http://127.0.0.1:${port}` });
    const reason = new Error("Left the page");
    const early = client.provide("get /slow", {}, { signal: AbortSignal.abort(reason) });
    await expect(early).rejects.toMatchObject({ name: "AbortedError", cause: reason });
    const controller = new AbortController();
    setTimeout(() => controller.abort(reason), 20);
    await expect(
      client.provide("get /slow", {}, { signal: controller.signal }),
    ).rejects.toBeInstanceOf(AbortedError);
    const { signal } = controller;
    const third = new AbortController();
    setTimeout(() => third.abort(reason), 30);
    const retry = { limit: 3, delay: 1e9, maxDelay: 1e9 };
    await expect(
      client.provide("get /flaky", {}, { signal: third.signal, retry }),
    ).rejects.toBeInstanceOf(AbortedError);
    expect(signal.aborted).toBe(true);
  });

  test("even if a hook or a custom fetch ignores the signal", async () => {
    const client = createClient<{ slow: typeof slow }>({
      baseUrl: "http://127.0.0.1:1",
      timeout: 20,
      fetch: () => new Promise<never>(() => undefined),
    });
    await expect(client.provide("get /slow")).rejects.toBeInstanceOf(TimeoutError);
  });
});

describe("an event stream", () => {
  const total = 10_000;
  const counts = new EventStreamFactory({ count: z.object({ n: z.number() }) }).build({
    handler: async ({ ctx: { emit }, request, response }) => {
      const last = Number(request.get("last-event-id") ?? 0);
      if (last >= total) {
        response.status(204).end();
        return;
      }
      for (let n = last + 1; n <= total; n++) await emit("count", { n }, { id: String(n) });
    },
  });

  test("of 10,000 events that is cut off 50 times arrives whole and in order", async () => {
    const routing = { counts };
    const { port } = await start(routing);
    let connections = 0;
    const baseUrl = await startProxy(port, (client, upstream, number) => {
      connections = number;
      client.pipe(upstream);
      if (number > 50) {
        upstream.pipe(client);
        return;
      }
      // the connection is cut at any byte, most often within an event
      let left = 3000 + Math.floor(Math.random() * 6000);
      upstream.on("data", (data: Buffer) => {
        client.write(data.subarray(0, left));
        left -= data.length;
        if (left < 0) client.destroy();
      });
    });
    const client = createClient<typeof routing>({ baseUrl });
    const seen: number[] = [];
    for await (const { data } of client.subscribe("get /counts", {}, { delay: 1 }))
      seen.push(data.n);
    expect(connections).toBeGreaterThan(50);
    expect(seen).toEqual(Array.from({ length: total }, (_, index) => index + 1));
  }, 60_000);

  test("ends, with its connection, when the loop ends or the signal is aborted", async () => {
    let closed = 0;
    const ticks = new EventStreamFactory({ tick: z.number() }).build({
      handler: async ({ ctx: { emit, signal } }) => {
        signal.addEventListener("abort", () => closed++);
        for (let n = 1; ; n++) {
          await emit("tick", n);
          await wait(5, undefined, { signal });
        }
      },
    });
    const routing = { ticks };
    const { port } = await start(routing);
    const client = createClient<typeof routing>({ baseUrl: `http://127.0.0.1:${port}` });
    for await (const { event, data } of client.subscribe("get /ticks")) {
      expect(event).toBe("tick");
      if (data === 3) break;
    }
    await expect.poll(() => closed).toBe(1);
    const controller = new AbortController();
    for await (const { data } of client.subscribe("get /ticks", {}, { signal: controller.signal }))
      if (data === 2) controller.abort();
    await expect.poll(() => closed).toBe(2);
    const late = new AbortController();
    setTimeout(() => late.abort(), 30);
    const silent = client.subscribe("get /ticks", {}, { signal: late.signal });
    for await (const { data } of silent) expect(data).toBeGreaterThan(0);
  });

  test("is rejected if the response is a 4xx, and reopened if it is a 5xx", async () => {
    let calls = 0;
    const refused = new EventStreamFactory({ tick: z.number() }).build({
      handler: async ({ ctx: { emit } }) => {
        calls++;
        if (calls === 1) throw createHttpError(503, "Starting");
        if (calls > 2) throw createHttpError(403, "No more");
        await emit("tick", 1);
      },
    });
    const routing = { refused };
    const { port } = await start(routing);
    const client = createClient<typeof routing>({ baseUrl: `http://127.0.0.1:${port}` });
    const seen: number[] = [];
    const run = async (): Promise<void> => {
      for await (const { data } of client.subscribe("get /refused", {}, { delay: 1 }))
        seen.push(data);
    };
    await expect(run()).rejects.toMatchObject({
      name: "ReplyError",
      status: 403,
      message: "No more",
    });
    expect([seen, calls]).toEqual([[1], 3]);
    await expect(run()).rejects.toBeInstanceOf(ReplyError);
  });
});

describe("a response from a proxy", () => {
  test.each([
    ["HTML", "text/html", "<h1>Bad Gateway</h1>"],
    ["text", "text/plain", "upstream error"],
    ["invalid JSON", "application/json", "{"],
    ["nothing", "application/octet-stream", ""],
  ])("is reported as unexpected: %s", async (_name, type, body) => {
    const ok = factory.build({ output: z.object({}), handler: async () => ({}) });
    const client = createClient<{ ok: typeof ok }>({
      baseUrl: "http://example.com",
      fetch: async () => new Response(body, { status: 502, headers: { "content-type": type } }),
    });
    const reply = await client.request("get /ok");
    expect(reply).toMatchObject({ ok: false, status: "unexpected", actualStatus: 502 });
    const failed = client.provide("get /ok");
    await expect(failed).rejects.toBeInstanceOf(UnexpectedBodyError);
    await expect(failed).rejects.toMatchObject({ status: 502, path: "/ok" });
  });
});
