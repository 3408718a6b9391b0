import { once } from "node:events";
import { Agent, get } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import {
  defaultEndpointsFactory as factory,
  EventStreamFactory,
  type HookArguments,
  type RunningServer,
} from "sallyport";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { start } from "../harness.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** Keeps weak references to objects that should be garbage-collected. */
class Remembered {
  readonly #references: WeakRef<object>[] = [];

  add(thing: object): void {
    this.#references.push(new WeakRef(thing));
  }

  /**
   * Expects that all objects are collected except the last ones, which may still be on the stack.
   */
  async expectForgotten(count: number): Promise<void> {
    expect(this.#references).toHaveLength(count);
    const countLeft = (): number => {
      collectGarbage();
      return this.#references.filter((reference) => reference.deref()).length;
    };
    await expect.poll(countLeft).toBeLessThan(count / 5);
  }
}

const ping = factory.build({ handler: () => ({ pong: true }) });
const echo = factory.build({
  method: "post",
  input: z.object({ text: z.string() }),
  output: z.object({ text: z.string() }),
  handler: ({ input }) => input,
});

const large = factory.build({
  output: z.object({ text: z.string() }),
  handler: () => ({ text: "x".repeat(4 * 1024 * 1024) }),
});

const addNative = ({ app }: HookArguments): void => {
  app.get("/native", (_request, response) => void response.send("native"));
};

const countConnections = ({ servers }: RunningServer): Promise<number> =>
  new Promise((resolve) => servers[0]?.getConnections((_error, count) => resolve(count)));

/** Reads from a socket until a text has arrived that many times. */
const readTimes = async (socket: Socket, text: string, times: number): Promise<void> => {
  let received = "";
  while (received.split(text).length <= times) {
    const [chunk] = (await once(socket, "data")) as [Buffer];
    received += chunk.toString("latin1");
  }
};

/** Returns the number of timers that would keep the process alive. */
const countTimers = (): number =>
  process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;

describe("S6: nothing is left behind", () => {
  test("requests leave no socket, timer or listener", async () => {
    const server = await start({ ping, echo }, { requestTimeout: 5000 });
    const sendAll = async (): Promise<void> => {
      for (let index = 0; index < 30; index++) {
        await server.send("/ping");
        await server.send("/echo", { method: "POST", body: { text: "x" } });
        await server.send("/echo", { method: "POST", body: "{" });
      }
    };
    const countListeners = (): number =>
      process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0);
    await sendAll();
    await server.untilLeft();
    const before = [countTimers(), countListeners()];
    await sendAll();
    await server.untilLeft();
    expect(countTimers()).toBeLessThanOrEqual((before[0] ?? 0) + 5);
    expect(countListeners()).toBe(before[1]);
  });

  test("closed connections leave no socket", async () => {
    const sockets = new Remembered();
    const server = await start({ ping });
    server.servers[0]?.on("connection", (socket: Socket) => sockets.add(socket));
    for (let index = 0; index < 30; index++) await server.send("/ping");
    await sockets.expectForgotten(30);
  });

  test.each([
    ["that are accepted", { text: "x" }, 200],
    ["that are rejected", "{", 400],
  ])("requests with bodies %s leave no request object", async (...row) => {
    const [, body, status] = row;
    const requests = new Remembered();
    const server = await start({ echo });
    server.servers[0]?.on("request", (request) => requests.add(request));
    const headers = { "content-type": "application/json" };
    for (let index = 0; index < 30; index++)
      expect((await server.send("/echo", { method: "POST", headers, body })).status).toBe(status);
    await requests.expectForgotten(30);
  });

  test.each([
    ["an output", "/ping", {}],
    ["a large output", "/large", {}],
    ["an unknown path", "/unknown", {}],
    ["an endpoint behind hooks", "/ping", { beforeRouting: () => undefined }],
    ["a route of the application", "/native", { beforeRouting: addNative }],
  ])("an idle connection keeps no request or response: %s", async (...row) => {
    const [, path, config] = row;
    const [requests, responses] = [new Remembered(), new Remembered()];
    const server = await start({ ping, large }, config);
    server.servers[0]?.on("request", (request, response) => {
      requests.add(request);
      responses.add(response);
    });
    const agent = new Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    const send = async (): Promise<void> => {
      const [response] = await once(get({ port: server.port, path, agent }), "response");
      await once(response.resume(), "end");
    };
    await Promise.all(Array.from({ length: 10 }, send));
    expect(await countConnections(server)).toBe(10);
    await requests.expectForgotten(10);
    await responses.expectForgotten(10);
    expect(await countConnections(server)).toBe(10);
  });

  test("an idle connection keeps nothing of pipelined requests", async () => {
    const requests = new Remembered();
    const server = await start({ ping });
    server.servers[0]?.on("request", (request) => requests.add(request));
    const sockets = await Promise.all(Array.from({ length: 5 }, () => server.open()));
    for (const socket of sockets) {
      const received = readTimes(socket, "HTTP/1.1 200", 3);
      socket.write("GET /ping HTTP/1.1\r\nHost: x\r\n\r\n".repeat(3));
      await received;
    }
    await requests.expectForgotten(15);
    for (const socket of sockets) socket.destroy();
  });

  test("an event stream whose handler listens to the signal leaves no response", async () => {
    const responses = new Remembered();
    const ticks = new EventStreamFactory({ tick: z.number() }).build({
      handler: async ({ ctx: { emit, signal }, response }) => {
        responses.add(response);
        signal.addEventListener("abort", () => response.statusCode);
        await emit("tick", 1);
      },
    });
    const server = await start({ ticks });
    for (let index = 0; index < 20; index++) await server.send("/ticks");
    await responses.expectForgotten(20);
  });

  test("a closed server leaves no timer", async () => {
    const server = await start({ ping });
    await sleep(50);
    const before = countTimers();
    await server.close();
    expect(countTimers()).toBeLessThanOrEqual(before);
  });
});
