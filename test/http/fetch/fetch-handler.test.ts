import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import {
  defaultEndpointsFactory as factory,
  EventStreamFactory,
  ez,
  ResultHandler,
  EndpointsFactory,
  type Routing,
} from "sallyport";
import { createFetchHandler, type FetchConfig, type FetchHandler } from "sallyport/fetch";
import { afterEach, expect, test } from "vitest";
import { z } from "zod";
import { createRecorder, untilStill, type Line } from "../harness.ts";

const handlers: FetchHandler[] = [];
afterEach(async () => {
  for (const { close } of handlers.splice(0)) await close();
});

const create = async (routing: Routing, config: Partial<FetchConfig> = {}) => {
  const { logger, lines } = createRecorder();
  const handler = await createFetchHandler({ cors: false, logger, ...config }, routing);
  handlers.push(handler);
  const linesOf = (severity: Line["severity"]): unknown[] =>
    lines.filter((line) => line.severity === severity).map(({ message }) => message);
  const ask: FetchHandler["fetch"] = (request, options) => handler.fetch(request, options);
  return { ...handler, ask, linesOf };
};

const at = (path: string, init: RequestInit & { duplex?: "half" } = {}): Request =>
  new Request(`https://api.test${path}`, init);

test("the address of the client comes from the host, and the scheme from the URL", async () => {
  const who = factory.build({
    output: z.object({ ip: z.string().optional(), url: z.string() }),
    handler: ({ request }) => ({ ip: request.ip, url: `${request.protocol}://${request.host}` }),
  });
  const { ask } = await create({ who });
  const { data } = (await (await ask(at("/who"), { remoteAddress: "10.1.2.3" })).json()) as {
    data: object;
  };
  expect(data).toEqual({ ip: "10.1.2.3", url: "https://api.test" });
  expect(await (await ask(at("/who"))).json()).toMatchObject({ data: { url: "https://api.test" } });
});

test("a stream is read no faster than the client reads it", async () => {
  let made = 0;
  const stream = factory.build({
    output: ez.stream("text/plain"),
    handler: async function* () {
      for (; made < 1000; made++) yield "x".repeat(10_000);
    } as never,
  });
  const { ask } = await create({ stream });
  const { body } = await ask(at("/stream"));
  await wait(50);
  expect(made).toBeLessThan(50);
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  let length = 0;
  for (let piece = await reader.read(); !piece.done; piece = await reader.read())
    length += piece.value.length;
  expect([made, length]).toEqual([1000, 10_000_000]);
});

test("events arrive one by one, with heartbeats after a client that was slow", async () => {
  const events = new EventStreamFactory({ tick: z.number() }).build({
    handler: async ({ ctx }) => {
      for (let tick = 0; !ctx.isClosed(); tick++) {
        await ctx.emit("tick", tick);
        await wait(5);
      }
    },
  });
  const { ask } = await create({ events });
  const { body, headers } = await ask(at("/events"));
  expect(headers.get("content-type")).toBe("text/event-stream");
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  const first = await reader.read();
  expect(new TextDecoder().decode(first.value)).toBe("event: tick\ndata: 0\n\n");
  await reader.cancel();
});

test.each(["the body is cancelled", "the request is aborted"])(
  "the handler is told that the client has left if %s",
  async (how) => {
    let reason: unknown;
    const stream = factory.build({
      output: ez.stream("text/plain"),
      handler: async function* ({ signal }: { signal: AbortSignal }) {
        yield "a";
        if (!signal.aborted) await once(signal, "abort");
        reason = signal.reason;
        yield "b";
      } as never,
    });
    const { ask } = await create({ stream });
    const leaving = new AbortController();
    const { body } = await ask(at("/stream", { signal: leaving.signal }));
    const reader = (body as ReadableStream<Uint8Array>).getReader();
    await reader.read();
    if (how.startsWith("the body")) await reader.cancel();
    else leaving.abort();
    await expect.poll(() => reason).toMatchObject({ name: "AbortError" });
  },
);

test("a body that fails is an error of the client, and one that is refused is read no further", async () => {
  const post = factory.build({
    method: "post",
    input: z.object({ a: z.string() }),
    handler: () => ({}),
  });
  const { ask } = await create({ "": post });
  const failing = new ReadableStream({
    pull: (controller) => controller.error(new Error("broken")),
  });
  const headers = { "Content-Type": "application/json" };
  const request = at("/", { method: "POST", body: failing, headers, duplex: "half" });
  const outcome = await ask(request).then(
    ({ status }) => status,
    () => "cut off",
  );
  expect([400, "cut off"]).toContain(outcome);
  let count = 0;
  const endless = new ReadableStream({
    pull: (controller) => {
      count++;
      controller.enqueue(new Uint8Array(65_536));
    },
  });
  const large = at("/", { method: "POST", body: endless, headers, duplex: "half" });
  expect((await ask(large)).status).toBe(413);
  const before = await untilStill(() => count);
  expect(before).toBeLessThan(50);
  // the rest is the host's to cancel or to read
  expect(endless.locked).toBe(false);
});

