import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { brotliCompressSync, constants, inflateSync } from "node:zlib";
import session from "express-session";
import fc from "fast-check";
import createHttpError from "http-errors";
import {
  ConfigError,
  defaultEndpointsFactory as factory,
  EndpointsFactory,
  ResultHandler,
  ServeStatic,
  type ServerConfig,
} from "sallyport";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { ask, encodings, long, openEncoded, readAll, send } from "./encoded.ts";
import {
  errorEnvelope,
  shortenTimers,
  start,
  successEnvelope,
  type TestServer,
} from "../harness.ts";
import { sendingLimit } from "../../../src/serve/pipeline/answer.ts";

const typed = { "Content-Type": "text/plain" };
const text = factory.build({
  input: z.object({ length: z.coerce.number() }),
  handler: ({ input }) => ({ text: "x".repeat(input.length) }),
});
const plain = send((response) => response.type("text").send(long));
/** Sends a long string with the header fields that the query names. */
const fields = send((response, { query }) => {
  const { status = "200", ...headers } = query as Record<string, string>;
  response.status(Number(status)).set({ ...typed, ...headers });
  response.end(long);
});

const withFields = (headers: Record<string, string>): string =>
  `/fields?${new URLSearchParams(headers).toString()}`;

describe("the encoding", () => {
  test.each(encodings)("R11: is %s for clients that accept it", async (encoding) => {
    const server = await start({ text }, { compression: true });
    const { headers, bytes, ...answer } = await ask(server, "/text?length=5000", encoding);
    expect(headers).toMatchObject({ "content-encoding": encoding, vary: "Accept-Encoding" });
    expect(headers["content-length"]).toBeUndefined();
    expect(bytes.length).toBeLessThan(500);
    expect(JSON.parse(answer.text)).toEqual(successEnvelope({ text: "x".repeat(5000) }));
  });

  test.each([
    ["gzip, deflate, br, zstd", "br"],
    ["gzip, deflate, br;q=0.9", "gzip"],
    ["gzip;q=0.5, identity", undefined],
  ])("of a client that accepts %s is %s", async (accepted, encoding) => {
    const server = await start({ plain }, { compression: true });
    expect((await ask(server, "/plain", accepted)).headers["content-encoding"]).toBe(encoding);
  });

  test("uses the configured options", async () => {
    const sizeOf = async (compression: ServerConfig["compression"]) =>
      (await ask(await start({ plain }, { compression }), "/plain")).bytes.length;
    expect(await sizeOf({ level: 0 })).toBeGreaterThan(long.length);
    expect(await sizeOf({ level: 9, filter: () => true })).toBeLessThan(200);
    expect(await sizeOf({ filter: () => false })).toBe(long.length);
    const qualityOf = async (quality: number) => {
      const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: quality } };
      return (
        await ask(await start({ text }, { compression: { brotli } }), "/text?length=90000", "br")
      ).bytes.length;
    };
    expect(await qualityOf(0)).toBeGreaterThan(await qualityOf(11));
  });

  test("any body arrives unchanged, in one chunk or in several", async () => {
    let pieces: string[] = [];
    const echo = send((response) => {
      response.type("text");
      for (const piece of pieces.slice(0, -1)) response.write(piece);
      response.end(pieces.at(-1));
    });
    const server = await start({ echo }, { compression: { threshold: 0 } });
    const piece = fc.string({ unit: "binary", maxLength: 3000, size: "max" });
    const body = fc.array(piece, { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(body, fc.constantFrom(...encodings), async (sent, encoding) => {
        pieces = sent;
        const answer = await ask(server, "/echo", encoding);
        // bytes that are not UTF-8 become U+FFFD on the way, as without compression
        const expected = sent.map((piece) => Buffer.from(piece).toString()).join("");
        expect(answer.text).toBe(expected);
      }),
      { numRuns: 40 },
    );
    // it takes half a second on an idle machine
  }, 60_000);
});

