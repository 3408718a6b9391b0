import { once } from "node:events";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Response } from "express";
import { defaultEndpointsFactory as factory, EventStreamFactory } from "sallyport";
import { expect, test, vi } from "vitest";
import { z } from "zod";
import { start } from "../harness.ts";

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
