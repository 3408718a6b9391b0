import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import type { Socket } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { EndpointsFactory, ResultHandler } from "sallyport";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { ask, encodings, long, openEncoded, readAll, send } from "./encoded.ts";
import { start, untilStill } from "./harness.ts";

const withResolvers = () => {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve: () => resolve() };
};

describe("a stream", () => {
  test.each(encodings)(
    "waits for a client that reads slowly, and uses little memory (%s)",
    async (encoding) => {
      const count = 500;
      let produced = 0;
      const sent = createHash("sha1");
      const produce = function* (): Generator<Buffer> {
        for (; produced < count; produced++) {
          const piece = randomBytes(65_536);
          sent.update(piece);
          yield piece;
        }
      };
      const stream = send((response) => pipeline(produce, response.type("text")));
      const server = await start({ stream }, { compression: { level: 1 } });
      const { response, decoder } = await openEncoded(server, "/stream", encoding);
      // the bytes that were written but not read are in the kernel's buffers
      expect(await untilStill(() => produced)).toBeLessThan(count / 2);
      const received = createHash("sha1");
      await pipeline(response, decoder, received);
      expect(received.digest("hex")).toBe(sent.digest("hex"));
    },
    30_000,
  );

  test("emits `drain` when the encoder does, not when the socket does, and calls the callbacks", async () => {
    const needs: boolean[] = [];
    const drained: boolean[] = [];
    let written = 0;
    let isFinished = false;
    const stream = send(async (response) => {
      response.type("text");
      for (let count = 0; count < 400; count++)
        if (!response.write(randomBytes(40_000).toString("latin1"), "latin1", () => written++)) {
          needs.push(response.writableNeedDrain);
          await once(response, "drain");
          drained.push(!response.writableNeedDrain);
        }
      response.end(() => (isFinished = response.writableFinished));
    });
    const server = await start({ stream }, { compression: { level: 1 } });
    const { response, decoder } = await openEncoded(server, "/stream", "gzip");
    await untilStill(() => drained.length);
    expect((await readAll(response.pipe(decoder))).length).toBe(400 * 40_000);
    expect(drained.length).toBeGreaterThan(100);
    expect([...needs, ...drained]).not.toContain(false);
    expect(written).toBe(400);
    await expect.poll(() => isFinished).toBe(true);
  }, 30_000);

  test.each(encodings)("sends buffered data when it is flushed (%s)", async (encoding) => {
    const { promise: isRead, resolve } = withResolvers();
    const stream = send(async (response) => {
      response.flush();
      response.type("text").write("first");
      response.flush();
      await isRead;
      response.end("second");
      response.flush();
    });
    const server = await start({ stream }, { compression: true });
    const { response, decoder } = await openEncoded(server, "/stream", encoding);
    response.pipe(decoder);
    expect(String((await once(decoder, "data"))[0])).toBe("first");
    resolve();
    expect(String((await once(decoder, "data"))[0])).toBe("second");
    await once(decoder, "end");
  });

  test.each(encodings)("is sent in one write if the body is short (%s)", async (encoding) => {
    const stream = send((response) => response.type("text").send(long));
    const server = await start({ stream }, { compression: true });
    let writes = 0;
    server.servers[0]?.once("connection", (socket: Socket) => {
      for (const name of ["_write", "_writev"] as const) {
        const write = socket[name]?.bind(socket) as (...args: unknown[]) => void;
        Object.assign(socket, { [name]: (...args: unknown[]) => (writes++, write(...args)) });
      }
    });
    expect((await ask(server, "/stream", encoding)).text).toBe(long);
    expect(writes).toBe(1);
  });

  test("that a client abandons ends, its encoder is closed, and its callbacks are called", async () => {
    const codes: unknown[] = [];
    const note = (error?: Error | null): unknown => codes.push((error as { code?: string })?.code);
    const stream = send(async (response) => {
      response.type("text").write(long);
      response.flush();
      await once(response, "close");
      // an encoder that is not destroyed would cause no error
      response.write("more", note);
      response.flush();
      response.end("last", note);
      response.end();
    });
    const server = await start({ stream }, { compression: true });
    for (const encoding of encodings) {
      const { request, response } = await openEncoded(server, "/stream", encoding);
      await once(response, "data");
      request.destroy();
      await expect.poll(() => codes).toHaveLength(2);
      expect(codes.splice(0)).toEqual(["ERR_STREAM_DESTROYED", "ERR_STREAM_PREMATURE_CLOSE"]);
    }
    expect(server.linesOf("error")).toEqual([]);
  });

  test("allows its methods to be replaced again, as tracing tools do", async () => {
    let isEnded: boolean | undefined;
    const seen = new Set<unknown>();
    const stream = send((response) => {
      response.type("text").write(long);
      const emit = response.emit.bind(response) as (...args: unknown[]) => boolean;
      const value = (name: string, ...rest: unknown[]): boolean => {
        seen.add(name);
        return emit(name, ...rest);
      };
      Object.defineProperty(response, "emit", { configurable: true, writable: true, value });
      for (const name of ["writableEnded", "writableNeedDrain"] as const) {
        const inner = Object.getOwnPropertyDescriptor(response, name)?.get?.bind(response);
        Object.defineProperty(response, name, { get: () => inner?.() as boolean });
      }
      response.end();
      isEnded = response.writableEnded;
    });
    const server = await start({ stream }, { compression: true });
    expect((await ask(server, "/stream")).text).toBe(long);
    expect(isEnded).toBe(true);
    expect(seen).toContain("finish");
  });

  test("that waits for a client is destroyed when the client leaves", async () => {
    let source: Readable | undefined;
    const stream = send((response) => {
      const endless = new Readable({ read: () => void endless.push(randomBytes(65_536)) });
      source = endless;
      return pipeline(endless, response.type("text"));
    });
    const server = await start({ stream }, { compression: true });
    const { request } = await openEncoded(server, "/stream", "gzip");
    request.destroy();
    await expect.poll(() => source?.destroyed).toBe(true);
    expect(server.linesOf("error")).toEqual([]);
    expect((await ask(server, "/absent")).status).toBe(404);
  });

  test("handles a second end and writing after the end as Node does", async () => {
    const seen: unknown[] = [];
    const stream = send((response) => {
      response.type("text").write("a");
      expect(response.writableEnded).toBe(false);
      response.end("b", (...errors: unknown[]) => seen.push(["first", errors[0]]));
      expect(response.writableEnded).toBe(true);
      response.write("c", (error) => seen.push((error as { code?: string } | null)?.code));
      response.end("d", () => seen.push("second"));
      response.end();
    });
    const server = await start({ stream }, { compression: true });
    expect((await ask(server, "/stream")).text).toBe("ab");
    expect(seen).toEqual(["ERR_STREAM_WRITE_AFTER_END", ["first", undefined], "second"]);
  });

  test.each(["write", "end"] as const)(
    "gets a 500 if the first argument of `%s` is invalid, because the head has not been sent",
    async (name) => {
      for (const wrong of [5, new ArrayBuffer(2000)]) {
        const sent = send((response) => void response.type("text")[name](wrong));
        const server = await start({ sent }, { compression: true });
        const { status, headers } = await ask(server, "/sent");
        expect([status, headers["content-type"]]).toEqual([500, "application/json; charset=utf-8"]);
        expect(server.linesOf("error")).toHaveLength(1);
      }
    },
  );

  test("is not cut off by a handler that fails after the complete response", async () => {
    const late = send((response) => {
      response.type("text").send(long);
      throw new Error("late");
    });
    const server = await start({ late }, { compression: true });
    expect((await ask(server, "/late")).text).toBe(long);
  });

  test("counts as begun even if its encoder has produced nothing yet", async () => {
    const resultHandler = new ResultHandler({
      positive: z.string(),
      negative: z.string(),
      handler: ({ response }) => {
        response.type("text").write("a");
        setTimeout(() => response.end("b"), 1300);
      },
    });
    const slow = new EndpointsFactory(resultHandler).build({ handler: () => ({}) });
    const server = await start({ slow }, { compression: true });
    expect((await ask(server, "/slow", "br")).text).toBe("ab");
  });
});