describe("compression", () => {
  const textual = ["text/html; charset=utf-8", "TEXT/CSS", "application/json", "image/svg+xml"];
  test.each([...textual, "application/problem+json"])("applies to the type %s", async (type) => {
    const server = await start({ fields }, { compression: true });
    const answer = await ask(server, withFields({ "Content-Type": type }));
    expect(answer.headers["content-encoding"]).toBe("gzip");
    expect(answer.text).toBe(long);
  });

  test.each(["image/png", "text/event-stream"])(
    "does not apply to the type %s, and does not set Vary",
    async (type) => {
      const server = await start({ fields }, { compression: true });
      const { headers, ...answer } = await ask(server, withFields({ "Content-Type": type }));
      expect([headers["content-encoding"], headers.vary]).toEqual([undefined, undefined]);
      expect(answer.text).toBe(long);
    },
  );

  test("does not apply to a response without a type", async () => {
    const server = await start(
      { bare: send((response) => response.end(long)) },
      { compression: true },
    );
    const { headers, bytes } = await ask(server, "/bare");
    expect([headers["content-encoding"], headers.vary]).toEqual([undefined, undefined]);
    expect(bytes.toString()).toBe(long);
  });

  test.each([
    ["R11: a response that sets a cookie", { "Set-Cookie": "a=b" }],
    ["R11: a response with no-transform", { "Cache-Control": "public,No-Transform , max-age=1" }],
    ["partial content", { "Content-Range": "bytes 0-99/200" }],
  ])("%s is sent unencoded, with Vary", async (_what, given: Record<string, string>) => {
    const server = await start({ fields }, { compression: true });
    const { headers, bytes } = await ask(server, withFields(given));
    expect([headers["content-encoding"], headers.vary]).toEqual([undefined, "Accept-Encoding"]);
    expect(bytes.toString()).toBe(long);
  });

  test("does not apply to a body with a content encoding other than identity", async () => {
    const zipped = brotliCompressSync(long);
    const done = send((response) =>
      response.set({ ...typed, "Content-Encoding": "br" }).end(zipped),
    );
    const server = await start({ done, fields }, { compression: true });
    const answer = await ask(server, "/done");
    expect([answer.headers["content-encoding"], answer.text]).toEqual(["br", long]);
    const identity = await ask(server, withFields({ "Content-Encoding": "identity" }));
    expect([identity.headers["content-encoding"], identity.text]).toEqual(["gzip", long]);
  });

  test("does not apply to a body below the threshold, whether its length is declared or it is a single chunk", async () => {
    const sized = send((response, { query }) => {
      const body = "x".repeat(Number(query["size"]));
      response.type("text");
      if (query["by"] === "length") response.set("Content-Length", String(body.length));
      if (query["by"] === "stream") response.write(body);
      response.end(query["by"] === "stream" ? "" : body);
    });
    const server = await start({ sized }, { compression: true });
    const large = await start({ sized }, { compression: { threshold: "1.5 kB" } });
    const lookAt = async (of: TestServer, size: number, by: string) => {
      const { headers, ...answer } = await ask(of, `/sized?size=${size}&by=${by}`);
      expect(answer.text).toBe("x".repeat(size));
      expect(headers.vary).toBe("Accept-Encoding");
      return headers["content-encoding"];
    };
    for (const by of ["length", "piece"]) {
      expect(await lookAt(server, 1023, by)).toBeUndefined();
      expect(await lookAt(server, 1024, by)).toBe("gzip");
      expect(await lookAt(large, 1535, by)).toBeUndefined();
      expect(await lookAt(large, 1536, by)).toBe("gzip");
    }
    expect(await lookAt(server, 1, "stream")).toBe("gzip");
  });

  test.each(encodings)("applies despite a wrong Content-Length (%s)", async (encoding) => {
    const server = await start({ fields }, { compression: true });
    for (const length of ["1024", "9999"])
      expect((await ask(server, withFields({ "Content-Length": length }), encoding)).text).toBe(
        long,
      );
  });

  test("applies to large error responses", async () => {
    const wrong = factory.build({ handler: () => Promise.reject(createHttpError(400, long)) });
    const server = await start({ wrong }, { compression: true });
    const large = await ask(server, "/wrong");
    expect(large).toMatchObject({ status: 400, headers: { "content-encoding": "gzip" } });
    expect(JSON.parse(large.text)).toEqual(errorEnvelope(long));
    const small = await ask(server, "/absent");
    expect(small.headers["content-encoding"]).toBeUndefined();
    expect(JSON.parse(small.text)).toEqual(errorEnvelope("Not Found"));
  });
});

