import { once } from "node:events";
import compression from "compression";
import createHttpError from "http-errors";
import {
  defaultEndpointsFactory as factory,
  EndpointsFactory,
  Middleware,
  ResultHandler,
  type Routing,
} from "sallyport";
import { idempotency, memoryStore, type IdempotencyOptions } from "sallyport/idempotency";
import { expect, test, vi } from "vitest";
import { z } from "zod";
import { shortenTimers, start, type TestServer } from "../harness.ts";

const withKey = (options: Partial<IdempotencyOptions> = {}) =>
  factory.addMiddleware(idempotency({ store: memoryStore(), scope: () => "all", ...options }));

const createGate = () => {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
};

const post = (server: TestServer, headers: object = {}, path = "/a") =>
  server.send(path, { method: "POST", headers: { "idempotency-key": "k", ...headers } });

/** Sends a request twice; returns the status and the text of both replies, and whether the second one was replayed. */
const sendTwice = async (server: TestServer, path = "/a") => {
  const first = await post(server, {}, path);
  const second = await post(server, {}, path);
  return [
    [first.status, first.text],
    [second.status, second.text],
    second.headers["idempotency-replayed"],
  ];
};

/** Sends a request and leaves once its handler runs. */
const sendAndLeave = async (server: TestServer, isRunning: () => boolean) => {
  const socket = await server.open();
  socket.write("POST /a HTTP/1.1\r\nHost: a\r\nIdempotency-Key: k\r\nContent-Length: 0\r\n\r\n");
  await expect.poll(isRunning).toBe(true);
  socket.destroy();
  await once(socket, "close");
  await server.untilLeft();
};

const usedUp = "A request with this idempotency key has ended, but its reply was not kept";

const own = new ResultHandler({
  positive: z.object({}),
  negative: z.object({ message: z.string() }),
  handler: ({ response, error, output }) => {
    response.writeHead(error ? 500 : 200, "Own", [
      "Content-Type",
      "application/json",
      "Link",
      "<a>",
    ]);
    response.end(JSON.stringify(error ? { message: error.message } : output));
  },
});

test.each<[string, (count: number) => Routing[string]]>([
  [
    "a result handler with writeHead",
    () =>
      new EndpointsFactory(own)
        .addMiddleware(idempotency({ store: memoryStore(), scope: () => "all" }))
        .build({ method: "post", handler: () => ({}) }),
  ],
  [
    "a handler with writeHead",
    () =>
      withKey().buildVoid({
        method: "post",
        handler: ({ response }) => void response.writeHead(201, { Link: "<a>" }).end("b"),
      }),
  ],
  [
    "a handler with write and end",
    () =>
      withKey().buildVoid({
        method: "post",
        handler: ({ response }) => {
          response.setHeader("Link", "<a>").write("b");
          response.end("63", "hex");
        },
      }),
  ],
  [
    "a handler that refuses by itself",
    () =>
      withKey().buildVoid({
        method: "post",
        handler: ({ response }) => void response.status(402).setHeader("Link", "<a>").send("b"),
      }),
  ],
  [
    "a native middleware that refuses",
    () =>
      withKey()
        .use((_request, response) => void response.status(402).setHeader("Link", "<a>").send("b"))
        .build({ method: "post", handler: () => ({}) }),
  ],
])("the reply of %s is kept", async (_whose, create) => {
  const server = await start({ "post /a": create(0) });
  const first = await post(server);
  const second = await post(server);
  expect(second.headers["idempotency-replayed"]).toBe("true");
  expect([second.status, second.text, second.headers.link]).toEqual([
    first.status,
    first.text,
    "<a>",
  ]);
  expect(first.headers.link).toBe("<a>");
});

test("compression after the middleware is kept, compression before it compresses again", async () => {
  const compress = compression({ threshold: 0 });
  const handler = () => ({ text: "a".repeat(100) });
  const inner = withKey().use(compress).build({ method: "post", handler });
  const outer = factory
    .use(compress)
    .addMiddleware(idempotency({ store: memoryStore(), scope: () => "all" }))
    .build({ method: "post", handler });
  const server = await start({ inner, outer });
  for (const path of ["inner", "outer"]) {
    const send = async () => {
      const reply = await fetch(`http://127.0.0.1:${server.port}/${path}`, {
        method: "POST",
        headers: { "idempotency-key": "k" },
      });
      const names = ["content-encoding", "vary", "idempotency-replayed"];
      return [await reply.text(), ...names.map((name) => reply.headers.get(name))];
    };
    const [text, ...fields] = await send();
    expect(fields).toEqual(["gzip", "Accept-Encoding", null]);
    expect(await send()).toEqual([text, "gzip", "Accept-Encoding", "true"]);
  }
});

