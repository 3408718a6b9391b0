import { createReadStream } from "node:fs";
import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { inspect } from "node:util";
import { join } from "node:path";
import { Readable } from "node:stream";
import { ReadableStream } from "node:stream/web";
import { setTimeout as sleep } from "node:timers/promises";
import createHttpError from "http-errors";
import {
  defaultEndpointsFactory as factory,
  DefinitionError,
  ez,
  problemEndpointsFactory,
  type StreamContent,
} from "sallyport";
import { testEndpoint } from "sallyport/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { errorEnvelope, start, untilStill } from "../harness.ts";

let directory = "";
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "sallyport-content-"));
  await writeFile(join(directory, "ten.txt"), "0123456789");
  await writeFile(join(directory, ".hidden"), "secret");
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const csv = ez.stream("text/csv", { fileName: "users.csv" });

describe("a stream", () => {
  const pieces = ["id,name\n", "1,Zoë\n"];
  const kinds: Readonly<Record<string, () => StreamContent>> = {
    "a Node.js stream": () => Readable.from(pieces),
    "a Node.js stream of Buffers": () => Readable.from(pieces.map((piece) => Buffer.from(piece))),
    "a Blob": () => new Blob(pieces),
    "a web stream": () =>
      new ReadableStream({
        start: (controller) => {
          for (const piece of pieces) controller.enqueue(Buffer.from(piece));
          controller.close();
        },
      }),
    "a generator": async function* () {
      yield* pieces;
    },
  };
  test.each(Object.keys(kinds))("is sent without an envelope: %s", async (kind) => {
    const handler = async () => kinds[kind]?.() ?? Readable.from([]);
    const server = await start({ users: factory.build({ output: csv, handler }) });
    const answer = await server.send("/users");
    expect(answer.text).toBe(pieces.join(""));
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({
      "content-type": "text/csv; charset=utf-8",
      "content-disposition": "attachment; filename=users.csv",
      "x-content-type-options": "nosniff",
      "transfer-encoding": "chunked",
    });
    expect(server.linesOf("error")).toEqual([]);
  });

  test("has the status and the header fields that the handler sets", async () => {
    const build = factory.build({
      output: csv,
      handler: ({ response }) => {
        response.status(202).attachment("own.tsv").type("text/tab-separated-values");
        return Readable.from(["a"]);
      },
    });
    const answer = await (await start({ a: build })).send("/a");
    expect(answer.status).toBe(202);
    expect(answer.headers["content-disposition"]).toBe("attachment; filename=own.tsv");
    expect(answer.headers["content-type"]).toContain("text/tab-separated-values");
  });

  test("without data results in an empty body", async () => {
    const server = await start({
      a: factory.build({ output: csv, handler: () => Readable.from([]) }),
    });
    const answer = await server.send("/a");
    expect([answer.status, answer.text]).toEqual([200, ""]);
  });

  test.each([
    ["the default envelope", factory, errorEnvelope("There are none")],
    ["problem details", problemEndpointsFactory, expect.objectContaining({ status: 404 })],
  ])(
    "that fails before its first chunk results in an error response (%s)",
    async (_what, by, expected) => {
      const broken = by.build({
        output: csv,
        // oxlint-disable-next-line require-yield -- throws before the first yield
        handler: async function* () {
          await sleep(1);
          throw createHttpError(404, "There are none");
        } as () => AsyncGenerator<string>,
      });
      const answer = await (await start({ broken })).send("/broken");
      expect([answer.status, answer.json()]).toEqual([404, expected]);
      expect(answer.headers["content-disposition"]).toBeUndefined();
    },
  );

  test("that fails later cuts off the response, and the error is logged", async () => {
    const broken = factory.build({
      output: csv,
      handler: async function* () {
        yield "begin";
        await sleep(1);
        throw new Error("Later");
      },
    });
    const server = await start({ broken });
    await expect(server.send("/broken")).rejects.toThrow("aborted");
    await expect.poll(() => server.linesOf("error").length).toBe(1);
    expect(server.linesOf("error")[0]?.meta).toMatchObject({ error: { message: "Later" } });
  });

  test.each([
    ["a value of another type", () => "text" as never, "Expected stream"],
    ["a stream of numbers", () => Readable.from([1]), "it yielded number"],
  ])(
    "counts as a fault of the application if the handler returns %s",
    async (_what, handler, message) => {
      const server = await start({ a: factory.build({ output: csv, handler }) });
      expect((await server.send("/a")).status).toBe(500);
      expect(server.linesOf("error").map(({ meta }) => inspect(meta))).toEqual([
        expect.stringContaining(message),
      ]);
    },
  );

  const openFile = (): Readable => createReadStream(join(directory, "ten.txt"));
  test("is closed unread if the request is a HEAD, or if another response has been sent", async () => {
    const opened: Readable[] = [];
    const keep = (stream: Readable): Readable => {
      opened.push(stream);
      return stream;
    };
    const server = await start({
      head: factory.build({ output: csv, handler: () => keep(openFile()) }),
      sent: factory.build({
        output: csv,
        handler: ({ response }) => {
          response.status(204).end();
          return keep(openFile());
        },
      }),
      around: factory
        .addMiddleware({
          around: async (_args, next) => {
            await next({});
            throw createHttpError(409, "After all");
          },
        })
        .build({ output: csv, handler: () => keep(openFile()) }),
      late: factory.build({
        output: csv,
        timeout: 20,
        handler: async () => {
          await sleep(60);
          return keep(openFile());
        },
      }),
    });
    const head = await server.send("/head", { method: "HEAD" });
    expect([head.status, head.headers["content-type"]]).toEqual([200, "text/csv; charset=utf-8"]);
    expect((await server.send("/sent")).status).toBe(204);
    expect((await server.send("/around")).status).toBe(409);
    expect((await server.send("/late")).status).toBe(503);
    await expect.poll(() => opened.length).toBe(4);
    await expect.poll(() => opened.filter(({ closed }) => closed).length).toBe(4);
  });

  test("ends when the client leaves, even under back-pressure", async () => {
    const begun: Readable[] = [];
    let yielded = 0;
    const endless = factory.build({
      output: ez.stream(),
      handler: () => {
        const stream = Readable.from(
          (async function* () {
            // endless but for a server that does not wait for its client
            while (yielded < 1000) {
              yielded++;
              yield Buffer.alloc(65_536);
              await sleep(0);
            }
          })(),
        );
        begun.push(stream);
        return stream;
      },
    });
    const server = await start({ endless });
    const socket = await server.open();
    socket.write("GET /endless HTTP/1.1\r\nHost: a\r\n\r\n");
    socket.pause();
    await expect.poll(() => begun.length).toBe(1);
    // the client does not read, so nothing more is produced
    expect(await untilStill(() => yielded)).toBeLessThan(1000);
    socket.destroy();
    await expect.poll(() => begun[0]?.closed).toBe(true);
    expect(server.linesOf("error")).toEqual([]);
  });
});

