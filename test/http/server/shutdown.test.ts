import { spawn } from "node:child_process";
import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { fileURLToPath } from "node:url";
import { defaultEndpointsFactory as factory } from "sallyport";
import { expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { findFreePort } from "../../free-port.ts";
import { start, successEnvelope } from "../harness.ts";

const slow = factory.build({
  input: z.object({ ms: z.coerce.number() }),
  handler: async ({ input }) => {
    await new Promise((resolve) => setTimeout(resolve, input.ms));
    return { done: true };
  },
});

test("`close` finishes running requests, ends all connections, and accepts no new ones", async () => {
  let goOn = (): void => undefined;
  const gate = factory.build({
    handler: async () => {
      await new Promise<void>((resolve) => (goOn = resolve));
      return { done: true };
    },
  });
  const server = await start({ slow, gate });
  const idle = await server.open();
  idle.write("GET /slow?ms=0 HTTP/1.1\r\nHost: x\r\n\r\n");
  await once(idle, "data");
  const arrived = server.untilRequest();
  const running = server.send("/gate", { headers: { connection: "keep-alive" } });
  await arrived;
  const closing = server.close();
  expect(server.close()).toBe(closing);
  await once(idle, "end");
  await expect(server.send("/slow?ms=0")).rejects.toMatchObject({ code: "ECONNREFUSED" });
  goOn();
  const answer = await running;
  expect(answer.json()).toEqual(successEnvelope({ done: true }));
  expect(answer.headers.connection).toBe("close");
  await closing;
});

test("S1: a large response that its client is still reading is sent completely", async () => {
  const large = factory.build({ handler: () => ({ text: "x".repeat(2e7) }) });
  const server = await start({ large });
  const socket = await server.open();
  let received = 0;
  socket.pause().on("data", (piece) => (received += piece.length));
  const arrived = server.untilRequest();
  socket.write("GET /large HTTP/1.1\r\nHost: x\r\n\r\n");
  await arrived;
  await new Promise((resolve) => setTimeout(resolve, 200));
  const closing = server.close();
  await new Promise((resolve) => setTimeout(resolve, 200));
  const read = once(socket, "close");
  socket.resume();
  await Promise.all([closing, read]);
  expect(received).toBeGreaterThan(2e7);
});

test("S1: requests that a shutdown cannot wait for are cut off at the deadline, with a warning", async () => {
  const endless = factory.build({ handler: () => new Promise<never>(() => undefined) });
  const server = await start({ endless }, { gracefulShutdown: { timeout: 100, events: [] } });
  const arrived = server.untilRequest();
  const cut = server.send("/endless").catch((error: Error) => error.message);
  await arrived;
  await server.close();
  expect(server.linesOf("warn")).toHaveLength(1);
  expect(await cut).toBe("socket hang up");
});

test("S2: requests that have arrived on idle connections when the shutdown begins are all served", async () => {
  const server = await start({ slow });
  const request = "GET /slow?ms=0 HTTP/1.1\r\nHost: x\r\n\r\n";
  const clients = await Promise.all(
    Array.from({ length: 10 }, async () => {
      const client = { socket: await server.open(), text: "" };
      client.socket.write(request);
      await once(client.socket, "data");
      client.socket.on("data", (piece: Buffer) => (client.text += piece.toString()));
      return client;
    }),
  );
  // at the time of the call, the bytes are in the kernel and have not been read yet
  for (const { socket } of clients) socket.write(request);
  await server.close();
  for (const client of clients)
    await expect.poll(() => client.text).toMatch(/^HTTP\/1\.1 200 .*\{"done":true\}\}$/s);
});

/**
 * Starts the program, sends it a request, and returns the process, its output, and a promise of the
 * response's status.
 */