test("a reply that is too large is not kept, but its request never runs again", async () => {
  let runs = 0;
  const a = withKey().buildVoid({
    method: "post",
    handler: ({ response }) => {
      runs++;
      response.write("a".repeat(1_000_000));
      response.end("a".repeat(100_000));
    },
  });
  const server = await start({ a });
  const first = await post(server);
  expect([first.status, first.text.length]).toEqual([200, 1_100_000]);
  const second = await post(server);
  expect(second.status).toBe(422);
  expect(second.text).toContain(usedUp);
  expect(runs).toBe(1);
  expect(server.linesOf("warn")).toMatchObject([
    { message: expect.stringContaining("1 MiB") as string, meta: { method: "POST", path: "/a" } },
  ]);
});

test("a reply stays kept while its handler works on", async () => {
  const gate = createGate();
  const store = memoryStore();
  const renew = vi.spyOn(store, "renew");
  const a = withKey({ store, lease: 30 }).buildVoid({
    method: "post",
    handler: async ({ response }) => {
      response.json({});
      await gate.opened;
    },
  });
  const server = await start({ a });
  await post(server);
  const { length } = renew.mock.calls;
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(renew.mock.calls).toHaveLength(length);
  expect((await post(server)).headers).toHaveProperty("idempotency-replayed");
  gate.open();
});

test("what a handler does after its reply changes neither the reply nor what is kept", async () => {
  const faults: unknown[] = [];
  const a = withKey().buildVoid({
    method: "post",
    handler: ({ response }) => {
      response.end("first");
      response.status(500);
      try {
        response.setHeader("X-Late", "1");
      } catch (error) {
        faults.push(error);
      }
      response.write("x", () => undefined);
      response.end("second");
      throw new Error("late");
    },
  });
  const server = await start({ a });
  expect(await sendTwice(server)).toEqual([[200, "first"], [200, "first"], "true"]);
  expect(faults).toMatchObject([{ code: "ERR_HTTP_HEADERS_SENT" }]);
});

/** Waits for the outcome after a time limit: the status of the next reply that is not 409. */
const untilEnded = async (server: TestServer) => {
  await expect.poll(async () => (await post(server)).status).not.toBe(409);
  return post(server);
};

test.each(["inner", "outer"])(
  "a time limit during the commit of an %s transaction does not free the key",
  async (where) => {
    const gate = createGate();
    let runs = 0;
    const commit = new Middleware({
      around: async (_args, next) => {
        const passed = await next();
        await gate.opened;
        return passed;
      },
    });
    const key = idempotency({ store: memoryStore(), scope: () => "all" });
    const [first, second] = where === "inner" ? [key, commit] : [commit, key];
    const a = factory
      .addMiddleware(first)
      .addMiddleware(second)
      .build({
        ...{ method: "post", timeout: 50 },
        handler: () => {
          runs++;
          return {};
        },
      });
    const server = await start({ a });
    expect((await post(server)).status).toBe(503);
    gate.open();
    const late = await untilEnded(server);
    expect([late.status, late.text]).toEqual([422, expect.stringContaining(usedUp)]);
    expect(runs).toBe(1);
  },
);

test.each([
  ["succeeds", "nothing", 422],
  ["succeeds", "a context that is disposed of", 422],
  ["succeeds", "conditions", 422],
  ["succeeds", "a transaction", 200],
  ["fails", "nothing", 200],
])(
  "when a handler %s after its time limit, within %s, a repeated request receives %i",
  async (how, within, status) => {
    const gate = createGate();
    let runs = 0;
    const inner = {
      nothing: withKey(),
      conditions: withKey(),
      "a context that is disposed of": withKey().addContext(() => ({}), {
        dispose: () => undefined,
      }),
      "a transaction": withKey().addMiddleware({ around: (_args, next) => next() }),
    };
    const a = inner[within as keyof typeof inner].build({
      method: "post",
      timeout: 50,
      ...(within === "conditions" && { version: () => "1" }),
      handler: async () => {
        if (++runs > 1) return {};
        await gate.opened;
        if (how === "fails") throw new Error("rolled back");
        return {};
      },
    });
    const server = await start({ a });
    expect((await post(server)).status).toBe(503);
    expect((await post(server)).status).toBe(409);
    gate.open();
    expect((await untilEnded(server)).status).toBe(status);
    expect(runs).toBe(status === 200 ? 2 : 1);
  },
);