describe("a buffer", () => {
  const png = Buffer.from([0x89, 0x50, 0x4e, 0x47]);
  test("with a media type is sent without an envelope", async () => {
    const server = await start({
      png: factory.build({ output: ez.buffer("image/png"), handler: async () => png }),
    });
    for (const method of ["GET", "HEAD"]) {
      const answer = await server.send("/png", { method });
      expect(answer.headers).toMatchObject({ "content-type": "image/png", "content-length": "4" });
      expect(answer.text).toBe(method === "GET" ? png.toString() : "");
    }
  });

  test("without a media type is an ordinary field", async () => {
    const output = z.object({ bytes: ez.buffer().transform((bytes) => bytes.toString("hex")) });
    const server = await start({ a: factory.build({ output, handler: () => ({ bytes: png }) }) });
    expect((await server.send("/a")).json()).toEqual({
      status: "success",
      data: { bytes: "89504e47" },
    });
  });
});

test("the handler sets the status of a stream or a buffer; a file is always a success", async () => {
  const html = "<h1>Closed</h1>";
  const server = await start({
    stream: factory.build({
      output: ez.stream("text/html"),
      handler: ({ response }) => {
        response.status(503);
        return Readable.from([html]);
      },
    }),
    buffer: factory.build({
      output: ez.buffer("text/html"),
      handler: ({ response }) => {
        response.status(404);
        return Buffer.from(html);
      },
    }),
    file: factory.build({
      output: ez.file("text/html"),
      handler: ({ response }) => {
        response.status(404);
        return join(directory, "ten.txt");
      },
    }),
  });
  const get = async (target: string, method = "GET") => {
    const answer = await server.send(target, { method });
    return [answer.status, answer.headers["content-type"], answer.text];
  };
  const type = "text/html; charset=utf-8";
  expect(await get("/stream")).toEqual([503, type, html]);
  expect(await get("/stream", "HEAD")).toEqual([503, type, ""]);
  expect(await get("/buffer")).toEqual([404, type, html]);
  expect(await get("/file")).toEqual([200, type, "0123456789"]);
});

