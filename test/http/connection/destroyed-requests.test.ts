import { createWriteStream } from "node:fs";
import { once } from "node:events";
import type { IncomingMessage, ServerOptions } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Request } from "express";
import createHttpError from "http-errors";
import {
  defaultEndpointsFactory as factory,
  EventStreamFactory,
  Middleware,
  type Routing,
} from "sallyport";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { start } from "../harness.ts";

/** Ways in which stream utilities destroy a request, each with the status of the response. */
const ways: Readonly<Record<string, readonly [number, (request: Request) => Promise<unknown>]>> = {
  "a loop that throws": [
    413,
    async (request) => {
      for await (const chunk of request) throw createHttpError(413, `After ${chunk.length}`);
    },
  ],
  "a loop that breaks": [
    200,
    async (request) => {
      for await (const chunk of request) if (chunk.length > 0) break;
    },
  ],
  "a pipeline to a file that cannot be written": [
    500,
    (request) => pipeline(request, createWriteStream("/nonexistent/file")),
  ],
  "a web stream that is cancelled": [200, (request) => Readable.toWeb(request).cancel()],
  "`take`": [200, (request) => request.take(1).toArray()],
  "`destroy` by a stream that wraps it": [
    200,
    async (request) => {
      const wrapper = Readable.from(request);
      await once(wrapper, "readable");
      wrapper.destroy();
      await once(wrapper, "close");
    },
  ],
};

/** The places that may read a body themselves. */
const places: Readonly<
  Record<string, (read: (request: Request) => Promise<unknown>) => Routing[string]>
> = {
  "a handler": (read) =>
    factory.build({
      method: "post",
      inputSources: ["query"],
      handler: async ({ request }) => {
        await read(request);
        return {};
      },
    }),
  "a middleware": (read) =>
    factory
      .addMiddleware({ handler: async ({ request }) => void (await read(request)) })
      .build({ method: "post", inputSources: ["query"], handler: () => ({}) }),
  "an `around` middleware": (read) =>
    factory
      .addMiddleware(
        new Middleware({
          around: async ({ request }, next) => {
            await read(request);
            return next();
          },
        }),
      )
      .build({ method: "post", inputSources: ["query"], handler: () => ({}) }),
  "a native middleware": (read) =>
    factory
      .use(async (request, _response, next) => {
        try {
          await read(request);
          next();
        } catch (error) {
          next(error);
        }
      })
      .build({ method: "post", inputSources: ["query"], handler: () => ({}) }),
  "a handler with a time limit and a signal": (read) =>
    factory.build({
      method: "post",
      inputSources: ["query"],
      timeout: 5000,
      handler: async ({ request, signal }) => {
        await read(request);
        return { isAborted: signal.aborted };
      },
    }),
  "a handler that sends the response": (read) =>
    factory.buildVoid({
      method: "post",
      inputSources: ["query"],
      handler: async ({ request, response }) => {
        await read(request);
        response.json({});
      },
    }),
};

const head = "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n";

describe.each(Object.keys(ways))("H20: a request destroyed by %s", (way) => {
  const [status, read] = ways[way] as (typeof ways)[string];
  test.each(Object.keys(places))("in %s is answered, and the connection ends", async (place) => {
    const server = await start({ x: places[place]?.(read) as Routing[string] });
    const reply = await server.raw(`${head}${"x".repeat(50_000)}`);
    expect(reply).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(reply).toMatch(/^connection: close\r$/im);
    expect(reply).not.toContain('"isAborted":true');
  });
});

test("H20: a request whose body has been read may be destroyed, and the connection is kept", async () => {
  const server = await start({
    x: factory.build({
      method: "post",
      input: z.object({ a: z.string() }),
      handler: async ({ request, input }) => {
        await Readable.toWeb(request).cancel();
        return input;
      },
    }),
  });
  const post = `POST /x HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{"a":"b"}`;
  const reply = await server.raw(
    `${post}${post.replace("Host: a", "Host: a\r\nConnection: close")}`,
  );
  expect(reply.match(/HTTP\/1\.1 200 /g)).toHaveLength(2);
});

test("H20: an event stream whose request was destroyed sends its events", async () => {
  const server = await start({
    x: new EventStreamFactory({ tick: z.number() })
      .addMiddleware({
        handler: async ({ request }) => {
          await Readable.toWeb(request).cancel();
        },
      })
      .build({ handler: ({ ctx: { emit } }) => emit("tick", 1) }),
  });
  const reply = await server.raw("GET /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  expect(reply).toContain("event: tick");
});

/** Puts a request into the state in which Node hands it over with `optimizeEmptyRequests`, which Node 24.12 has. */
const endBeforehand = (request: IncomingMessage & { _readableState?: object }): void => {
  if (request.readableEnded || request.headers["content-length"] !== undefined) return;
  const state = { ended: true, endEmitted: true, closed: true, closeEmitted: true };
  Object.assign(request._readableState as object, state, { destroyed: true });
};

test("H20: a request that Node has ended and destroyed beforehand is answered, and its client can leave", async () => {
  const options = { optimizeEmptyRequests: true } as ServerOptions;
  const routing: Routing = {
    quick: factory.build({ handler: () => ({}) }),
    later: factory.build({ handler: () => new Promise((resolve) => setImmediate(resolve, {})) }),
    echo: factory.build({
      method: "post",
      input: z.object({ a: z.string() }),
      handler: async ({ input }) => input,
    }),
    leaving: factory.build({
      handler: async ({ signal, logger }) => {
        await once(signal, "abort");
        logger.warn("left");
        return {};
      },
    }),
  };
  const server = await start(routing, { http: { listen: 0, options } });
  server.servers[0]?.prependListener("request", endBeforehand);
  const answers = await Promise.all([
    ...["GET", "HEAD", "OPTIONS"].map((method) => server.send("/quick", { method })),
    server.send("/later"),
    server.send("/echo", { method: "POST", body: { a: "b" } }),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 405, 200, 200]);
  const get = "GET /quick HTTP/1.1\r\nHost: a\r\n\r\n";
  const last = get.replace("Host: a", "Host: a\r\nConnection: close");
  const pipelined = await server.raw(get + get + last);
  expect(pipelined.match(/HTTP\/1\.1 200 /g)).toHaveLength(3);
  const socket = await server.open();
  socket.write(get.replace("/quick", "/leaving"));
  await server.untilRequest();
  socket.destroy();
  await expect.poll(() => server.linesOf("warn").map(({ message }) => message)).toEqual(["left"]);
});