describe("the response head", () => {
  test("R1: for HEAD is the same as for GET, apart from the framing and the encoding", async () => {
    const stream = send((response) => Readable.from([long]).pipe(response.type("text")));
    const written = send((response) => response.type("text").write(long) && response.end());
    const server = await start({ plain, text, stream, written }, { compression: true });
    for (const path of ["/plain", "/text?length=5000", "/text?length=5", "/stream", "/written"])
      for (const accepted of ["br", "identity"]) {
        const get = await ask(server, path, accepted);
        const head = await ask(server, path, accepted, { method: "HEAD" });
        expect([head.status, head.bytes.length]).toEqual([get.status, 0]);
        expect(head.headers["content-type"]).toBe(get.headers["content-type"]);
        expect(head.headers.vary).toBe("Accept-Encoding");
      }
  });

  test("leaves the ETag of a handler as it is", async () => {
    const tagged = send((response) => response.set("ETag", '"1"').type("txt").end(long));
    const server = await start({ tagged }, { compression: true });
    const { headers } = await ask(server, "/tagged", "gzip");
    expect([headers.etag, headers["content-encoding"]]).toEqual(['"1"', "gzip"]);
    expect((await ask(server, "/tagged", "identity")).headers.etag).toBe('"1"');
  });

  test("of a 304 has the ETag", async () => {
    const server = await start({ plain }, { compression: true, etag: true });
    const { etag = "" } = (await ask(server, "/plain")).headers;
    const known = await ask(server, "/plain", "gzip", { headers: { "if-none-match": etag } });
    expect(known).toMatchObject({ status: 304, text: "", headers: { etag } });
    expect(known.headers["content-encoding"]).toBeUndefined();
  });

  test("has Accept-Encoding in Vary, next to existing values, even if the client accepts no encoding", async () => {
    const server = await start({ fields }, { compression: true });
    const varyOf = async (vary?: string, accepted?: string) =>
      (await ask(server, withFields(vary === undefined ? {} : { Vary: vary }), accepted)).headers
        .vary;
    expect(await varyOf(undefined, "")).toBe("Accept-Encoding");
    expect(await varyOf("Cookie")).toBe("Cookie, Accept-Encoding");
    expect(await varyOf("accept-encoding, Cookie")).toBe("accept-encoding, Cookie");
    expect(await varyOf("*")).toBe("*");
    const cors = () => ({ "Access-Control-Allow-Origin": "https://a.test" });
    const shared = await start({ plain }, { compression: true, cors });
    expect((await ask(shared, "/plain")).headers.vary).toBe("Origin, Accept-Encoding");
  });

  test("R11: has no encoding if a cookie is passed to writeHead", async () => {
    const written = send((response) =>
      response.writeHead(200, { ...typed, "Set-Cookie": "a=b" }).end(long),
    );
    const server = await start({ written }, { compression: true });
    expect((await ask(server, "/written")).headers["content-encoding"]).toBeUndefined();
  });

  test("has no encoding if a session sets a cookie at the last moment", async () => {
    const server = await start(
      { plain, text },
      {
        compression: true,
        beforeRouting: ({ app }) =>
          void app.use(session({ secret: "s", saveUninitialized: true, resave: true })),
      },
    );
    for (const path of ["/plain", "/text?length=5000"]) {
      const first = await ask(server, path);
      const [cookie = ""] = first.headers["set-cookie"] ?? [];
      expect(cookie).toContain("connect.sid=");
      expect(first.headers["content-encoding"]).toBeUndefined();
      const headers = { cookie: cookie.split(";")[0] ?? "" };
      const second = await ask(server, path, "gzip", { headers });
      expect(second.headers["content-encoding"]).toBe("gzip");
      expect(second.text).toBe(first.text);
    }
  });
});

