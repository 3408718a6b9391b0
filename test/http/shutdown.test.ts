import { spawn } from "node:child_process";
import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { fileURLToPath } from "node:url";
import { defaultEndpointsFactory as factory } from "sallyport";
import { expect, test } from "vitest";
import { z } from "zod";
import { start, successEnvelope } from "./harness.ts";

const slow = factory.build({
  input: z.object({ ms: z.coerce.number() }),
  handler: async ({ input }) => {
    await new Promise((resolve) => setTimeout(resolve, input.ms));
    return { done: true };
  },
});

test("close finishes running requests, ends their connections and idle ones, and takes no new ones", async () => {
  const server = await start({ slow });
  const idle = await server.open();
  idle.write("GET /slow?ms=0 HTTP/1.1\r\nHost: x\r\n\r\n");
  await once(idle, "data");
  const running = server.send("/slow?ms=200", { headers: { connection: "keep-alive" } });
  await new Promise((resolve) => setTimeout(resolve, 50));
  const closing = server.close();
  expect(server.close()).toBe(closing);
  await once(idle, "end");
  await expect(server.send("/slow?ms=0")).rejects.toMatchObject({ code: "ECONNREFUSED" });
  const answer = await running;
  expect(answer.json()).toEqual(successEnvelope({ done: true }));
  expect(answer.headers.connection).toBe("close");
  await closing;
});

test("S1: a large reply that its client still reads is sent to its end", async () => {
  const large = factory.build({ handler: () => ({ text: "x".repeat(2e7) }) });
  const server = await start({ large });
  const socket = await server.open();
  let received = 0;
  socket.pause().on("data", (piece) => (received += piece.length));
  socket.write("GET /large HTTP/1.1\r\nHost: x\r\n\r\n");
  await new Promise((resolve) => setTimeout(resolve, 200));
  const closing = server.close();
  await new Promise((resolve) => setTimeout(resolve, 200));
  const read = once(socket, "close");
  socket.resume();
  await Promise.all([closing, read]);
  expect(received).toBeGreaterThan(2e7);
});

test("S1: requests that a shutdown cannot wait for are cut at the deadline, with a warning", async () => {
  const server = await start({ slow }, { gracefulShutdown: { timeout: 100, events: [] } });
  const cut = server.send("/slow?ms=5000").catch((error: Error) => error.message);
  await new Promise((resolve) => setTimeout(resolve, 50));
  await server.close();
  expect(server.linesOf("warn")).toHaveLength(1);
  expect(await cut).toBe("socket hang up");
});

test.each(["SIGTERM", "SIGINT"] as const)(
  "S1: on %s the running request is finished, the hook runs once, and the code is 0",
  async (signal) => {
    const program = fileURLToPath(new URL("shutdown-program.ts", import.meta.url));
    const child = spawn(process.execPath, ["--import", "tsx", program], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let printed = "";
    child.stdout.on("data", (chunk: Buffer) => (printed += chunk.toString()));
    await expect.poll(() => printed, { timeout: 10_000 }).toContain("port ");
    const port = Number(/port (\d+)/.exec(printed)?.[1]);
    const answered = new Promise<number>((resolve, reject) => {
      const request = httpRequest({ port, path: "/slow" }, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      });
      request.on("error", reject).end();
    });
    await expect.poll(() => printed).toContain("running");
    child.kill(signal);
    expect(await answered).toBe(200);
    const [code] = (await once(child, "exit")) as [number];
    expect(code).toBe(0);
    expect(printed.match(/hook/g)).toHaveLength(1);
  },
  20_000,
);
