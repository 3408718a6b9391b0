import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { get, type IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import express from "express";
import { MemoryStore, type ClientRateLimitInfo, type Store } from "express-rate-limit";
import {
  attachRouting,
  defaultEndpointsFactory as factory,
  Middleware,
  type Routing,
} from "sallyport";
import { generateOpenApi } from "sallyport/openapi";
import { rateLimit } from "sallyport/rate-limit";
import { expect, onTestFinished, test } from "vitest";
import { errorEnvelope, start, stopClock } from "../harness.ts";

const handler = () => ({});

const asUser = new Middleware({
  handler: ({ request }) => ({ user: { id: String(request.headers["x-user"]) } }),
});

test("what exceeds the limit is refused with 429, and every reply says what is left", async () => {
  const routing = { "get /a": factory.addMiddleware(rateLimit({ limit: 2 })).build({ handler }) };
  const server = await start(routing);
  const first = await server.send("/a");
  expect(first.status).toBe(200);
  expect(first.headers).toMatchObject({
    ratelimit: '"default";r=1;t=60',
    "ratelimit-policy": '"default";q=2;w=60',
  });
  expect((await server.send("/a")).headers).toMatchObject({ ratelimit: '"default";r=0;t=60' });
  const refused = await server.send("/a");
  expect(refused.status).toBe(429);
  expect(refused.json()).toEqual(errorEnvelope("Too Many Requests"));
  expect(refused.headers).toMatchObject({
    "retry-after": "60",
    ratelimit: '"default";r=0;t=60',
    "ratelimit-policy": '"default";q=2;w=60',
  });
});

test("the key sees the context, and requests weigh what `weight` says", async () => {
  const limited = factory.addMiddleware(asUser).addMiddleware(
    rateLimit({
      limit: 3,
      key: ({ ctx }) => ctx.user.id,
      weight: ({ request }) => Number(request.headers["x-weight"] ?? 1),
    }),
  );
  const server = await start({ "get /a": limited.build({ handler }) });
  const ask = async (user: string, weight = "1") =>
    (await server.send("/a", { headers: { "x-user": user, "x-weight": weight } })).status;
  expect(await ask("ada", "3")).toBe(200);
  expect(await ask("ada")).toBe(429);
  expect(await ask("ada", "0")).toBe(200);
  expect(await ask("bob")).toBe(200);
  expect(await ask("bob", "3")).toBe(429);
});

test("requests without a key are counted by the address of the client", async () => {
  const keys = [undefined, null, ""];
  const limited = factory.addMiddleware(rateLimit({ limit: 2, key: () => keys.shift() }));
  const server = await start(
    { "get /a": limited.build({ handler }) },
    { beforeRouting: ({ app }) => void app.set("trust proxy", 1) },
  );
  const ask = async (from: string) =>
    (await server.send("/a", { headers: { "x-forwarded-for": from } })).status;
  expect([await ask("192.0.2.1"), await ask("192.0.2.1"), await ask("192.0.2.1")]).toEqual([
    200, 200, 429,
  ]);
  expect(await ask("192.0.2.2")).toBe(200);
});

test.each([
  ["203.0.113.8:50001", "203.0.113.8:50002"],
  ["203.0.113.8", "203.0.113.8:50002"],
  ["[2001:db8::9]:50001", "[2001:db8::9]:50002"],
  ["2001:db8::9", "[2001:db8::9]"],
])("an address with a port counts as the address: %s is %s", async (first, second) => {
  const limited = factory.addMiddleware(rateLimit({ limit: 1 }));
  const server = await start(
    { "get /a": limited.build({ handler }) },
    { beforeRouting: ({ app }) => void app.set("trust proxy", 1) },
  );
  const ask = async (from: string) =>
    (await server.send("/a", { headers: { "x-forwarded-for": from } })).status;
  expect([await ask(first), await ask(second)]).toEqual([200, 429]);
});

/** Creates the path of a UNIX socket, and a function that asks through it. */
const createSocket = async () => {
  const folder = await mkdtemp(join(tmpdir(), "sallyport-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const listen = join(folder, "socket");
  const ask = async (headers: Record<string, string> = {}) => {
    const request = get({ socketPath: listen, path: "/a", headers, agent: false });
    const [reply] = (await once(request, "response")) as [IncomingMessage];
    reply.resume();
    return reply.statusCode;
  };
  return { listen, ask };
};

test("a request through a UNIX socket fails unless a proxy tells the address, or it has a key", async () => {
  const limited = factory.addMiddleware(
    rateLimit({ limit: 1, key: ({ request }) => request.get("x-user") }),
  );
  const { listen, ask } = await createSocket();
  const server = await start({ "get /a": limited.build({ handler }) }, { http: { listen } });
  expect(await ask()).toBe(500);
  expect(server.linesOf("error")).toMatchObject([
    { meta: { error: { code: "SLP_CONFIG_VALUE" } } },
  ]);
  expect([await ask({ "x-user": "ada" }), await ask({ "x-user": "ada" })]).toEqual([200, 429]);
});

test("clients behind a proxy at a UNIX socket are told apart", async () => {
  const { listen, ask } = await createSocket();
  const routing = { "get /a": factory.addMiddleware(rateLimit({ limit: 1 })).build({ handler }) };
  await start(routing, {
    http: { listen },
    beforeRouting: ({ app }) => void app.set("trust proxy", 1),
  });
  const from = (address: string) => ask({ "x-forwarded-for": address });
  const statuses = [await from("192.0.2.1"), await from("192.0.2.1"), await from("192.0.2.2")];
  expect(statuses).toEqual([200, 429, 200]);
});

test.each([
  ["NaN", { totalHits: Number.NaN, resetTime: undefined }],
  ["text", { totalHits: "one", resetTime: undefined }],
  ["an empty text", { totalHits: "", resetTime: undefined }],
  ["nothing", undefined],
  ["null", null],
  ["an empty object", {}],
  ["no time", { totalHits: 1, resetTime: new Date(Number.NaN) }],
  ["a number as time", { totalHits: 1, resetTime: 5 }],
])("a store that answers %s has failed", async (_what, answer) => {
  const store = {
    increment: async () => answer,
    decrement: () => undefined,
    resetKey: () => undefined,
  } as unknown as Store;
  const strict = rateLimit({ limit: 1, store: { ...store }, passOnStoreError: false });
  const server = await start({
    "get /a": factory.addMiddleware(rateLimit({ limit: 1, store })).build({ handler }),
    "get /b": factory.addMiddleware(strict).build({ handler }),
  });
  const passed = await server.send("/a");
  expect([passed.status, passed.headers["ratelimit"]]).toEqual([200, undefined]);
  expect((await server.send("/b")).status).toBe(503);
});

test("a store may answer a number as a string, as some databases do, and null as the time", async () => {
  const store = {
    increment: async () => ({ totalHits: "2", resetTime: null }),
    decrement: () => undefined,
    resetKey: () => undefined,
  } as unknown as Store;
  const limited = (limit: number) =>
    factory.addMiddleware(rateLimit({ limit, store: { ...store } })).build({ handler });
  const server = await start({ "get /a": limited(1), "get /b": limited(2) });
  expect([(await server.send("/a")).status, (await server.send("/b")).status]).toEqual([429, 200]);
});

test("limits of services that share a store have counts of their own", async () => {
  const counts = new Map<string, number>();
  const createStore = (): Store => ({
    increment: async (key) => {
      const totalHits = (counts.get(key) ?? 0) + 1;
      counts.set(key, totalHits);
      return { totalHits, resetTime: undefined };
    },
    decrement: () => undefined,
    resetKey: () => undefined,
  });
  const limited = (service?: string, key?: () => string) =>
    factory
      .addMiddleware(rateLimit({ limit: 1, store: createStore(), service, key }))
      .build({ handler });
  const key = (): string => "ada";
  const server = await start({
    ...{ "get /own": limited(), "get /other": limited("other"), "get /same": limited("other") },
    ...{ "get /key": limited("a", key), "get /otherKey": limited("b", key) },
  });
  const send = async (path: string): Promise<number> => (await server.send(path)).status;
  expect([await send("/own"), await send("/other"), await send("/same")]).toEqual([200, 200, 429]);
  expect([await send("/key"), await send("/otherKey"), await send("/key")]).toEqual([
    200, 200, 429,
  ]);
  expect(() => rateLimit({ limit: 1, service: "" })).toThrow("`service` must be a non-empty");
});

test("two limits of one endpoint with the same name cause one warning", async () => {
  const twice = factory
    .addMiddleware(rateLimit({ limit: 1, name: "a" }))
    .addMiddleware(rateLimit({ limit: 1 }))
    .addMiddleware(rateLimit({ limit: 2 }));
  const server = await start({
    "get /a": twice.build({ handler }),
    "get /b": twice.build({ handler }),
  });
  expect(server.linesOf("warn")).toMatchObject([
    {
      message: expect.stringMatching(
        /^SLP_WARN_LIMIT_NAME: GET \/a has two rate limits with the name "default"/,
      ) as string,
      meta: { path: "/a", name: "default" },
    },
  ]);
});

test("a key is stored in a short form, and is never taken for an address", async () => {
  const stored: string[] = [];
  const store = Object.assign(new MemoryStore(), {
    increment(this: MemoryStore, key: string) {
      stored.push(key);
      return MemoryStore.prototype.increment.call(this, key);
    },
  });
  const key = ({ request }: { readonly request: { get: (name: string) => string | undefined } }) =>
    request.get("x-user");
  const limited = factory.addMiddleware(rateLimit({ limit: 1, store, key }));
  const server = await start({ "get /a": limited.build({ handler }) });
  const ask = async (user?: string) =>
    (await server.send("/a", { headers: user === undefined ? {} : { "x-user": user } })).status;
  expect(await ask("x".repeat(4000))).toBe(200);
  expect(await ask("127.0.0.1")).toBe(200);
  expect(await ask()).toBe(200);
  expect(Math.max(...stored.map(({ length }) => length))).toBeLessThan(60);
});

test("a weight that rejects fails the request only", async () => {
  const weight = (() => Promise.reject(new Error("no weight"))) as unknown as () => number;
  const limited = factory.addMiddleware(rateLimit({ limit: 1, weight }));
  const server = await start({ "get /a": limited.build({ handler }) });
  expect((await server.send("/a")).status).toBe(500);
});

test("a weight is counted at once, in as many concurrent calls to the store", async () => {
  class Slow extends MemoryStore {
    waiting = 0;
    most = 0;
    override async increment(key: string): Promise<ClientRateLimitInfo> {
      this.most = Math.max(this.most, ++this.waiting);
      const counted = await super.increment(key);
      await new Promise(setImmediate);
      this.waiting--;
      return counted;
    }
  }
  const store = new Slow();
  const limited = factory.addMiddleware(rateLimit({ limit: 250, weight: 100, store }));
  const server = await start({ "get /a": limited.build({ handler }) });
  const replies = await Promise.all([server.send("/a"), server.send("/a"), server.send("/a")]);
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(2);
  expect(store.most).toBeGreaterThanOrEqual(100);
});

test("a weight above 100 is refused, at start or when a function returns it", async () => {
  expect(() => rateLimit({ limit: 1, weight: 101 })).toThrow(
    "`weight` must be an integer from 0 to 100, or a function that returns one; got 101",
  );
  const weights = [101, Number.NaN, -1, 0.5];
  const limited = factory.addMiddleware(
    rateLimit({ limit: 1, weight: () => weights.shift() as number }),
  );
  const server = await start({ "get /a": limited.build({ handler }) });
  for (const _weight of [...weights]) expect((await server.send("/a")).status).toBe(500);
});

test("the fields of two limits stand side by side, and each has its own count", async () => {
  const limited = factory
    .addMiddleware(rateLimit({ limit: 5, name: "burst", window: 1000 }))
    .addMiddleware(rateLimit({ limit: 100, name: "day", window: 86_400_000 }));
  const server = await start({ "get /a": limited.build({ handler }) });
  expect((await server.send("/a")).headers).toMatchObject({
    ratelimit: '"burst";r=4;t=1, "day";r=99;t=86400',
    "ratelimit-policy": '"burst";q=5;w=1, "day";q=100;w=86400',
  });
});

test("preflights are not counted", async () => {
  const limited = factory.addMiddleware(rateLimit({ limit: 1 }));
  const server = await start({ "put /a": limited.build({ handler }) }, { cors: true });
  const preflight = {
    method: "OPTIONS",
    headers: { origin: "https://a.test", "access-control-request-method": "PUT" },
  };
  for (let count = 0; count < 3; count++)
    expect((await server.send("/a", preflight)).headers).not.toHaveProperty("ratelimit");
  expect((await server.send("/a", { method: "PUT" })).status).toBe(200);
});

/** A store that fails while it is down, or does not answer while it hangs. */
class FailingStore extends MemoryStore implements Store {
  state: "up" | "down" | "hanging" = "down";
  starts = 0;

  override init(options: Parameters<MemoryStore["init"]>[0]): void {
    this.starts++;
    if (this.state === "down") throw new Error("no connection");
    super.init(options);
  }

  override increment(key: string): Promise<ClientRateLimitInfo> {
    if (this.state === "hanging") return new Promise(() => undefined);
    return this.state === "down"
      ? Promise.reject(new Error("no connection"))
      : super.increment(key);
  }
}

test("a store that fails lets requests through, and is logged once for each change", async () => {
  const store = new FailingStore();
  const limited = factory.addMiddleware(rateLimit({ limit: 1, store }));
  const server = await start({ "get /a": limited.build({ handler }) });
  const ask = async () => (await server.send("/a")).status;
  expect([await ask(), await ask()]).toEqual([200, 200]);
  expect(server.linesOf("error").map(({ message }) => message)).toEqual([
    "The store of a rate limit fails, so requests are let through",
  ]);
  store.state = "up";
  expect([await ask(), await ask()]).toEqual([200, 429]);
  expect(server.linesOf("warn").map(({ message }) => message)).toEqual([
    "The store of a rate limit works again",
  ]);
  expect(store.starts).toBe(3);
  store.shutdown();
});

test("with passOnStoreError: false, a store that fails or hangs makes requests fail with 503", async () => {
  stopClock();
  const store = new FailingStore();
  const options = { limit: 1, store, passOnStoreError: false, storeTimeout: 5 };
  const server = await start({
    "get /a": factory.addMiddleware(rateLimit(options)).build({ handler }),
  });
  expect((await server.send("/a")).status).toBe(503);
  store.state = "hanging";
  expect((await server.send("/a")).status).toBe(503);
  const message = "The store of a rate limit fails, so requests are refused";
  // each request is a server fault, but the log would only repeat itself
  expect(server.linesOf("error")).toMatchObject([{ message }, { message: "Server fault" }]);
  store.shutdown();
});

test("a server that trusts every proxy does not start with a limit by address", async () => {
  const limited: Routing = {
    "get /a": factory.addMiddleware(rateLimit({ limit: 1 })).build({ handler }),
  };
  const refused = /`trust proxy` of the application is true/;
  await expect(
    start(limited, { beforeRouting: ({ app }) => void app.set("trust proxy", true) }),
  ).rejects.toThrow(refused);
  const app = express().set("trust proxy", true);
  expect(() => attachRouting({ app, cors: false }, limited)).toThrow(refused);
  const keyed = factory.addMiddleware(rateLimit({ limit: 1, key: () => "all" }));
  const server = await start(
    { "get /a": keyed.build({ handler }) },
    { beforeRouting: ({ app: own }) => void own.set("trust proxy", true) },
  );
  expect((await server.send("/a")).status).toBe(200);
});

test("behind a proxy, IPv6 clients of one network are counted together", async () => {
  const limited = factory.addMiddleware(rateLimit({ limit: 1 }));
  const server = await start(
    { "get /a": limited.build({ handler }) },
    { beforeRouting: ({ app }) => void app.set("trust proxy", 1) },
  );
  const ask = async (from: string) =>
    (await server.send("/a", { headers: { "x-forwarded-for": from } })).status;
  expect(await ask("2001:db8:0:1::1")).toBe(200);
  expect(await ask("2001:db8:0:2::1")).toBe(429);
  expect(await ask("2001:db9::1")).toBe(200);
});

test("documents have the status and its headers", () => {
  const routing = { "get /a": factory.addMiddleware(rateLimit({ limit: 2 })).build({ handler }) };
  const document = generateOpenApi({ routing, info: { title: "a", version: "1" } });
  const headers = { RateLimit: {}, "RateLimit-Policy": {} };
  const refused = { headers: { ...headers, "Retry-After": {} } };
  const failed = { $ref: "#/components/responses/InternalServerErrorWithRateLimit" };
  expect(document).toMatchObject({
    paths: { "/a": { get: { responses: { 200: { headers }, 429: refused, 500: failed } } } },
    components: { responses: { InternalServerErrorWithRateLimit: { headers } } },
  });
});

test("invalid options are rejected with their name and value", () => {
  expect(() => rateLimit({ limit: 0 })).toThrow(
    "rateLimit: `limit` must be a positive integer; got 0.",
  );
  // @ts-expect-error -- a limit has no default
  expect(() => rateLimit({})).toThrow("rateLimit: `limit` must be a positive integer");
  expect(() => rateLimit({ limit: 1, name: 'a"' })).toThrow("`name` must be printable ASCII");
  // @ts-expect-error -- not a store
  expect(() => rateLimit({ limit: 1, store: {} })).toThrow("`store` must be a store for express");
  // @ts-expect-error -- the name in express-rate-limit
  expect(() => rateLimit({ limit: 1, windowMs: 1 })).toThrow("`windowMs`");
  const store = new MemoryStore();
  rateLimit({ limit: 1, store });
  expect(() => rateLimit({ limit: 1, store })).toThrow("Create a store for each limit");
});
