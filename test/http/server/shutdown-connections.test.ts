import { once } from "node:events";
import type { Server } from "node:http";
import type { Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Response } from "express";
import { defaultEndpointsFactory as factory, EventStreamFactory, ez, Middleware } from "sallyport";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { start, stopClock } from "../harness.ts";
import { listStatuses } from "../replies.ts";

const sleep = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));
const get = (path: string, ...fields: readonly string[]): string =>
  [`GET ${path} HTTP/1.1`, "Host: a", ...fields, "", ""].join("\r\n");

const collect = (socket: Socket) => {
  let text = "";
  socket.on("data", (piece: Buffer) => (text += piece.toString("latin1")));
  return {
    text: () => text,
    statuses: () => listStatuses(text),
  };
};

const echo = factory.build({
  input: z.object({ n: z.coerce.number() }),
  output: z.object({ n: z.number() }),
  handler: ({ input }) => input,
});

/** Creates an endpoint whose first request is answered when the test opens the gate. */
const createGate = () => {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  const gate = factory.build({ handler: () => opened.then(() => ({})) });
  return { gate, open };
};

/** A deadline that no test reaches: a server that waits for it is detected by the time limit of the test. */
const gracefulShutdown = { timeout: 60_000, events: [] };

describe("S13: idle connections end at once", () => {
  test("even if their clients have sent nothing at all, or nothing since the last response", async () => {
    const server = await start({ echo }, { gracefulShutdown });
    const [silent, kept] = [await server.open(), await server.open()];
    kept.write(get("/echo?n=0"));
    await once(kept, "data");
    const ends = Promise.all([once(silent, "close"), once(kept, "close")]);
    silent.resume();
    await server.close();
    await ends;
    expect(server.linesOf("warn")).toEqual([]);
  });

  test("and the server closes as soon as the last running request has its response", async () => {
    const { gate, open } = createGate();
    const server = await start({ gate }, { gracefulShutdown });
    const silent = await server.open();
    const running = await server.open();
    const { statuses } = collect(running);
    const arrived = server.untilRequest();
    running.write(get("/gate"));
    await arrived;
    const closing = server.close();
    await sleep(30);
    open();
    await once(running, "close");
    expect(statuses()).toEqual([200]);
    await closing;
    silent.destroy();
  });
});

test("S13: a running request is no silent connection where none counts its bytes, as on Bun", async () => {
  const { gate, open } = createGate();
  const server = await start({ gate }, { gracefulShutdown });
  server.servers[0]?.on("connection", (one: Socket) => {
    Object.defineProperty(one, "bytesRead", { get: () => 0 });
  });
  const socket = await server.open();
  const { statuses } = collect(socket);
  const arrived = server.untilRequest();
  socket.write(get("/gate"));
  await arrived;
  const ends = Promise.all([server.close(), once(socket, "close")]);
  await sleep(120);
  open();
  await ends;
  expect(statuses()).toEqual([200]);
});

test("S13: a connection that has just been opened may still send its request, which gets a response", async () => {
  stopClock();
  const server = await start({ echo }, { gracefulShutdown });
  const sweeps = vi.spyOn(server.servers[0] as Server, "closeIdleConnections");
  let opened = 0;
  server.servers[0]?.on("connection", () => opened++);
  // `expect.poll` would move the clock
  const until = async (isTrue: () => boolean): Promise<void> => {
    while (!isTrue()) await sleep(1);
  };
  const [socket, silent] = [await server.open(), await server.open()];
  await until(() => opened === 2);
  const { statuses, text } = collect(socket);
  const [closed, silenced] = [once(socket, "close"), once(silent.resume(), "close")];
  const closing = server.close();
  vi.advanceTimersByTime(45);
  const { length } = sweeps.mock.calls;
  await until(() => sweeps.mock.calls.length > length + 1);
  socket.write(get("/echo?n=0"));
  await closed;
  expect(statuses()).toEqual([200]);
  expect(text()).toContain("Connection: close");
  vi.advanceTimersByTime(10);
  await Promise.all([silenced, closing]);
});

test("S13: a request that has arrived in time gets a response even if a busy machine lets it be read late", async () => {
  stopClock();
  const { gate, open } = createGate();
  const server = await start({ echo, gate }, { gracefulShutdown });
  const listening = server.servers[0] as Server;
  const running = await server.open();
  const arrived = server.untilRequest();
  running.write(get("/gate"));
  await arrived;
  const [socket] = await Promise.all([server.open(), once(listening, "connection")]);
  const { statuses } = collect(socket);
  const closed = once(socket, "close");
  const closing = server.close();
  // timers run next
  while (listening.listening) await nextTurn();
  socket.write(get("/echo?n=0"));
  // the process stands still until the connection has been silent for too long, and the next sweep is due
  vi.advanceTimersByTime(100);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 30);
  await closed;
  expect(statuses()).toEqual([200]);
  open();
  await closing;
});

describe("S14: requests parsed before the shutdown get responses", () => {
  test("in order if they are pipelined, and the last response ends the connection", async () => {
    const { gate, open } = createGate();
    const server = await start({ gate, echo }, { gracefulShutdown });
    const socket = await server.open();
    const { text, statuses } = collect(socket);
    const numbers = [1, 2, 3, 4, 5];
    const arrived = server.untilRequest();
    socket.write(get("/gate") + numbers.map((n) => get(`/echo?n=${n}`)).join(""));
    await arrived;
    const closing = server.close();
    await sleep(10);
    // this request arrives too late
    socket.write(get("/echo?n=0"));
    await sleep(10);
    open();
    await once(socket, "close");
    await closing;
    expect(statuses()).toEqual([200, ...numbers.map(() => 200)]);
    expect([...text().matchAll(/"n":(\d+)/g)].map(([, n]) => Number(n))).toEqual(numbers);
    const closings = [...text().matchAll(/^connection: (.*?)\r$/gim)].map(([, value]) => value);
    expect(closings).toEqual([...numbers.map(() => "keep-alive"), "close"]);
  });
});

