import { getEventListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { Response } from "express";
import { EventStreamFactory } from "sallyport";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { events, fail, type Stream } from "./event-stream-harness.ts";
import { start } from "../harness.ts";

const unsendable = "Zoë → ✓";

/** Starts a server whose `/run` soon opens an event stream by a timer, after a function has prepared the response. */
const startStream = async (
  prepare: (response: Response) => void,
  run: (stream: Stream) => Promise<unknown>,
  openAfter = 10,
) => {
  const endpoint = new EventStreamFactory(events, { openAfter, heartbeat: 10 }).build({
    handler: async ({ response, ctx }) => {
      prepare(response);
      await run(ctx);
    },
  });
  return start({ run: endpoint });
};

const untilAborted = ({ signal }: Stream): Promise<unknown> =>
  new Promise((resolve) => signal.addEventListener("abort", resolve));

describe("H21: what fails when a timer sends a comment ends the stream, not the process", () => {
  test.each<readonly [string, (stream: Stream) => Promise<unknown>]>([
    ["waits for its signal", untilAborted],
    [
      "throws the reason of its signal",
      (stream) => untilAborted(stream).then(() => stream.signal.throwIfAborted()),
    ],
    ["emits later", ({ emit }) => sleep(50).then(() => emit("time", 1))],
  ])("with a 500 if the head cannot be sent and the handler %s", async (_how, run) => {
    const server = await startStream((response) => (response.statusMessage = unsendable), run);
    expect((await server.send("/run")).status).toBe(500);
    expect(server.linesOf("error")).toMatchObject([
      { meta: { error: { code: "ERR_INVALID_CHAR" } } },
    ]);
  });

  test("by cutting it if it has begun, and later events are refused", async () => {
    const refused = vi.fn();
    const server = await startStream(
      (response) => {
        const write = response.write.bind(response);
        let pieces = 0;
        response.write = (piece: unknown) => {
          if (pieces++ > 1) throw new Error("a tool failed");
          return write(piece);
        };
      },
      async (stream) => {
        await untilAborted(stream);
        refused(await fail(() => stream.emit("time", 1)));
      },
    );
    await expect(server.send("/run")).rejects.toThrow("aborted");
    expect(refused.mock.calls).toMatchObject([[{ name: "AbortError" }]]);
    expect(server.linesOf("error")).toMatchObject([
      { meta: { error: { message: "a tool failed" } } },
    ]);
  });
});

test("S15: a stream whose head cannot be sent at a shutdown gets a 500", async () => {
  const run = vi.fn(untilAborted);
  const server = await startStream(
    (response) => (response.statusMessage = unsendable),
    run,
    60_000,
  );
  const reply = server.send("/run");
  await expect.poll(() => run.mock.calls.length).toBe(1);
  await server.close();
  expect((await reply).status).toBe(500);
  expect(server.linesOf("error")).toMatchObject([
    { meta: { error: { code: "ERR_INVALID_CHAR" } } },
  ]);
});

test("an event that is invalid and not awaited ends nothing but itself", async () => {
  const stream = new EventStreamFactory({
    t: z.number().refine(async (value) => value < 5),
  }).build({
    handler: async ({ ctx: { emit } }) => {
      void emit("t", 9);
      await sleep(5);
      await emit("t", 1);
    },
  });
  const server = await start({ stream });
  expect((await server.send("/stream")).text).toBe("event: t\ndata: 1\n\n");
});

test.each([
  ["ends", () => undefined],
  ["throws", () => Promise.reject(new Error("broke"))],
])("W28: nothing listens to the signal of a stream whose handler %s", async (_name, finish) => {
  let signal: AbortSignal | undefined;
  const server = await startStream(
    () => undefined,
    async (stream) => {
      ({ signal } = stream);
      await finish();
    },
  );
  await server.send("/run");
  // Node would keep the signal, and the whole stream with it
  expect(getEventListeners(signal as AbortSignal, "abort")).toEqual([]);
});

test("a stream whose handler ends at its time limit logs nothing", async () => {
  const run = new EventStreamFactory(events).build({
    timeout: 50,
    handler: async ({ ctx }) => {
      await ctx.emit("time", 1);
      await untilAborted(ctx);
    },
  });
  const server = await start({ run }, { accessLogger: null });
  server.lines.length = 0;
  expect((await server.send("/run")).text).toContain("data: 1");
  await server.close();
  expect(server.lines).toEqual([]);
});