describe("compression within the server", () => {
  let directory = "";
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "sallyport-compression-"));
    await writeFile(join(directory, "a.txt"), long.repeat(100));
    await writeFile(join(directory, "a.png"), long);
  });
  afterAll(() => rm(directory, { recursive: true }));

  test("static files are compressed, but not ranges and 304 responses", async () => {
    const server = await start({ files: new ServeStatic(directory) }, { compression: true });
    for (const encoding of encodings) {
      const whole = await ask(server, "/files/a.txt", encoding);
      expect(whole.headers["content-encoding"]).toBe(encoding);
      expect(whole.text).toBe(long.repeat(100));
    }
    const range = { headers: { range: "bytes=5-2004" } };
    const part = await ask(server, "/files/a.txt", "gzip", range);
    expect([part.status, part.headers["content-encoding"]]).toEqual([206, undefined]);
    expect(part.bytes.toString()).toBe(long.slice(5, 2005));
    expect(part.headers.vary).toBe("Accept-Encoding");
    const { etag = "" } = (await ask(server, "/files/a.txt", "gzip", { method: "HEAD" })).headers;
    const known = await ask(server, "/files/a.txt", "gzip", { headers: { "if-none-match": etag } });
    expect([known.status, known.bytes.length]).toEqual([304, 0]);
    expect(known.headers.vary).toBe("Accept-Encoding");
    expect((await ask(server, "/files/a.png")).headers["content-encoding"]).toBeUndefined();
  });

  test("a shutdown ends the connection of a compressed response", async () => {
    let goOn = (): void => undefined;
    const slow = send(async (response) => {
      await new Promise<void>((resolve) => (goOn = resolve));
      response.type("text").send(long);
    });
    const server = await start({ slow }, { compression: true });
    const arrived = server.untilRequest();
    const asking = ask(server, "/slow", "gzip", { headers: { connection: "keep-alive" } });
    await arrived;
    const closing = server.close();
    await sleep(50);
    goOn();
    const { headers, text } = await asking;
    expect([headers.connection, headers["content-encoding"]]).toEqual(["close", "gzip"]);
    expect(text).toBe(long);
    await closing;
  });

  test("a compressed response in progress at a shutdown is finished", async () => {
    let goOn = (): void => undefined;
    const stream = send(async (response) => {
      response.type("text").write(long);
      response.flush();
      await new Promise<void>((resolve) => (goOn = resolve));
      response.end(long);
    });
    const server = await start({ stream }, { compression: true });
    const { response, decoder } = await openEncoded(server, "/stream", "gzip");
    const closing = server.close();
    await sleep(50);
    goOn();
    expect((await readAll(response.pipe(decoder))).toString()).toBe(long.repeat(2));
    await closing;
  });

  test("pipelined responses keep their order, and a response to HTTP/1.0 is not chunked", async () => {
    const sized = send(async (response, { query }) => {
      await sleep(Number(query["ms"]));
      response.type("text").end((query["x"] as string).repeat(2000));
    });
    const server = await start({ sized }, { compression: { level: 0 } });
    const toRequest = (target: string, version: string) =>
      `GET ${target} HTTP/${version}\r\nHost: a\r\nAccept-Encoding: deflate\r\n\r\n`;
    const last = toRequest("/sized?x=b&ms=0", "1.1").replace("Host: a", "$&\r\nConnection: close");
    const replies = await server.raw(toRequest("/sized?x=a&ms=100", "1.1") + last);
    expect(
      replies.match(/HTTP\/1.1 200|a{2000}|b{2000}|\r\n0\r\n\r\n/g)?.map((part) => part[0]),
    ).toEqual(["H", "a", "\r", "H", "b", "\r"]);
    const old = await server.raw(toRequest("/sized?x=c&ms=0", "1.0"));
    const [head = "", body = ""] = old.split("\r\n\r\n");
    expect(head).toMatch(/Content-Encoding: deflate/);
    expect(head).not.toMatch(/Transfer-Encoding/);
    expect(inflateSync(Buffer.from(body, "latin1")).toString()).toBe("c".repeat(2000));
  });

  test("a browser's fetch decodes the body", async () => {
    const server = await start({ text }, { compression: true });
    const answer = await fetch(`http://127.0.0.1:${server.port}/text?length=2000`);
    expect(answer.headers.get("content-encoding")).toMatch(/^(br|gzip)$/);
    expect(await answer.json()).toEqual(successEnvelope({ text: "x".repeat(2000) }));
  });

  test.each<[string, object, RegExp]>([
    ["level", { level: 10 }, /an integer from 0 to 9; got 10/],
    ["brotli", { brotli: 4 }, /an object with options of brotli, such as `params`; got 4/],
    ["threshold", { threshold: "1 tb" }, /a number of bytes, or a string such as "1kb"/],
    ["threshold", { threshold: -1 }, /a number of bytes, or a string such as "1kb"/],
    ["filter", { filter: true }, /a function; got true/],
    ["encodings", { encodings: ["gzip"] }, /There is no option `compression.encodings`/],
  ])("an invalid `%s` (%o) prevents the start", async (option, compression, message) => {
    const starting = start({}, { compression });
    await expect(starting).rejects.toThrow(ConfigError);
    await expect(starting).rejects.toThrow(`\`compression.${option}\``);
    await expect(starting).rejects.toThrow(message);
  });
});

test("H13: a result handler that sends nothing has the connection closed", async () => {
  shortenTimers(sendingLimit);
  const schema = z.object({});
  const silent = new ResultHandler({
    positive: schema,
    negative: schema,
    handler: () => undefined,
  });
  const run = new EndpointsFactory(silent).build({ handler: () => ({}) });
  const server = await start({ run }, { compression: true });
  expect(await server.raw("GET /run HTTP/1.1\r\nHost: a\r\n\r\n")).toBe("");
  expect(server.linesOf("error")).toMatchObject([
    { meta: { error: { code: "SLP_NOTHING_SENT" } } },
  ]);
});
