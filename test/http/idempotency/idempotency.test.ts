import { once } from "node:events";
import type { Response } from "express";
import createHttpError from "http-errors";
import {
  defaultEndpointsFactory as factory,
  EventStreamFactory,
  ez,
  Middleware,
  type Routing,
} from "sallyport";
import { idempotency, memoryStore, type IdempotencyOptions } from "sallyport/idempotency";
import { generateOpenApi } from "sallyport/openapi";
import { expect, test, vi } from "vitest";
import { z } from "zod";
import {
  errorEnvelope,
  shortenTimers,
  start,
  successEnvelope,
  type TestServer,
} from "../harness.ts";

const asUser = new Middleware({
  handler: ({ request }) => ({ user: { id: String(request.headers["x-user"] ?? "ada") } }),
});

/** Creates a factory whose endpoints run a request with a key once. */
const createFactory = (options: Partial<IdempotencyOptions<{ user: { id: string } }>> = {}) =>
  factory
    .addMiddleware(asUser)
    .addMiddleware(
      idempotency({ store: memoryStore(), scope: ({ ctx }) => ctx.user.id, ...options }),
    );

/** Creates an endpoint that counts its runs, and fails with the status it is asked for. */
const createPayment = (
  options?: Parameters<typeof createFactory>[0],
  run: (count: number) => unknown = () => undefined,
) => {
  const runs = { count: 0 };
  const routing: Routing = {
    "post /pay": createFactory(options).build({
      method: "post",
      input: z.object({ amount: z.number(), fail: z.number().optional() }),
      output: z.object({ count: z.number() }),
      statusCode: 201,
      handler: async ({ input, response }) => {
        const count = ++runs.count;
        await run(count);
        if (input.fail !== undefined) throw createHttpError(input.fail, `Failed ${count}`);
        response.setHeader("Location", `/payments/${count}`).setHeader("X-Other", "1");
        return { count };
      },
    }),
  };
  return { runs, routing };
};

const createGate = () => {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
};

const pay = (
  server: TestServer,
  key: string | undefined,
  body: object = { amount: 1 },
  user = "ada",
) =>
  server.send("/pay", {
    method: "POST",
    body,
    headers: { "x-user": user, ...(key !== undefined && { "idempotency-key": key }) },
  });

test("a repeated request receives the first reply, and the handler runs once", async () => {
  const { runs, routing } = createPayment();
  const server = await start(routing);
  const first = await pay(server, "a");
  expect(first.status).toBe(201);
  expect(first.headers).not.toHaveProperty("idempotency-replayed");
  const again = await pay(server, '"a"');
  expect([again.status, again.text]).toEqual([201, first.text]);
  expect(again.headers).toMatchObject({
    "idempotency-replayed": "true",
    location: "/payments/1",
    "content-type": "application/json; charset=utf-8",
  });
  expect(again.headers).not.toHaveProperty("x-other");
  expect(runs.count).toBe(1);
  expect([...server.linesOf("warn"), ...server.linesOf("error")]).toEqual([]);
});

test("keys of other users are other keys, and requests without a key run each time", async () => {
  const { runs, routing } = createPayment();
  const server = await start(routing);
  await pay(server, "a");
  expect((await pay(server, "a", { amount: 1 }, "bob")).json()).toEqual(
    successEnvelope({ count: 2 }),
  );
  await pay(server, undefined);
  await pay(server, undefined);
  expect(runs.count).toBe(4);
});

test("a key with another input is refused with 422; the order of the fields does not matter", async () => {
  const { runs, routing } = createPayment();
  const server = await start(routing);
  await pay(server, "a", { amount: 1, fail: 404 });
  const other = await pay(server, "a", { amount: 2, fail: 404 });
  expect([other.status, other.json()]).toEqual([
    422,
    errorEnvelope("The idempotency key was used with another input"),
  ]);
  expect((await pay(server, "a", { fail: 404, amount: 1 })).status).toBe(404);
  expect(runs.count).toBe(1);
});

