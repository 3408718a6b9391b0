import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { defaultEndpointsFactory as factory } from "sallyport";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { start } from "./harness.ts";

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

  test("a closed server leaves no timer", async () => {
    const server = await start({ ping });
    await sleep(50);
    const before = countTimers();
    await server.close();
    expect(countTimers()).toBeLessThanOrEqual(before);
  });
});
