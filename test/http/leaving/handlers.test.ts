import express, { type Response } from "express";
import createHttpError from "http-errors";
import {
  attachRouting,
  createConfig,
  defaultEndpointsFactory as factory,
  ez,
  type ServerConfig,
} from "sallyport";
import { once } from "node:events";
import { createServer } from "node:http";
import { connect, type AddressInfo, type Server } from "node:net";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { createRecorder, start, untilLeft } from "../harness.ts";

/** Creates a function that makes a request wait until its client has left. */
const createWait = () => {
  let goOn: () => void = () => undefined;
  const gone = new Promise<void>((resolve) => (goOn = resolve));
  const entered = vi.fn();
  const wait = async (): Promise<void> => {
    entered();
    await gone;
  };
  return { wait, entered, goOn: () => goOn() };
};
type Wait = ReturnType<typeof createWait>["wait"];

const slow = (wait: Wait) => z.object({}).refine(() => wait().then(() => true));

/** Sends a request, leaves while the request waits, and lets it continue once the server has noticed. */
const leave = async (server: Server, { entered, goOn }: ReturnType<typeof createWait>) => {
  const { port } = server.address() as AddressInfo;
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined).write("GET /a HTTP/1.1\r\nHost: a\r\n\r\n");
  await expect.poll(() => entered.mock.calls.length).toBe(1);
  socket.resetAndDestroy();
  await untilLeft(server);
  goOn();
  await new Promise((resolve) => setTimeout(resolve, 50));
};

describe("B19: no handler runs for a client that has left", () => {
  test.each<readonly [string, (wait: Wait) => Partial<ServerConfig>]>([
    ["`cors`", (wait) => ({ cors: () => wait().then(() => ({})) })],
    [
      "`childLoggerProvider`",
      (wait) => ({ childLoggerProvider: ({ parent }) => wait().then(() => parent) }),
    ],
    [
      "a middleware of a hook",
      (wait) => ({
        beforeRouting: ({ app }) =>
          void app.use(async (_request, _response, next) => {
            await wait();
            next();
          }),
      }),
    ],
  ])("during %s", async (_name, configure) => {
    const waiting = createWait();
    const handler = vi.fn(() => ({}));
    const routing = { a: factory.build({ handler }) };
    const server = await start(routing, configure(waiting.wait));
    await leave(server.servers[0] as Server, waiting);
    expect(handler).not.toHaveBeenCalled();
    expect(server.linesOf("error")).toEqual([]);
  });

  test.each<readonly [string, (wait: Wait) => typeof factory, (wait: Wait) => z.ZodObject]>([
    ["validation", () => factory, slow],
    [
      "validation after a middleware",
      () => factory.addMiddleware({ handler: () => undefined }),
      slow,
    ],
    [
      "validation in a middleware",
      (wait) =>
        factory.addMiddleware({ input: slow(wait), handler: () => undefined }) as typeof factory,
      () => z.object({}),
    ],
    [
      "a middleware",
      (wait) => factory.addMiddleware({ handler: wait }) as typeof factory,
      () => z.object({}),
    ],
    [
      "a native middleware, which then fails",
      (wait) =>
        factory.use(async (_request, _response, next) => {
          await wait();
          next(createHttpError(401));
        }),
      () => z.object({}),
    ],
  ])("during %s", async (_name, derive, toInput) => {
    const waiting = createWait();
    const handler = vi.fn(() => ({}));
    const a = derive(waiting.wait).build({ input: toInput(waiting.wait), handler });
    const server = await start({ a });
    await leave(server.servers[0] as Server, waiting);
    expect(handler).not.toHaveBeenCalled();
    expect(server.linesOf("error")).toEqual([]);
  });

  test("during validation in a middleware, whose handler does not run either", async () => {
    const waiting = createWait();
    const handler = vi.fn(() => undefined);
    const guarded = factory.addMiddleware({ input: slow(waiting.wait), handler });
    const server = await start({ a: guarded.build({ handler: () => ({}) }) });
    await leave(server.servers[0] as Server, waiting);
    expect(handler).not.toHaveBeenCalled();
  });

  test("during a middleware on a user's own application", async () => {
    const waiting = createWait();
    const handler = vi.fn(() => ({}));
    const app = express();
    app.use(async (_request, _response, next) => {
      await waiting.wait();
      next();
    });
    const { logger } = createRecorder();
    attachRouting(createConfig({ app, cors: false, logger }), { a: factory.build({ handler }) });
    const server = createServer(app).listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await once(server, "listening");
    await leave(server, waiting);
    expect(handler).not.toHaveBeenCalled();
  });
});

test("a stream that a handler has piped into the response is closed when the client leaves", async () => {
  const opened: Readable[] = [];
  const pipe = (response: Response): void => {
    const stream = Readable.from(endless());
    opened.push(stream);
    stream.pipe(response);
  };
  const server = await start({
    handler: factory.build({ handler: ({ response }) => pipe(response) }),
    middleware: factory
      .addMiddleware({ handler: ({ response }) => pipe(response) })
      .build({ handler: () => ({}) }),
    native: factory.use((_request, response) => pipe(response)).build({ handler: () => ({}) }),
  });
  for (const path of ["handler", "middleware", "native"]) {
    const socket = connect(server.port, "127.0.0.1");
    socket.write(`GET /${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
    await once(socket, "data");
    socket.resetAndDestroy();
  }
  await expect.poll(() => opened.map(({ destroyed }) => destroyed)).toEqual([true, true, true]);
});

async function* endless(): AsyncGenerator<Buffer> {
  while (true) {
    yield Buffer.alloc(1024);
    await sleep(1);
  }
}

test.each(["GET", "HEAD"])(
  "%s: a stream that waits for its source is ended once the client has left, and holds nothing up",
  async (method) => {
    const ended = vi.fn();
    let waiting = 0;
    const streams = {
      web: () => new ReadableStream({ pull: () => void waiting++, cancel: ended }),
      iterable: () => ({
        [Symbol.asyncIterator]: () => ({
          next: () => new Promise<never>(() => void waiting++),
          return: async () => (ended(), { done: true as const, value: undefined }),
        }),
      }),
      generator: async function* () {
        waiting++;
        await new Promise(() => undefined);
        yield "";
      },
    };
    const routing = Object.fromEntries(
      Object.entries(streams).map(([name, handler]) => [
        name,
        factory.build({ output: ez.stream("text/plain"), handler: handler as never }),
      ]),
    );
    const { port, close } = await start(routing);
    for (const path of Object.keys(streams)) {
      const socket = connect(port, "127.0.0.1").on("error", () => undefined);
      socket.write(`${method} /${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
      await (method === "GET" ? vi.waitUntil(() => waiting > 0) : once(socket, "data"));
      socket.destroy();
      waiting = 0;
    }
    await expect.poll(() => ended.mock.calls.length).toBe(2);
    // the shutdown waits for running requests
    await close();
  },
);

test("a handler may pass its signal to any number of operations without a warning of Node.js", async () => {
  const warnings: string[] = [];
  const onWarning = ({ name }: Error): void => void warnings.push(name);
  process.on("warning", onWarning);
  onTestFinished(() => void process.off("warning", onWarning));
  const many = factory.build({
    handler: async ({ signal }) => {
      for (let count = 0; count < 20; count++) signal.addEventListener("abort", () => undefined);
      return {};
    },
  });
  const server = await start({ many });
  expect((await server.send("/many")).status).toBe(200);
  // Node emits warnings in the next turn
  await new Promise(setImmediate);
  expect(warnings).toEqual([]);
});