test("while a request runs, others with its key are refused with 409 and Retry-After", async () => {
  const gate = createGate();
  const { runs, routing } = createPayment({}, () => gate.opened);
  const server = await start(routing);
  const first = pay(server, "a");
  await expect.poll(() => runs.count).toBe(1);
  const others = await Promise.all(Array.from({ length: 10 }, () => pay(server, "a")));
  for (const { status, headers } of others)
    expect([status, headers["retry-after"]]).toEqual([409, "1"]);
  gate.open();
  expect((await first).status).toBe(201);
  expect((await pay(server, "a")).headers["idempotency-replayed"]).toBe("true");
  expect(runs.count).toBe(1);
});

test("replies with 4xx are kept, those with 5xx and 429 run again", async () => {
  const { routing } = createPayment();
  const server = await start(routing);
  const fail = async (status: number) => {
    await pay(server, `k${status}`, { amount: 1, fail: status });
    return (await pay(server, `k${status}`, { amount: 1, fail: status })).headers;
  };
  expect(await fail(404)).toHaveProperty("idempotency-replayed", "true");
  expect(await fail(503)).not.toHaveProperty("idempotency-replayed");
  expect(await fail(429)).not.toHaveProperty("idempotency-replayed");
  const { routing: keeping } = createPayment({ keepErrors: true, keepHeaders: ["X-Other"] });
  const other = await start(keeping);
  await pay(other, "a", { amount: 1, fail: 500 });
  expect((await pay(other, "a", { amount: 1, fail: 500 })).headers).toHaveProperty(
    "idempotency-replayed",
  );
  await pay(other, "b");
  expect((await pay(other, "b")).headers).toMatchObject({ "x-other": "1" });
});

test("a client that leaves before the reply finds it under its key", async () => {
  const gate = createGate();
  const { runs, routing } = createPayment({}, () => gate.opened);
  const server = await start(routing);
  const socket = await server.open();
  const body = '{"amount":1}';
  socket.write(
    `POST /pay HTTP/1.1\r\nHost: a\r\nIdempotency-Key: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  await expect.poll(() => runs.count).toBe(1);
  socket.destroy();
  await once(socket, "close");
  await server.untilLeft();
  gate.open();
  await expect.poll(async () => (await pay(server, "a")).status).toBe(201);
  const again = await pay(server, "a");
  expect([again.headers["idempotency-replayed"], again.json()]).toEqual([
    "true",
    successEnvelope({ count: 1 }),
  ]);
  expect(runs.count).toBe(1);
});

test("after a time limit, the key is free once the handler has ended", async () => {
  const gate = createGate();
  const { runs, routing } = createPayment({}, (count) => (count === 1 ? gate.opened : undefined));
  const server = await start(routing, { requestTimeout: 50 });
  expect((await pay(server, "a")).status).toBe(503);
  expect((await pay(server, "a")).status).toBe(409);
  gate.open();
  await expect.poll(async () => (await pay(server, "a")).status).toBe(201);
  expect(runs.count).toBe(2);
});

test.each(["", "a b", '"a', "é", "a".repeat(256), '"a";b=1'])(
  "the key %j is refused with 400",
  async (key) => {
    const { runs, routing } = createPayment();
    const server = await start(routing);
    const bytes = Buffer.from(key).toString("latin1");
    expect((await pay(server, bytes)).status).toBe(400);
    expect(runs.count).toBe(0);
  },
);

test("a missing key is refused only if it is required, and invalid input claims none", async () => {
  const { routing } = createPayment({ required: true });
  const server = await start(routing);
  expect((await pay(server, undefined)).status).toBe(400);
  expect((await pay(server, "a", { amount: "1" })).status).toBe(400);
  expect((await pay(server, "a", { amount: 1 })).status).toBe(201);
});

test("files count by their content", async () => {
  const upload = createFactory().build({
    method: "post",
    input: z.object({ file: ez.upload() }),
    output: z.object({ size: z.number() }),
    handler: ({ input }) => ({ size: input.file.size }),
  });
  const server = await start({ upload }, { upload: true });
  const send = async (content: string) => {
    const body = new FormData();
    body.set("file", new Blob([content]), "a.txt");
    const headers = { "idempotency-key": "a" };
    const url = `http://127.0.0.1:${server.port}/upload`;
    const reply = await fetch(url, { method: "POST", headers, body });
    await reply.text();
    return [reply.status, reply.headers.get("idempotency-replayed")];
  };
  expect(await send("one")).toEqual([200, null]);
  expect(await send("one")).toEqual([200, "true"]);
  expect(await send("two")).toEqual([422, null]);
});

