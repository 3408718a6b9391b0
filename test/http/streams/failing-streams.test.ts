import { createReadStream } from "node:fs";
import { EventEmitter } from "node:events";
import type { Readable } from "node:stream";
import { ReadableStream } from "node:stream/web";
import { setTimeout as sleep } from "node:timers/promises";
import createHttpError from "http-errors";
import { defaultEndpointsFactory as factory, ez } from "sallyport";
import { describe, expect, test } from "vitest";
import { errorEnvelope, start } from "../harness.ts";

const output = ez.stream("text/plain");

/** The body of a response to a failed attempt to open a file; the message depends on the environment. */
const openingFailed = errorEnvelope("Internal Server Error");

/** Creates streams of a missing file, and keeps them. */
const collect = () => {
  const opened: Readable[] = [];
  return {
    open: (): Readable => {
      const stream = createReadStream("/no/such/file");
      opened.push(stream);
      return stream;
    },
    untilClosed: async (count: number): Promise<void> => {
      await expect.poll(() => opened.filter(({ closed }) => closed).length).toBe(count);
      // a listener that is missing would be noticed only now
      await sleep(5);
    },
  };
};

// the harness fails a test that causes an uncaught error
describe("a Node.js stream that fails before it is read", () => {
  test("causes an error response, even if a middleware takes its time", async () => {
    const { open, untilClosed } = collect();
    const slow = factory.addMiddleware({
      around: async (_args, next) => {
        const passed = await next({});
        await sleep(20);
        return passed;
      },
    });
    const server = await start({
      plain: factory.build({ output, handler: async () => open() }),
      slow: slow.build({ output, handler: async () => open() }),
    });
    for (const path of ["/plain", "/slow"]) {
      const answer = await server.send(path);
      expect([path, answer.status, answer.json()]).toEqual([path, 500, openingFailed]);
    }
    // the stream of a response to HEAD is not read, but a known failure is not a success
    expect((await server.send("/slow", { method: "HEAD" })).status).toBe(500);
    expect(server.linesOf("error")).toHaveLength(3);
    await untilClosed(3);
  });

  test("causes an error response even if it does not tell those who read it later", async () => {
    const slow = factory.addMiddleware({
      around: async (_args, next) => {
        const passed = await next({});
        await sleep(5);
        return passed;
      },
    });
    const handler = async () => {
      const emitter = new EventEmitter();
      setImmediate(() => emitter.emit("error", createHttpError(404, "There are none")));
      return Object.assign(emitter, {
        async *[Symbol.asyncIterator](): AsyncGenerator<string> {},
      });
    };
    const answer = await (await start({ a: slow.build({ output, handler }) })).send("/a");
    expect([answer.status, answer.json()]).toEqual([404, errorEnvelope("There are none")]);
  });

  test("is harmless if nobody reads the stream", async () => {
    const { open, untilClosed } = collect();
    const openLate = async (): Promise<Readable> => {
      await sleep(60);
      return open();
    };
    const failing = factory.addMiddleware({
      around: async (_args, next) => {
        await next({});
        throw createHttpError(409, "After all");
      },
    });
    const server = await start({
      head: factory.build({ output, handler: async () => open() }),
      taken: factory.build({
        output,
        handler: ({ response }) => {
          response.status(204).end();
          return open();
        },
      }),
      around: failing.build({ output, handler: open }),
      late: factory.build({ output, timeout: 20, handler: openLate }),
      left: factory.build({ output, handler: openLate }),
    });
    expect((await server.send("/head", { method: "HEAD" })).status).toBe(200);
    expect((await server.send("/taken")).status).toBe(204);
    expect((await server.send("/around")).status).toBe(409);
    expect((await server.send("/late")).status).toBe(503);
    const socket = await server.open();
    const arrived = server.untilRequest();
    socket.write("GET /left HTTP/1.1\r\nHost: a\r\n\r\n");
    await arrived;
    socket.destroy();
    await untilClosed(5);
  });
});

describe("a stream that fails while it is closed", () => {
  const refuse = async (): Promise<never> => {
    throw new Error("Cannot be closed");
  };
  const kinds: Readonly<Record<string, () => AsyncIterable<string> | ReadableStream>> = {
    "a web stream": () => new ReadableStream({ cancel: refuse }),
    "an iterable": () => ({
      [Symbol.asyncIterator]: () => ({
        next: async () => ({ done: false, value: "a" }),
        return: refuse,
      }),
    }),
  };
  test.each(Object.keys(kinds))("is harmless: %s", async (kind) => {
    const open = () => kinds[kind]?.() as AsyncIterable<string>;
    const server = await start({
      head: factory.build({ output, handler: open }),
      taken: factory.build({
        output,
        handler: ({ response }) => {
          response.status(204).end();
          return open();
        },
      }),
    });
    expect((await server.send("/head", { method: "HEAD" })).status).toBe(200);
    expect((await server.send("/taken")).status).toBe(204);
    const socket = await server.open();
    const arrived = server.untilRequest();
    socket.write("GET /head HTTP/1.1\r\nHost: a\r\n\r\n");
    await arrived;
    socket.destroy();
    await server.untilLeft();
    expect(server.linesOf("error")).toEqual([]);
  });
});

test("a web stream that has failed before it is read causes an error response", async () => {
  const handler = () =>
    new ReadableStream({
      start: (controller) => controller.error(createHttpError(404, "There are none")),
    });
  const answer = await (await start({ a: factory.build({ output, handler }) })).send("/a");
  expect([answer.status, answer.json()]).toEqual([404, errorEnvelope("There are none")]);
});

test("a web stream whose error cannot be read is cut off, and harms no other request", async () => {
  const broken = Object.defineProperty(new Error("broken"), "stack", {
    get: () => {
      throw new Error("cannot be read");
    },
  });
  const handler = () => {
    let count = 0;
    return new ReadableStream({
      pull: (controller) => (count++ ? controller.error(broken) : controller.enqueue("a")),
    });
  };
  const server = await start({ a: factory.build({ output, handler }) });
  await expect(server.send("/a")).rejects.toThrow(/aborted|hang up/);
  await expect(server.send("/a")).rejects.toThrow(/aborted|hang up/);
  expect(server.linesOf("error")).toHaveLength(2);
});

test("a stream that is returned after the time limit of the configuration is closed", async () => {
  const opened: Readable[] = [];
  const endpoint = factory.build({
    output,
    handler: async () => {
      await sleep(50);
      const stream = createReadStream(import.meta.filename);
      opened.push(stream);
      return stream;
    },
  });
  const server = await start({ endpoint }, { requestTimeout: 20 });
  expect((await server.send("/endpoint")).status).toBe(503);
  await expect.poll(() => opened.map(({ closed }) => closed)).toEqual([true]);
});
