import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { defaultEndpointsFactory, EndpointsFactory, ez, ResultHandler } from "sallyport";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { ask, encodings, long, openEncoded, readAll, send } from "./encoded.ts";
import { start, untilStill } from "../harness.ts";

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

  test("that a client abandons ends, and what is written later is dropped", async () => {
    let isClosed = false;
    const stream = send(async (response) => {
      response.type("text").write(long);
      response.flush();
      await once(response, "close");
      response.write("more");
      response.flush();
      response.end("last");
      response.end();
      isClosed = true;
    });
    const server = await start({ stream }, { compression: true });
    for (const encoding of encodings) {
      isClosed = false;
      const { request, response } = await openEncoded(server, "/stream", encoding);
      await once(response, "data");
      request.destroy();
      await expect.poll(() => isClosed).toBe(true);
    }
    expect(server.linesOf("error")).toEqual([]);
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

  test.each(["handler", "content"])("whose source fails is cut off (%s)", async (path) => {
    const { promise: isRead, resolve } = withResolvers();
    const toSource = () =>
      Readable.from(
        (async function* () {
          yield long;
          await isRead;
          throw new Error("inner workings");
        })(),
      );
    const handler = send((response) => pipeline(toSource(), response.type("text")));
    const output = ez.stream("text/plain");
    const content = defaultEndpointsFactory.build({ output, handler: async () => toSource() });
    const server = await start({ handler, content }, { compression: true });
    const { response } = await openEncoded(server, `/${path}`, "gzip");
    resolve();
    await expect(readAll(response)).rejects.toMatchObject({ code: "ECONNRESET" });
    expect(server.linesOf("error")).toHaveLength(1);
  });

  test("of a handler's output is closed when the client leaves", async () => {
    let source: Readable | undefined;
    const stream = defaultEndpointsFactory.build({
      output: ez.stream("text/plain"),
      handler: async () => {
        const endless = new Readable({ read: () => void endless.push(randomBytes(65_536)) });
        return (source = endless);
      },
    });
    const server = await start({ stream }, { compression: true });
    (await openEncoded(server, "/stream", "br")).request.destroy();
    await expect.poll(() => source?.destroyed).toBe(true);
    expect(server.linesOf("error")).toEqual([]);
  });

  test("drops what is written after the end", async () => {
    const stream = send((response) => {
      response.type("text").write("a");
      expect(response.writableEnded).toBe(false);
      response.end("b");
      expect(response.writableEnded).toBe(true);
      response.write("c");
      response.end("d");
    });
    const server = await start({ stream }, { compression: true });
    expect((await ask(server, "/stream")).text).toBe("ab");
  });

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
