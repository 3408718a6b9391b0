import { once } from "node:events";
import { Readable } from "node:stream";
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import { defaultEndpointsFactory, EventStreamFactory } from "sallyport";
import { expect, test } from "vitest";
import { events, fail, getRun, startRun, type Run } from "../streams/event-stream-harness.ts";
import { start, untilStill } from "../harness.ts";

const chunk = "x".repeat(64 * 1024);

test("R13: a slow reader slows down a handler that awaits each event, and receives everything", async () => {
  let sent = 0;
  const total = 400;
  const server = await startRun(async ({ emit }) => {
    for (; sent < total; sent++) await emit("big", chunk);
  });
  const socket = await server.open();
  let received = 0;
  socket.on("data", (bytes: Buffer) => (received += bytes.length));
  socket.pause().write(getRun);
  await expect.poll(() => sent).toBeGreaterThan(0);
  expect(await untilStill(() => sent)).toBeLessThan(total);
  socket.resume();
  await expect.poll(() => sent).toBe(total);
  await expect.poll(() => received).toBeGreaterThan(total * chunk.length);
  expect(server.lines).toEqual([]);
});

test("R13: a reader that is too slow for a handler that awaits nothing is cut off", async () => {
  let sent = 0;
  let buffered = 0;
  let late: unknown;
  const factory = new EventStreamFactory(events, { maxBuffered: 300_000 });
  const run = factory.build({
    handler: async ({ response, ctx: { emit, isClosed } }) => {
      while (!isClosed()) {
        void emit("big", chunk);
        sent++;
        buffered = Math.max(buffered, response.writableLength);
        await setImmediate();
      }
      // late events cause no error in handlers that await nothing
      void emit("big", chunk);
      late = await fail(() => emit("time", 1));
    },
  });
  const server = await start({ run }, { accessLogger: null });
  server.lines.length = 0;
  const socket = await server.open();
  socket.pause().write(getRun);
  await expect.poll(() => server.lines).toHaveLength(1);
  expect(server.lines).toMatchObject([{ severity: "warn", meta: { path: "/run" } }]);
  await expect.poll(() => late).toMatchObject({ name: "AbortError", code: "ABORT_ERR" });
  expect(sent).toBeGreaterThan(4);
  // the limit plus the one event that exceeds it
  expect(buffered).toBeLessThan(300_000 + 2 * chunk.length);
  socket.resume();
  await once(socket, "close");
});

test("R13: one event over the limit is sent to a reader that keeps up", async () => {
  const server = await startRun(
    async ({ emit }) => {
      for (let n = 0; n < 3; n++) await emit("big", chunk.repeat(40));
    },
    { maxBuffered: 1000 },
  );
  const { text } = await server.send("/run");
  expect(text.length).toBeGreaterThan(3 * 40 * chunk.length);
  expect(server.lines).toEqual([]);
});

test("R13: a client that leaves ends a handler that is sending, sleeping or polling", async () => {
  const ways: Run[] = [
    async ({ emit }) => {
      for (;;) {
        await emit("time", 1);
        await sleep(5);
      }
    },
    async ({ emit }) => {
      for (;;) await emit("big", chunk);
    },
    async ({ emit, signal }) => {
      await emit("time", 1);
      await sleep(60_000, undefined, { signal });
    },
    async ({ emit, signal }) => {
      await emit("time", 1);
      await once(signal, "abort");
      signal.throwIfAborted();
    },
    async ({ emit, isClosed }) => {
      while (!isClosed()) {
        void emit("time", 1);
        void emit("late", "good");
        await sleep(5);
      }
    },
  ];
  for (const way of ways) {
    let isDone = false;
    const server = await startRun(async (stream) => {
      try {
        await way(stream);
      } finally {
        isDone = true;
      }
    });
    const socket = await server.open();
    socket.write(getRun);
    await once(socket, "data");
    await sleep(20);
    socket.destroy();
    await expect.poll(() => isDone).toBe(true);
    await sleep(20);
    // H10: no error is logged, and no rejection is unhandled, which the harness would detect
    expect(server.lines.filter(({ severity }) => severity !== "debug")).toEqual([]);
  }
});

test("R13: a client that leaves before the first event ends the handler as well", async () => {
  let thrown: unknown;
  const server = await startRun(async ({ emit, signal }) => {
    await once(signal, "abort");
    thrown = await fail(() => emit("time", 1));
    await emit("time", 2);
  });
  const socket = await server.open();
  const arrived = server.untilRequest();
  socket.write(getRun);
  await arrived;
  socket.destroy();
  await expect.poll(() => thrown).toMatchObject({ name: "AbortError", code: "ABORT_ERR" });
  await expect.poll(() => server.lines.map(({ severity }) => severity)).toEqual(["debug"]);
});

test("R13: an event stream leaves no listeners behind on the connection", async () => {
  let counts: number[] = [];
  const run = new EventStreamFactory(events).build({
    handler: async ({ request, response, ctx: { emit } }) => {
      // many events that are not awaited share one listener
      for (let n = 0; n < 30; n++) void emit("big", "x".repeat(10_000));
      counts = [response.listenerCount("drain"), request.socket.listenerCount("close")];
      await emit("time", 1);
    },
  });
  const server = await start({ run });
  const socket = await server.open();
  let ends = 0;
  socket.on(
    "data",
    (bytes: Buffer) => (ends += bytes.toString("latin1").endsWith("0\r\n\r\n") ? 1 : 0),
  );
  const seen: number[][] = [];
  for (let n = 1; n <= 3; n++) {
    socket.write(getRun);
    await expect.poll(() => ends).toBe(n);
    seen.push(counts);
  }
  expect(seen.map(([drain]) => drain)).toEqual([1, 1, 1]);
  expect(new Set(seen.map(([, close]) => close)).size).toBe(1);
});

test("R13: a slow reader slows down the producer of a stream, which stops when the reader leaves", async () => {
  let produced = 0;
  const piece = Buffer.alloc(65_536);
  const source = new Readable({
    read() {
      produced += piece.length;
      this.push(piece);
    },
  });
  const endpoint = defaultEndpointsFactory.build({
    handler: async ({ response, signal }) => {
      signal.addEventListener("abort", () => source.destroy());
      source.pipe(response);
      return undefined;
    },
  });
  const server = await start({ a: endpoint });
  const socket = await server.open();
  socket.pause().write("GET /a HTTP/1.1\r\nHost: x\r\n\r\n");
  await expect.poll(() => produced).toBeGreaterThan(0);
  // the kernel's buffers are full, and nothing more is produced
  expect(await untilStill(() => produced)).toBeLessThan(64 * 1024 * 1024);
  socket.destroy();
  await expect.poll(() => source.destroyed).toBe(true);
});
