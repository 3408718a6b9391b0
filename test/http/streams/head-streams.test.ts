import { once } from "node:events";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { Response } from "express";
import { defaultEndpointsFactory as factory, EventStreamFactory } from "sallyport";
import { expect, test, vi } from "vitest";
import { z } from "zod";
import { start } from "../harness.ts";

const ping = factory.build({ handler: () => ({ pong: true }) });

/** Ways to send many pieces; each gets a generator that counts what it produces. */
const ways: Readonly<Record<string, (response: Response, rows: Iterable<string>) => unknown>> = {
  "a loop": (response, rows) => {
    for (const row of rows) response.write(row);
    response.end();
  },
  "a loop that waits for `drain`": async (response, rows) => {
    for (const row of rows) if (!response.write(row)) await once(response, "drain");
    response.end();
  },
  "`pipe`": (response, rows) => void Readable.from(rows).pipe(response),
  "`pipeline`": (response, rows) => pipeline(Readable.from(rows), response),
};

test.each(Object.keys(ways))(
  "R21: HEAD for a response written by %s adds no listener for each piece",
  async (way) => {
    const count = 20_000;
    let produced = 0;
    const rows = function* (): Iterable<string> {
      for (; produced < count; produced++) yield "some row\n";
    };
    const ended = vi.fn();
    const warned = vi.fn();
    process.on("warning", warned);
    const server = await start({
      rows: factory.buildVoid({
        handler: async ({ response }) => {
          try {
            await ways[way]?.(response, rows());
          } finally {
            ended(response.listenerCount("unpipe"));
          }
        },
      }),
    });
    expect(await server.send("/rows", { method: "HEAD" })).toMatchObject({ status: 200, text: "" });
    await expect.poll(() => ended.mock.calls.length, { timeout: 20_000 }).toBe(1);
    expect(ended.mock.calls[0]?.[0]).toBeLessThanOrEqual(2);
    // a loop that does not use `signal` cannot be stopped
    expect(produced).toBeLessThan(way.startsWith("a loop") ? count + 1 : count);
    expect(warned).not.toHaveBeenCalled();
    expect([...server.linesOf("warn"), ...server.linesOf("error")]).toEqual([]);
    process.off("warning", warned);
  },
);

test("R21: HEAD stops an endless source", async () => {
  const source = new Readable({
    read() {
      this.push("x".repeat(65_536));
    },
  });
  const server = await start({
    rows: factory.buildVoid({ handler: ({ response }) => void source.pipe(response) }),
  });
  expect((await server.send("/rows", { method: "HEAD" })).status).toBe(200);
  await expect.poll(() => source.destroyed).toBe(true);
});

test("R21: a handler that waits for the signal after its first event ends on HEAD", async () => {
  let hasEnded = false;
  const run = new EventStreamFactory({ tick: z.number() }).build({
    handler: async ({ signal, ctx }) => {
      await ctx.emit("tick", 1);
      await once(signal, "abort");
      hasEnded = true;
    },
  });
  const server = await start({ run });
  expect((await server.send("/run", { method: "HEAD" })).status).toBe(200);
  await expect.poll(() => hasEnded).toBe(true);
});

test("a HEAD request to a handler that writes in a loop ends immediately, and the signal is aborted", async () => {
  let isStopped = false;
  const endpoint = factory.build({
    handler: async ({ response, signal }) => {
      while (!signal.aborted) {
        response.write("tick");
        await sleep(5);
      }
      isStopped = true;
      response.end("last");
      return {};
    },
  });
  const server = await start({ a: endpoint });
  const head = await server.send("/a", { method: "HEAD" });
  expect([head.status, head.text]).toEqual([200, ""]);
  await expect.poll(() => isStopped).toBe(true);
});

test.each([
  [
    "handler",
    (send: (response: Response) => void) =>
      factory.buildVoid({ handler: ({ response }) => send(response) }),
  ],
  [
    "middleware",
    (send: (response: Response) => void) =>
      factory
        .addMiddleware({ handler: ({ response }) => send(response) })
        .build({ handler: () => ({}) }),
  ],
])("HEAD for a %s that pipes a silent source gets a response", async (_where, build) => {
  const silent = new Readable({ read: () => undefined });
  const server = await start({ a: build((response) => void silent.pipe(response)) });
  const head = await server.send("/a", { method: "HEAD" });
  silent.destroy();
  expect([head.status, head.text]).toEqual([200, ""]);
});

test("HEAD for a middleware that pipes a stream stops the producer", async () => {
  const source = new Readable({ read() {} });
  source.push("x");
  const piping = factory.addMiddleware({
    handler: async ({ response }) => void source.pipe(response),
  });
  const server = await start({ a: piping.build({ handler: async () => ({}) }) });
  expect((await server.send("/a", { method: "HEAD" })).status).toBe(200);
  await expect.poll(() => source.destroyed).toBe(true);
});

test("R21: HEAD for an endpoint that pipes its request keeps the connection", async () => {
  const endpoint = factory
    .use((request, response) => void request.pipe(response))
    .build({ handler: () => ({}) });
  const server = await start({ x: endpoint, ping });
  const next = "GET /ping HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
  const reply = await server.raw(`HEAD /x HTTP/1.1\r\nHost: a\r\n\r\n${next}`);
  expect(reply.match(/HTTP\/1\.1 200/g)).toHaveLength(2);
});