test.each(["waits", "has left"])(
  "a time limit that expires while the key is claimed, and the client %s, frees the key",
  async (client) => {
    const gate = createGate();
    const store = memoryStore();
    const { claim } = store;
    const claiming = vi.spyOn(store, "claim").mockImplementationOnce(async (...args) => {
      await gate.opened;
      return claim(...args);
    });
    const a = withKey({ store }).build({ method: "post", timeout: 200, handler: () => ({}) });
    const server = await start({ a });
    if (client === "waits") await post(server);
    else await sendAndLeave(server, () => claiming.mock.calls.length === 1);
    await expect
      .poll(() => [...server.linesOf("error"), ...server.linesOf("warn")])
      .toHaveLength(1);
    gate.open();
    expect((await untilEnded(server)).status).toBe(200);
  },
);

test("with keepErrors, the 503 of a time limit is kept", async () => {
  const gate = createGate();
  const a = withKey({ keepErrors: true }).build({
    method: "post",
    timeout: 50,
    handler: async () => {
      await gate.opened;
      return {};
    },
  });
  const server = await start({ a });
  const first = await post(server);
  gate.open();
  const late = await untilEnded(server);
  expect([late.status, late.text]).toEqual([503, first.text]);
  expect(late.headers).toHaveProperty("idempotency-replayed");
});

test.each(["headers", "input"])(
  "a key is not used up by invalid %s of a later middleware",
  async (name) => {
    const a = withKey()
      .addMiddleware({ [name]: z.object({ "x-unit": z.string() }), handler: () => ({}) })
      .build({ method: "post", handler: () => ({}) });
    const server = await start({ a }, { inputSources: { post: ["headers"] } });
    expect((await post(server)).status).toBe(400);
    expect((await post(server, { "x-unit": "m" })).status).toBe(200);
  },
);

test("a fault while the reply is sent does not free the key, a fault that the handler sends does", async () => {
  const runs = { a: 0, b: 0 };
  const statuses: { readonly status: number }[] = [];
  const a = withKey().build({
    method: "post",
    handler: () => ({ unserialisable: BigInt(++runs.a) }),
  });
  const b = withKey().buildVoid({
    method: "post",
    handler: ({ response }) => void response.status(503).json({ runs: ++runs.b }),
  });
  const server = await start({ a, b });
  for (const path of ["/a", "/b"])
    statuses.push(await post(server, {}, path), await post(server, {}, path));
  expect(statuses.map(({ status }) => status)).toEqual([500, 422, 503, 503]);
  expect(runs).toEqual({ a: 1, b: 2 });
});

test.each([
  ["refused", () => Promise.reject(createHttpError(402)), 402],
  ["not serialised", () => ({ value: 1n }), 422],
] as const)(
  "a request that is %s after its client has left is not run again",
  async (_how, end, status) => {
    const gate = createGate();
    let runs = 0;
    const a = withKey().build({
      method: "post",
      handler: async () => {
        runs++;
        await gate.opened;
        return end();
      },
    });
    const server = await start({ a });
    await sendAndLeave(server, () => runs === 1);
    gate.open();
    expect((await untilEnded(server)).status).toBe(status);
    expect(runs).toBe(1);
  },
);

test.each([{ tenant: "x-tenant" }, { path: "/b/2" }, { query: "?page=2" }])(
  "a key is refused for another request, which differs in %o",
  async ({ tenant = "y", path = "/b/1", query = "" }) => {
    const a = withKey()
      .addMiddleware({
        headers: z.object({ "x-tenant": z.string().optional() }),
        handler: () => ({}),
      })
      .build({ method: "post", handler: () => ({}) });
    const server = await start({ "post /b/:id": a }, { inputSources: { post: ["body"] } });
    expect((await post(server, { "x-tenant": "y" }, "/b/1")).status).toBe(200);
    expect((await post(server, { "x-tenant": "y" }, "/b/%31/")).headers).toHaveProperty(
      "idempotency-replayed",
    );
    expect((await post(server, { "x-tenant": tenant }, path + query)).status).toBe(422);
  },
);