test.each([
  { mv: 1, mimetype: "a" },
  { mv: 1, mimetype: "a", size: 1, tempFilePath: "/no/such/file" },
])(
  "a body that looks like a file, as %j does, is compared by its fields",
  async (looksLikeFile) => {
    const { routing } = createPayment();
    const server = await start(routing);
    const body = { amount: 1, looksLikeFile };
    expect((await pay(server, "a", body)).status).toBe(201);
    expect((await pay(server, "a", body)).headers).toHaveProperty("idempotency-replayed");
    expect((await pay(server, "a", { amount: 1, looksLikeFile: { mv: 2 } })).status).toBe(422);
  },
);

test("characters that UTF-8 cannot represent are compared, too", async () => {
  const { routing } = createPayment();
  const server = await start(routing);
  expect((await pay(server, "a", { amount: 1, note: "\ud800" })).status).toBe(201);
  expect((await pay(server, "a", { amount: 1, note: "\ud801" })).status).toBe(422);
});

test("values that only a parser of the application's own can return are compared, too", async () => {
  const parse = new Middleware({
    handler: ({ request }) => {
      request.body = { amount: BigInt(String(request.headers["x-amount"])) };
    },
  });
  const a = factory
    .addMiddleware(parse)
    .addMiddleware(idempotency({ store: memoryStore(), scope: () => "all" }))
    .build({ method: "post", handler: () => ({}) });
  const server = await start({ a });
  const send = (amount: string) =>
    server.send("/a", {
      method: "POST",
      headers: { "idempotency-key": "k", "x-amount": amount },
    });
  expect((await send("9007199254740993")).status).toBe(200);
  expect((await send("9007199254740993")).headers).toHaveProperty("idempotency-replayed");
  expect((await send("9007199254740992")).status).toBe(422);
});

test("a chunk that cannot be sent is a fault of the handler, whose key is free again", async () => {
  let chunk: unknown = 5;
  const a = createFactory().buildVoid({
    method: "post",
    handler: ({ response }) => void response.end(chunk as string),
  });
  const server = await start({ a });
  const send = () =>
    server.send("/a", { method: "POST", headers: { "idempotency-key": "k", "x-user": "a" } });
  expect((await send()).status).toBe(500);
  chunk = "sent";
  expect((await send()).text).toBe("sent");
});

test("an `end` of others that throws while the reply is kept cuts the reply off, and is logged", async () => {
  const a = factory
    .addMiddleware({
      handler: ({ response }) => {
        response.end = () => {
          throw new Error("no end");
        };
      },
    })
    .addMiddleware(idempotency({ store: memoryStore(), scope: () => "all" }))
    .build({ method: "post", handler: () => ({}) });
  const server = await start({ a });
  const sending = server.send("/a", { method: "POST", headers: { "idempotency-key": "k" } });
  await expect(sending).rejects.toThrow("socket hang up");
  expect(server.linesOf("error")).toMatchObject([{ meta: { error: { message: "no end" } } }]);
});

test("a replayed reply of a deprecated endpoint says so, too", async () => {
  const deprecated = { since: "2026-01-31", sunset: "2126-12-31" };
  const a = createFactory().build({ method: "post", deprecated, handler: () => ({}) });
  const server = await start({ a });
  const send = () => server.send("/a", { method: "POST", headers: { "idempotency-key": "k" } });
  const { deprecation, sunset } = (await send()).headers;
  const replayed = await send();
  expect(replayed.headers).toMatchObject({ deprecation, sunset, "idempotency-replayed": "true" });
});

test("a handler that responds itself is kept, too, with its bytes", async () => {
  let runs = 0;
  const raw = createFactory().buildVoid({
    method: "post",
    handler: ({ response }) => {
      runs++;
      response
        .status(202)
        .type("application/octet-stream")
        .send(Buffer.from([0, 200, 255]));
    },
  });
  const server = await start({ raw });
  const send = async () => {
    const headers = { "idempotency-key": "a" };
    const reply = await fetch(`http://127.0.0.1:${server.port}/raw`, { method: "POST", headers });
    return [reply.status, ...new Uint8Array(await reply.arrayBuffer())];
  };
  expect(await send()).toEqual([202, 0, 200, 255]);
  expect(await send()).toEqual([202, 0, 200, 255]);
  expect(runs).toBe(1);
});