test.each(["closeIdleConnections", "close"] as const)(
  "S13: `%s` ends idle connections, but not those whose response is still being read",
  async (name) => {
    const size = 16 * 1024 * 1024;
    const large = factory.build({
      output: ez.buffer("text/plain"),
      handler: async () => Buffer.alloc(size, "x"),
    });
    const server = await start({ large, echo });
    const idle = await server.open();
    idle.write(get("/echo?n=0"));
    await once(idle, "data");
    const reading = await server.open();
    reading.write(get("/large"));
    await once(reading, "readable");
    server.servers[0]?.[name]();
    await once(idle, "close");
    let received = 0;
    reading.on("data", (piece: Buffer) => (received += piece.length));
    await expect.poll(() => received).toBeGreaterThan(size);
    reading.destroy();
  },
);

test("S13: a connection that was upgraded is closed at the deadline of the shutdown", async () => {
  const server = await start({}, { gracefulShutdown: { timeout: 100 } });
  server.servers[0]?.on("upgrade", (_request, socket) => socket.write("HTTP/1.1 101 OK\r\n\r\n"));
  const socket = await server.open();
  socket.write("GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n");
  await once(socket, "data");
  const closed = once(socket, "close");
  await server.close();
  await closed;
});

describe("S15: handlers that use their signal are notified of the shutdown", () => {
  test("and event streams end cleanly, even if their handler waits forever", async () => {
    const events = { tick: z.number() };
    const reasons: unknown[] = [];
    const waiting = new EventStreamFactory(events).build({
      handler: async ({ ctx: { emit, signal } }) => {
        await emit("tick", 1);
        await once(signal, "abort");
        reasons.push((signal.reason as { code?: unknown }).code);
      },
    });
    const deaf = new EventStreamFactory(events).build({
      handler: async ({ ctx: { emit } }) => {
        await emit("tick", 1);
        await new Promise(() => undefined);
      },
    });
    const server = await start({ waiting, deaf }, { gracefulShutdown: { timeout: 1000 } });
    const sockets = await Promise.all(
      ["/waiting", "/deaf"].map(async (path) => {
        const socket = await server.open();
        const { text } = collect(socket);
        socket.write(get(path));
        await expect.poll(text).toContain("tick");
        return { text, closed: once(socket, "close") };
      }),
    );
    const closing = server.close();
    for (const { text, closed } of sockets) {
      await closed;
      // the last chunk, which completes the body
      expect(text().endsWith("0\r\n\r\n")).toBe(true);
    }
    expect(reasons).toEqual(["SLP_SHUTTING_DOWN"]);
    expect(server.linesOf("warn")).toEqual([]);
    await closing;
    expect(server.linesOf("warn")).toMatchObject([{ meta: { routes: ["GET /deaf"] } }]);
    expect(server.linesOf("error")).toEqual([]);
  });

  test("and may replace the methods of the response", async () => {
    const entered = vi.fn();
    const endpoint = factory.build({
      handler: async ({ signal, response }) => {
        const aborted = once(signal, "abort");
        entered();
        await aborted;
        const writeHead = response.writeHead.bind(response) as (...head: unknown[]) => Response;
        response.writeHead = (...head: unknown[]) => {
          response.setHeader("X-Replaced", "1");
          return writeHead(...head);
        };
        return {};
      },
    });
    const server = await start({ x: endpoint }, { gracefulShutdown });
    const socket = await server.open();
    const { text } = collect(socket);
    socket.write(get("/x"));
    await expect.poll(() => entered.mock.calls).toHaveLength(1);
    await Promise.all([server.close(), once(socket, "close")]);
    expect(text()).toMatch(/^HTTP\/1.1 200[^]*X-Replaced: 1/);
  });

  test("and may still respond, even within an `around` middleware", async () => {
    const spanning = factory.addMiddleware(
      new Middleware({ around: (_args, next) => next({ tx: 1 }) }),
    );
    const endpoint = spanning.build({
      output: z.object({ stopped: z.boolean() }),
      handler: async ({ signal }) => {
        await once(signal, "abort");
        return { stopped: true };
      },
    });
    const server = await start({ x: endpoint }, { gracefulShutdown });
    const socket = await server.open();
    const { text } = collect(socket);
    const arrived = server.untilRequest();
    socket.write(get("/x"));
    await arrived;
    await Promise.all([server.close(), once(socket, "close")]);
    expect(text()).toMatch(/^HTTP\/1.1 200[^]*"stopped":true/);
  });
});

test("S13: a server that is always busy closes soon, too", async () => {
  const server = await start({ echo }, { gracefulShutdown });
  let turns = 0;
  let isClosed = false;
  const beBusy = (): void => {
    const until = performance.now() + 10;
    while (performance.now() < until);
    turns++;
    if (!isClosed) setImmediate(beBusy);
  };
  beBusy();
  await server.close();
  isClosed = true;
  // it does not wait for a quiet turn of the event loop, of which there is none
  expect(turns).toBeLessThan(100);
});