test("of the header fields and cookies that feed the input, those that a schema declares count", async () => {
  const a = withKey().build({
    method: "post",
    input: z.object({ "x-tenant": z.string() }),
    handler: () => ({}),
  });
  const server = await start({ a }, { inputSources: { post: ["headers", "cookies"] } });
  await post(server, { "x-tenant": "a", "x-trace": "1" });
  const again = await post(server, { "x-tenant": "a", "x-trace": "2", authorization: "Bearer 2" });
  expect(again.headers).toHaveProperty("idempotency-replayed");
  expect((await post(server, { "x-tenant": "b", "x-trace": "1" })).status).toBe(422);
});

test('the scopes 1 and "1" are two callers, and NaN is none', async () => {
  const scopes = [1, "1", Number.NaN];
  const a = withKey({ scope: () => scopes.shift() ?? "" }).build({
    method: "post",
    handler: () => ({}),
  });
  const server = await start({ a });
  expect((await post(server)).status).toBe(200);
  const other = await post(server);
  expect([other.status, other.headers["idempotency-replayed"]]).toEqual([200, undefined]);
  expect((await post(server)).status).toBe(500);
});

test("declared header fields, those of keepHeaders and those about the body are kept", async () => {
  const a = withKey({ keepHeaders: ["Set-Cookie"] }).build({
    method: "post",
    responseHeaders: z.object({ "x-cost": z.string() }),
    handler: ({ response }) => {
      response.setHeader("X-Cost", 5).setHeader("Set-Cookie", ["a=1", "b=2"]);
      response.setHeader("Content-Disposition", "attachment").setHeader("Vary", "Prefer");
      return {};
    },
  });
  const server = await start({ a });
  await post(server);
  expect((await post(server)).headers).toMatchObject({
    "idempotency-replayed": "true",
    "x-cost": "5",
    "set-cookie": ["a=1", "b=2"],
    "content-disposition": "attachment",
    vary: "Prefer",
  });
});

test("a required key is not required of GET and HEAD", async () => {
  const a = withKey({ required: true }).build({ method: ["get", "post"], handler: () => ({}) });
  const server = await start({ a });
  expect((await server.send("/a")).status).toBe(200);
  expect((await server.send("/a", { method: "HEAD" })).status).toBe(200);
  expect((await server.send("/a", { method: "POST" })).status).toBe(400);
});

test("a store that throws counts as failing", async () => {
  const fail = (): never => {
    throw new Error("no store");
  };
  const store = memoryStore();
  const gate = createGate();
  const a = withKey({ store, lease: 30 }).build({
    method: "post",
    handler: async () => {
      await gate.opened;
      return {};
    },
  });
  const server = await start({ a });
  const renew = vi.spyOn(store, "renew").mockImplementation(fail);
  vi.spyOn(store, "keep").mockImplementation(fail);
  const sending = post(server);
  await expect.poll(() => renew.mock.calls.length).toBeGreaterThan(1);
  gate.open();
  expect((await sending).status).toBe(200);
  vi.spyOn(store, "claim").mockImplementation(fail);
  expect((await post(server)).status).toBe(503);
});

test("a claim that arrives too late is released", async () => {
  shortenTimers(5000);
  const store = memoryStore();
  const { claim } = store;
  const gate = createGate();
  const a = withKey({ store }).build({ method: "post", handler: () => ({}) });
  const server = await start({ a });
  const late = vi.spyOn(store, "claim").mockImplementationOnce(async (...args) => {
    await gate.opened;
    return claim(...args);
  });
  expect((await post(server)).status).toBe(503);
  gate.open();
  await late.mock.results[0]?.value;
  await expect.poll(async () => (await post(server)).status).toBe(200);
});

test.each([[undefined], [""], ["a b"]])("the name %j of a header field is refused", (name) => {
  const keepHeaders = [name] as string[];
  expect(() => withKey({ keepHeaders })).toThrow("`keepHeaders` must be an array of names");
});