test("a store that fails makes requests with a key fail with 503; a reply that cannot be kept is sent", async () => {
  const store = memoryStore();
  const claim = vi.spyOn(store, "claim").mockRejectedValue(new Error("no connection"));
  const { runs, routing } = createPayment({ store });
  const server = await start(routing);
  const refused = await pay(server, "a");
  expect([refused.status, refused.headers["retry-after"]]).toEqual([503, "1"]);
  expect((await pay(server, undefined)).status).toBe(201);
  claim.mockRestore();
  vi.spyOn(store, "keep").mockRejectedValue(new Error("no connection"));
  expect((await pay(server, "a")).status).toBe(201);
  expect(runs.count).toBe(2);
  expect(server.linesOf("error").map(({ message }) => message)).toEqual([
    "Server fault",
    "The store of idempotency keys failed",
  ]);
});

test("a claim whose answer was lost is released", async () => {
  const store = memoryStore();
  const { claim } = store;
  const { routing } = createPayment({ store });
  const server = await start(routing);
  vi.spyOn(store, "claim").mockImplementationOnce(async (...args) => {
    await claim(...args);
    throw new Error("connection lost");
  });
  expect((await pay(server, "a")).status).toBe(503);
  expect((await pay(server, "a")).status).toBe(201);
});

test("a store that does not answer holds no reply back", async () => {
  shortenTimers(5000);
  const store = memoryStore();
  const { routing } = createPayment({ store });
  const server = await start(routing);
  vi.spyOn(store, "keep").mockReturnValue(new Promise(() => undefined));
  expect((await pay(server, "a")).status).toBe(201);
  vi.spyOn(store, "claim").mockReturnValue(new Promise(() => undefined));
  expect((await pay(server, "b")).status).toBe(503);
});

test.each<[string, number, (response: Response) => unknown]>([
  [
    "after the handler has returned",
    422,
    (response) => {
      response.write("a");
      setImmediate(() => response.destroy());
    },
  ],
  [
    "because the handler throws",
    200,
    (response) => {
      response.write("a");
      throw new Error("broken");
    },
  ],
  [
    "and the handler tells of it",
    200,
    async (response) => {
      response.write("a");
      response.destroy();
      await once(response, "close");
      throw new Error("broken");
    },
  ],
])("a reply that breaks off %s settles its key at once", async (_how, status, fail) => {
  let runs = 0;
  const a = createFactory().buildVoid({
    method: "post",
    handler: ({ response }) => (++runs === 1 ? fail(response) : void response.end("b")),
  });
  const server = await start({ pay: a });
  await expect(pay(server, "k")).rejects.toMatchObject({ code: "ECONNRESET" });
  await expect.poll(async () => (await pay(server, "k")).status).toBe(status);
});

test("endpoints that send files or streams are refused when they are built", () => {
  const limited = createFactory();
  const refused = /keeps replies that the result handler sends/;
  expect(() =>
    limited.build({ output: ez.stream("text/csv"), handler: () => ["a"] as never }),
  ).toThrow(refused);
  const events = new EventStreamFactory({ time: z.number() }, { factory: limited });
  expect(() => events.build({ handler: () => undefined })).toThrow(refused);
});

test("documents have the header field and the statuses", () => {
  const { routing } = createPayment();
  const document = generateOpenApi({ routing, info: { title: "a", version: "1" } });
  expect(document.paths).toMatchObject({
    "/pay": {
      post: {
        parameters: [{ in: "header", name: "idempotency-key" }],
        responses: {
          201: {},
          409: { headers: { "Retry-After": {} } },
          422: {},
          503: { headers: { "Retry-After": {} } },
        },
      },
    },
  });
});

test("invalid options are rejected with their name and value", () => {
  const store = memoryStore();
  const scope = () => "all";
  // @ts-expect-error -- the caller is needed
  expect(() => idempotency({ store })).toThrow("an object with a `store` and a `scope`");
  // @ts-expect-error -- not a store
  expect(() => idempotency({ store: new Map(), scope })).toThrow("`store` must be a store");
  expect(() => idempotency({ store, scope, lease: 0 })).toThrow("`lease` must be a positive");
  // @ts-expect-error -- another name
  expect(() => idempotency({ store, scope, expires: 1 })).toThrow("`expires`");
});