describe("a file", () => {
  const begin = () =>
    start({
      typed: factory.build({ output: ez.file("text/plain"), handler: () => path("ten.txt") }),
      given: factory.build({
        input: z.object({ name: z.string() }),
        output: ez.file(),
        handler: ({ input }) => ({ path: input.name, root: directory, fileName: "tën.txt" }),
      }),
      kept: factory.build({
        output: ez.file(),
        handler: () => ({ path: path("ten.txt"), maxAge: 60 }),
      }),
      relative: factory.build({ output: ez.file(), handler: () => "ten.txt" }),
    });
  const path = (name: string): string => join(directory, name);

  test("is sent with its type, length, date and ETag", async () => {
    const server = await begin();
    const answer = await server.send("/typed");
    expect([answer.status, answer.text]).toEqual([200, "0123456789"]);
    const { mtime } = await stat(path("ten.txt"));
    expect(answer.headers).toMatchObject({
      "content-type": "text/plain; charset=utf-8",
      "content-length": "10",
      "last-modified": mtime.toUTCString(),
      etag: expect.stringMatching(/^W\/"a-/),
      "cache-control": "private, max-age=0",
      "accept-ranges": "bytes",
    });
    expect((await server.send("/kept")).headers["cache-control"]).toBe("private, max-age=60");
  });

  test("supports conditional requests and ranges", async () => {
    const server = await begin();
    const { headers } = await server.send("/typed");
    const get = async (more: Record<string, string>) => {
      const answer = await server.send("/typed", { headers: more });
      return [answer.status, answer.text, answer.headers["content-range"]];
    };
    expect(await get({ "if-none-match": headers.etag ?? "" })).toEqual([304, "", undefined]);
    expect(await get({ "if-modified-since": headers["last-modified"] ?? "" })).toEqual([
      304,
      "",
      undefined,
    ]);
    expect(await get({ range: "bytes=2-4" })).toEqual([206, "234", "bytes 2-4/10"]);
    expect(await get({ range: "bytes=-2" })).toEqual([206, "89", "bytes 8-9/10"]);
    const beyond = await server.send("/typed", { headers: { range: "bytes=20-" } });
    expect([beyond.status, beyond.headers["content-range"]]).toEqual([416, "bytes */10"]);
    expect(beyond.json()).toEqual(errorEnvelope("Range Not Satisfiable"));
    const head = await server.send("/typed", { method: "HEAD" });
    expect([head.status, head.headers["content-length"], head.text]).toEqual([200, "10", ""]);
  });

  test.each<[string | undefined, string, string, number]>([
    [undefined, "If-Match", "the weak tag", 412],
    [undefined, "If-Match", '"a"', 412],
    [undefined, "If-Match", "*", 200],
    ['"a"', "If-Match", '"b", "a"', 200],
    ['"a"', "If-Match", 'W/"a"', 412],
    ['W/"a"', "If-Match", 'W/"a"', 412],
    ['W/"a"', "If-Match", '"a"', 412],
    [undefined, "If-Range", "the weak tag", 200],
    [undefined, "If-Range", "the date", 206],
    [undefined, "If-Range", "Fri, 01 Jan 2100 00:00:00 GMT", 200],
    ['"a"', "If-Range", '"a"', 206],
    ['"a"', "If-Range", 'W/"a"', 200],
    ['"a"', "If-Range", '"ab"', 200],
    ['W/"a"', "If-Range", 'W/"a"', 200],
  ])(
    "with the ETag %s is compared strongly to %s: %s responds with %i",
    async (own, name, value, status) => {
      const file = factory.build({
        output: ez.file(),
        handler: ({ response }) => {
          if (own !== undefined) response.set("ETag", own);
          return path("ten.txt");
        },
      });
      const server = await start({ file });
      const { headers } = await server.send("/file");
      const known = { "the weak tag": headers.etag, "the date": headers["last-modified"] };
      const sent = known[value as keyof typeof known] ?? value;
      const range = name === "If-Range" ? { Range: "bytes=2-4" } : {};
      const answer = await server.send("/file", { headers: { [name]: sent, ...range } });
      expect(answer.status).toBe(status);
      const isRefused = status === 412;
      expect(answer.headers.etag).toBe(isRefused ? undefined : headers.etag);
    },
  );

  test("does not tell by a 412 which files are outside the root", async () => {
    const server = await begin();
    const headers = { "If-Match": '"a"' };
    const outside = await server.send("/given?name=../package.json", { headers });
    expect([
      outside.status,
      (await server.send("/given?name=../none", { headers })).status,
    ]).toEqual([403, 403]);
  });

  test("with a root never leads outside the root, and may be sent with a file name for the browser", async () => {
    const server = await begin();
    const answer = await server.send("/given?name=ten.txt");
    expect(answer.text).toBe("0123456789");
    expect(answer.headers["content-disposition"]).toBe(
      "attachment; filename=\"t?n.txt\"; filename*=UTF-8''t%C3%ABn.txt",
    );
    for (const name of ["../x", "..%2F..%2Fetc/passwd", ".hidden", "none.txt", "%00"]) {
      const refused = await server.send(`/given?name=${name}`);
      expect(Math.floor(refused.status / 100)).toBe(4);
      expect(refused.json()).toMatchObject({ status: "error" });
      expect(refused.headers["content-disposition"]).toBeUndefined();
      expect(refused.text).not.toContain(directory);
    }
  });

  test("with a relative path but no root is a server fault, and the error names the mistake", async () => {
    const server = await begin();
    expect((await server.send("/relative")).status).toBe(500);
    expect(server.linesOf("error")).toMatchObject([
      {
        meta: {
          error: { message: expect.stringContaining("an absolute path, or { path, root }") },
        },
      },
    ]);
  });

  test("leaves no descriptor open when its clients leave", async () => {
    await writeFile(path("large"), Buffer.alloc(8_388_608));
    const server = await start({
      large: factory.build({ output: ez.file(), handler: () => path("large") }),
    });
    const count = async () => (await readdir("/proc/self/fd").catch(() => [])).length;
    const before = await count();
    for (let round = 0; round < 20; round++) {
      const socket = await server.open();
      socket.write("GET /large HTTP/1.1\r\nHost: a\r\n\r\n");
      await sleep(2);
      socket.resetAndDestroy();
    }
    await expect.poll(count).toBeLessThanOrEqual(before);
    expect(server.linesOf("error")).toEqual([]);
  });
});

test("testEndpoint reads streams and files, too", async () => {
  const endpoint = factory.build({ output: csv, handler: () => Readable.from(["a,", "b"]) });
  const { responseMock } = await testEndpoint({ endpoint });
  expect(responseMock._getData()).toBe("a,b");
});

test.each(["csv", "text/", "text/csv\r\nx: y", ""])("%j is not a media type", (type) => {
  expect(() => ez.stream(type)).toThrow(DefinitionError);
  expect(() => ez.stream(type)).toThrow("ez.stream: the first argument must be a media type");
});

test("a stream nested in an output causes a warning", async () => {
  const output = z.object({ rows: ez.stream("text/csv") });
  const server = await start({
    a: factory.build({ output, handler: () => ({ rows: Readable.from([]) }) }),
  });
  expect(server.linesOf("warn").map(({ message }) => message)).toContainEqual(
    expect.stringContaining("SLP_WARN_OUTPUT_JSON: `output` of GET /a has ez.stream()"),
  );
});