test("a response that breaks off rejects: as a whole before its head, or its body", async () => {
  const broken = factory.build({
    output: ez.stream("text/plain"),
    handler: async function* () {
      yield "a";
      await wait(10);
      throw new Error("broken");
    } as never,
  });
  const cut = factory.buildVoid({
    handler: ({ response }) => {
      response.destroy();
      return response;
    },
  });
  const { ask } = await create({ broken, cut });
  await expect((await ask(at("/broken"))).text()).rejects.toThrow("cut off");
  await expect(ask(at("/cut"))).rejects.toThrow("cut off before it began");
});

test("waitUntil receives what ends with the work of the request", async () => {
  let isDone = false;
  const later = new EndpointsFactory(
    new ResultHandler({
      positive: z.object({}),
      negative: z.object({}),
      handler: async ({ response }) => {
        response.json({});
        await wait(20);
        isDone = true;
      },
    }),
  ).build({ handler: () => ({}) });
  const { ask } = await create({ later });
  let pending: Promise<unknown> | undefined;
  await ask(at("/later"), { waitUntil: (promise) => void (pending = promise) });
  expect(isDone).toBe(false);
  await pending;
  expect(isDone).toBe(true);
});

test("close waits for requests, and runs onStop", async () => {
  const order: string[] = [];
  const slow = factory.build({
    handler: async () => {
      await wait(20);
      order.push("handler");
      return {};
    },
  });
  const { ask, close } = await create({ slow }, { onStop: () => void order.push("onStop") });
  const asked = ask(at("/slow"));
  await close();
  expect(order).toEqual(["handler", "onStop"]);
  expect((await asked).status).toBe(200);
});

test.each(["http", "https"])("the option `%s` is refused by name", async (name) => {
  const config = { cors: false, [name]: { listen: 8090 } };
  await expect(createFetchHandler(config as never, {})).rejects.toMatchObject({
    name: "ConfigError",
    message: expect.stringContaining(`the \`${name}\` option is for createServer`) as string,
  });
});

test("informational heads are skipped", async () => {
  const early = factory.build({
    handler: ({ response }) => {
      response.writeEarlyHints({ link: "</a.css>; rel=preload" });
      return {};
    },
  });
  const { ask } = await create({ early });
  const response = await ask(at("/early"));
  expect([response.status, response.headers.get("link")]).toEqual([200, null]);
});

test("what was written before a response broke off still arrives", async () => {
  const broken = factory.buildVoid({
    handler: ({ response }) => {
      response.write("x");
      throw new Error("broken");
    },
  });
  const { ask } = await create({ broken });
  const reader = ((await ask(at("/broken"))).body as ReadableStream<Uint8Array>).getReader();
  await wait(20);
  expect(new TextDecoder().decode((await reader.read()).value)).toBe("x");
  await expect(reader.read()).rejects.toThrow("cut off");
});

test("a status that the standard lacks rejects, and ends the exchange", async () => {
  const odd = factory.buildVoid({ handler: ({ response }) => response.status(999).end("x") });
  const { ask } = await create({ odd });
  let pending: Promise<unknown> | undefined;
  const asked = ask(at("/odd"), { waitUntil: (promise) => void (pending = promise) });
  await expect(asked).rejects.toThrow(RangeError);
  await pending;
});

test("the body of a response that may have none is dropped, however long it is", async () => {
  const reset = factory.buildVoid({
    handler: ({ response }) => {
      response.statusCode = 205;
      return response.end("x".repeat(200_000));
    },
  });
  const { ask } = await create({ reset });
  let pending: Promise<unknown> | undefined;
  const { status, body } = await ask(at("/reset"), {
    waitUntil: (promise) => void (pending = promise),
  });
  expect([status, body]).toEqual([205, null]);
  await pending;
});

test("heads of any form are understood, without the fields of a connection", async () => {
  const nested = factory.buildVoid({
    handler: ({ response }) => {
      const fields = [
        ["X-A", "1"],
        ["Trailer", "X-T"],
      ];
      response.writeHead(202, fields as never);
      response.write("a");
      response.addTrailers({ "X-T": "1" });
      return response.end();
    },
  });
  const { ask } = await create({ nested });
  const response = await ask(at("/nested"));
  expect([response.status, response.headers.get("x-a"), await response.text()]).toEqual([
    202,
    "1",
    "a",
  ]);
  expect(response.headers.has("trailer")).toBe(false);
});

test("close cuts off what is left after the deadline, and later requests get a 503", async () => {
  const endless = factory.buildVoid({
    handler: async ({ response, signal }) => {
      response.write("x");
      await once(signal, "abort");
      await wait(2000);
      return response.end("y");
    },
  });
  const { ask, close } = await create({ endless }, { gracefulShutdown: { timeout: 100 } });
  const { body } = await ask(at("/endless"));
  await close();
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  await reader.read();
  await expect(reader.read()).rejects.toThrow("cut off");
  expect((await ask(at("/endless"))).status).toBe(503);
});

test("a request whose body was read already rejects", async () => {
  const post = factory.build({ method: "post", handler: () => ({}) });
  const { ask } = await create({ post });
  const request = at("/post", { method: "POST", body: "a" });
  await request.text();
  await expect(ask(request)).rejects.toThrow(TypeError);
});