const startProgram = async (way: string, milliseconds = 300) => {
  const program = fileURLToPath(new URL("../shutdown-program.ts", import.meta.url));
  const child = spawn(process.execPath, ["--import", "tsx", program, way], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let printed = "";
  child.stdout.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  await expect.poll(() => printed).toContain("port ");
  const port = Number(/port (\d+)/.exec(printed)?.[1]);
  const answered = new Promise<number>((resolve) => {
    const request = httpRequest({ port, path: `/slow?ms=${milliseconds}` }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.on("error", () => resolve(0)).end();
  });
  await expect.poll(() => printed).toContain("running");
  const ended = once(child, "close").then(([code]: unknown[]) => code);
  return { child, port, answered, ended, listSteps: () => printed.trim().split("\n").slice(1) };
};

test.each([
  ["SIGTERM", "with a hook", ["hook"], 0],
  ["SIGINT", "with a hook", ["hook"], 0],
  ["SIGTERM", "without a hook", [], 0],
  ["SIGUSR2", "with a configured signal", ["hook"], 0],
  ["SIGTERM", "with a hook that fails", ["hook"], 1],
  ["SIGTERM", "with a hook that hangs", ["hook"], 1],
  ["SIGTERM", "with the longest limit", ["hook"], 0],
  ["SIGTERM", "with a resource", ["onStop", "resource", "hook"], 0],
  ["SIGTERM", "with a resource that fails", ["resource", "hook"], 1],
] as const)(
  "S1: on %s, %s, the running request is finished, then the output is %j, and the exit code is %i",
  async (signal, way, hooks, code) => {
    const { child, answered, ended, listSteps } = await startProgram(way);
    child.kill(signal);
    expect([await answered, await ended]).toEqual([200, code]);
    expect(listSteps()).toEqual(["running", "answered", ...hooks]);
  },
);

test.each([
  ["an open server", "open beside another server", ["running", "other hook", "answered", "hook"]],
  ["a closed server", "closed beside another server", ["running", "answered", "hook"]],
])(
  "S16: beside %s in the same process, the running request is finished",
  async (_name, way, steps) => {
    const { child, answered, ended, listSteps } = await startProgram(way);
    child.kill("SIGTERM");
    expect([await answered, await ended]).toEqual([200, 0]);
    expect(listSteps()).toEqual(steps);
  },
  20_000,
);

test("S16: a closed server leaves no signal handler behind", async () => {
  const count = (): number => process.listenerCount("SIGTERM");
  const before = count();
  const server = await start({}, { gracefulShutdown: true });
  expect(count()).toBe(before + 1);
  await server.close();
  expect(count()).toBe(before);
});

test("S1: a second signal ends the process at once, with exit code 1", async () => {
  const { child, port, answered, ended, listSteps } = await startProgram("with a hook", 60_000);
  child.kill("SIGTERM");
  const isRefused = (): Promise<boolean> =>
    new Promise((resolve) => {
      const socket = connect(port, "localhost", () => resolve(socket.destroy().connecting));
      socket.once("error", () => resolve(true));
    });
  // by now the first request has arrived
  await expect.poll(isRefused, { interval: 5 }).toBe(true);
  child.kill("SIGINT");
  expect([await answered, await ended, listSteps()]).toEqual([0, 1, ["running"]]);
});

test("a server whose signals cannot be handled does not start, and leaves nothing behind", async () => {
  const addListener = process.on.bind(process);
  const spy = vi.spyOn(process, "on").mockImplementation((event, listener) => {
    if (event === ("SIGUSR2" as string)) throw new Error("uv_signal_start EINVAL");
    return addListener(event as "exit", listener as () => void);
  });
  onTestFinished(() => spy.mockRestore());
  const before = process.listenerCount("SIGHUP");
  const port = await findFreePort();
  const config = { http: { listen: port }, gracefulShutdown: { events: ["SIGHUP", "SIGUSR2"] } };
  await expect(start({ slow }, config as object)).rejects.toThrow("EINVAL");
  expect(process.listenerCount("SIGHUP")).toBe(before);
  const socket = connect(port, "localhost");
  expect(await once(socket, "error")).toMatchObject([{ code: "ECONNREFUSED" }]);
});
