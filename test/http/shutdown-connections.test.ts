import { once } from "node:events";
import type { Socket } from "node:net";
import type { Response } from "express";
import { defaultEndpointsFactory as factory, EventStreamFactory, Middleware } from "sallyport";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { start } from "./harness.ts";
import { listStatuses } from "./replies.ts";

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

const slow = factory.build({
  input: z.object({ ms: z.coerce.number() }),
  output: z.object({ ms: z.number() }),
  handler: async ({ input }) => {
    await sleep(input.ms);
    return input;
  },
});

/**
 * A time limit in milliseconds, far below the deadline of 15 seconds and far above the time that a
 * busy machine needs.
 */
const soon = 3000;
const untilClosed = async (close: () => Promise<void>): Promise<void> => {
  const late = sleep(soon).then(() => {
    throw new Error(`The server has not closed within ${soon} ms`);
  });
  await Promise.race([close(), late]);
};

describe("S13: idle connections end at once", () => {
  test("even if their clients have sent nothing at all, or nothing since the last response", async () => {
    const server = await start({ slow });
    const [silent, kept] = [await server.open(), await server.open()];
    kept.write(get("/slow?ms=0"));
    await once(kept, "data");
    const ends = Promise.all([once(silent, "close"), once(kept, "close")]);
    silent.resume();
    await untilClosed(server.close);
    await ends;
    expect(server.linesOf("warn")).toEqual([]);
  });

  test("and the server closes as soon as the last running request has its response", async () => {
    const server = await start({ slow });
    const silent = await server.open();
    const running = await server.open();
    const { statuses } = collect(running);
    running.write(get("/slow?ms=150"));
    await sleep(50);
    const closing = untilClosed(server.close);
    await once(running, "close");
    expect(statuses()).toEqual([200]);
    await closing;
    silent.destroy();
  });
});

describe("S14: requests parsed before the shutdown get responses", () => {
  test("in order if they are pipelined, and the last response ends the connection", async () => {
    const server = await start({ slow });
    const socket = await server.open();
    const { text, statuses } = collect(socket);
    const times = [60, 5, 4, 3, 2, 1];
    socket.write(times.map((ms) => get(`/slow?ms=${ms}`)).join(""));
    await sleep(30);
    const closing = untilClosed(server.close);
    await sleep(10);
    // this request arrives too late
    socket.write(get("/slow?ms=0"));
    await once(socket, "close");
    await closing;
    expect(statuses()).toEqual(times.map(() => 200));
    const bodies = [...text().matchAll(/"ms":(\d+)/g)].map(([, ms]) => Number(ms));
    expect(bodies).toEqual(times);
    const closings = [...text().matchAll(/^connection: (.*?)\r$/gim)].map(([, value]) => value);
    expect(closings).toEqual([...times.slice(1).map(() => "keep-alive"), "close"]);
  });
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
    const server = await start({ x: endpoint });
    const socket = await server.open();
    const { text } = collect(socket);
    socket.write(get("/x"));
    await expect.poll(() => entered.mock.calls, { timeout: soon }).toHaveLength(1);
    await Promise.all([untilClosed(server.close), once(socket, "close")]);
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
    const server = await start({ x: endpoint });
    const socket = await server.open();
    const { text } = collect(socket);
    socket.write(get("/x"));
    await sleep(50);
    await Promise.all([untilClosed(server.close), once(socket, "close")]);
    expect(text()).toMatch(/^HTTP\/1.1 200[^]*"stopped":true/);
  });
});
