import { once } from "node:events";
import { Agent, request as httpRequest, type IncomingMessage } from "node:http";
import { connect, type Socket } from "node:net";
import { defaultEndpointsFactory as factory } from "sallyport";
import { expect, test } from "vitest";
import { z } from "zod";
import { start } from "../http/harness.ts";
import { report, sleep, toP99 } from "./harness.ts";

const slowCount = 500;
const seconds = 10;

const greet = factory.build({
  input: z.object({ name: z.string() }),
  output: z.object({ hello: z.string() }),
  handler: async ({ input }) => ({ hello: input.name }),
});

const ask = async (agent: Agent, port: number): Promise<number> => {
  const request = httpRequest({ host: "127.0.0.1", port, path: "/greet?name=me", agent }).end();
  const [response] = (await once(request, "response")) as [IncomingMessage];
  response.resume();
  await once(response, "end");
  return response.statusCode ?? 0;
};

/** Runs four clients that send one request after another; returns how long each response took, in milliseconds. */
const measureGood = async (port: number, milliseconds: number): Promise<number[]> => {
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  const end = performance.now() + milliseconds;
  const times: number[] = [];
  const client = async (): Promise<void> => {
    while (performance.now() < end) {
      const begin = performance.now();
      expect(await ask(agent, port)).toBe(200);
      times.push(performance.now() - begin);
      await sleep(1);
    }
  };
  await Promise.all([client(), client(), client(), client()]);
  agent.destroy();
  return times;
};

/** Opens connections that each send one header byte per second, evenly spread over each second. */
const openSlow = async (port: number): Promise<{ sockets: Socket[]; stop: () => void }> => {
  const sockets: Socket[] = [];
  const timers: NodeJS.Timeout[] = [];
  for (let index = 0; index < slowCount; index++) {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => undefined);
    await once(socket, "connect");
    socket.write("GET /greet?name=slow HTTP/1.1\r\nHost: x\r\nX-Slow: ");
    sockets.push(socket);
    const begin = setTimeout(
      () => timers.push(setInterval(() => socket.write("a"), 1000)),
      (index * 1000) / slowCount,
    );
    timers.push(begin);
  }
  const stop = (): void => {
    for (const timer of timers) clearInterval(timer);
    for (const socket of sockets) socket.destroy();
  };
  return { sockets, stop };
};

test(`${slowCount} connections that each send one header byte per second do not slow down valid requests`, async () => {
  const server = await start({ greet }, { accessLogger: null });
  await measureGood(server.port, 2000);
  // half of the requests for comparison are sent before this measurement and half after it, in case the machine becomes
  // faster or slower
  const half = await measureGood(server.port, seconds * 500);
  const { sockets, stop } = await openSlow(server.port);
  const beside = await measureGood(server.port, seconds * 1000);
  const stillOpen = sockets.filter((socket) => !socket.destroyed && socket.readable).length;
  stop();
  await sleep(500);
  const alone = [...half, ...(await measureGood(server.port, seconds * 500))];
  const ratio = toP99(beside) / toP99(alone);
  report(
    `p99 of good requests: ${toP99(alone).toFixed(2)} ms alone (${alone.length} requests in ${seconds} s), ${toP99(beside).toFixed(2)} ms beside ${stillOpen} slow connections (${beside.length} requests): ratio ${ratio.toFixed(2)}, wanted at most 2, asserted 4`,
  );
  expect(stillOpen).toBe(slowCount);
  expect(ratio).toBeLessThan(4);
});
