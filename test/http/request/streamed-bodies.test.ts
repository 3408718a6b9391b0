import { once } from "node:events";
import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import express from "express";
import { defaultEndpointsFactory as factory, ez } from "sallyport";
import { createClient } from "sallyport/client";
import { idempotency, memoryStore } from "sallyport/idempotency";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { generateOne } from "../../openapi/generate.ts";
import { importGenerated } from "../generated-client.ts";
import { errorEnvelope, start, successEnvelope } from "../harness.ts";

const input = z.object({ raw: ez.stream("text/csv"), note: z.string().optional() });
const output = z.object({ bytes: z.number(), note: z.string().optional() });
const inputSources = ["query", "body", "params"] as const;
const count = async (chunks: AsyncIterable<Uint8Array>): Promise<number> => {
  let bytes = 0;
  for await (const chunk of chunks) bytes += chunk.length;
  return bytes;
};
const routing = {
  "post rows": factory.build({
    ...{ input, output, inputSources, bodyLimit: 100_000 },
    handler: async ({ input: { raw, note } }) => ({ bytes: await count(raw), note }),
  }),
  "post web": factory.build({
    ...{ input, output, inputSources, bodyLimit: 100_000 },
    handler: async ({ input: { raw } }) => ({ bytes: await count(raw.web) }),
  }),
  "post ignored": factory.build({ input, inputSources, handler: async () => ({}) }),
  "get ping": factory.build({ handler: async () => ({}) }),
};
const post = "POST /rows HTTP/1.1\r\nHost: a\r\nContent-Type: text/csv\r\n";

describe("ez.stream() in an input", () => {
  test("passes the body on while it arrives", async () => {
    let seen = 0;
    const server = await start({
      "post rows": factory.build({
        input,
        handler: async ({ input: { raw } }) => {
          for await (const chunk of raw) seen += chunk.length;
          return {};
        },
      }),
    });
    const socket = await server.open();
    socket.write(`${post}Content-Length: 6\r\n\r\nabc`);
    await expect.poll(() => seen).toBe(3);
    socket.write("def");
    const [reply] = (await once(socket, "data")) as [Buffer];
    expect(reply.toString()).toMatch(/^HTTP\/1\.1 200 /);
    expect(seen).toBe(6);
  });

  test("has a web stream, a decoder, and other fields from the query", async () => {
    const server = await start(routing);
    const body = "a,b\n".repeat(1000);
    const headers = { "content-type": "text/csv" };
    const send = async (path: string, sent: Buffer | string, more = {}) =>
      (
        await server.send(path, { method: "POST", headers: { ...headers, ...more }, body: sent })
      ).json();
    expect(await send("/rows?note=x", body)).toEqual(successEnvelope({ bytes: 4000, note: "x" }));
    expect(await send("/web", body)).toEqual(successEnvelope({ bytes: 4000 }));
    const packed = gzipSync(body);
    expect(await send("/rows", packed, { "content-encoding": "gzip" })).toEqual(
      successEnvelope({ bytes: 4000 }),
    );
    expect(await send("/rows", "no gzip", { "content-encoding": "gzip" })).toEqual(
      errorEnvelope("Malformed compressed body"),
    );
    const bomb = gzipSync(Buffer.alloc(1_000_000));
    expect(await send("/rows", bomb, { "content-encoding": "gzip" })).toEqual(
      errorEnvelope("Content Too Large"),
    );
    expect(await send("/rows", "")).toEqual(successEnvelope({ bytes: 0 }));
  });

  test("refuses more than `bodyLimit`, declared or sent, and closes the connection", async () => {
    const server = await start(routing);
    const declared = await server.raw(`${post}Content-Length: 100001\r\n\r\nx`);
    const chunk = `4000\r\n${"x".repeat(16_384)}\r\n`;
    const sent = await server.raw(`${post}Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(7)}`);
    for (const text of [declared, sent]) {
      expect(text).toMatch(/^HTTP\/1\.1 413 .*"SLP_BODY_TOO_LARGE"/s);
      expect(text).toMatch(/^connection: close\r$/im);
    }
  });

  test("keeps the connection if the handler leaves a short body unread", async () => {
    const server = await start(routing);
    const body = "x".repeat(50_000);
    const ignored = `${post.replace("/rows", "/ignored")}Content-Length: 50000\r\n\r\n${body}`;
    const text = await server.raw(
      `${ignored}GET /ping HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
    );
    expect(text.match(/HTTP\/1\.1 200 /g)).toHaveLength(2);
  });

  test("rejects in the handler when the client pauses too long, or leaves", async () => {
    const failed = vi.fn<(error: unknown) => void>();
    const server = await start(
      {
        "post rows": factory.build({
          input,
          handler: async ({ input: { raw } }) => {
            await count(raw).catch((error: unknown) => {
              failed(error);
              throw error;
            });
            return {};
          },
        }),
      },
      { bodyIdleTimeout: 50 },
    );
    const begun = `${post}Content-Length: 10\r\n\r\nabc`;
    expect(await server.raw(begun)).toMatch(/^HTTP\/1\.1 408 /);
    const socket = await server.open();
    socket.write(begun);
    socket.destroy();
    await expect.poll(() => failed.mock.calls.length).toBe(2);
    expect(failed.mock.calls.map(([error]) => (error as { code: string }).code)).toEqual([
      "SLP_BODY_TIMEOUT",
      "ABORT_ERR",
    ]);
    expect(server.linesOf("error")).toEqual([]);
  });

  test("is refused behind a middleware that decodes the body, and beside idempotency", async () => {
    const server = await start({
      "post rows": factory
        .use((request, _response, next) => (request.setEncoding("utf8"), next()))
        .build({ input, handler: async ({ input: { raw } }) => ({ bytes: await count(raw) }) }),
    });
    const sent = { method: "POST", headers: { "content-type": "text/csv" }, body: "abc" };
    expect((await server.send("/rows", sent)).status).toBe(500);
    const once = factory.addMiddleware(idempotency({ store: memoryStore(), scope: () => "me" }));
    expect(() => once.build({ method: "post", input, handler: async () => ({}) })).toThrow(
      "build: the middleware `idempotency` compares bodies, but ez.stream() passes the body on unread",
    );
  });

  test("is refused beside idempotency in the input of a middleware, too", () => {
    const handler = () => undefined;
    const streaming = { input: z.object({ raw: ez.stream() }), handler };
    const once = idempotency({ store: memoryStore(), scope: () => "me" });
    for (const both of [
      factory.addMiddleware(streaming).addMiddleware(once),
      factory.addMiddleware(once).addMiddleware(streaming),
    ])
      expect(() => both.build({ method: "post", handler: async () => ({}) })).toThrow(
        "build: the middleware `idempotency` compares bodies, but ez.stream() passes the body on unread",
      );
  });

  test.each([
    ["optional", z.object({ raw: ez.stream().optional() })],
    ["in a pipe", z.object({ raw: ez.stream().transform((stream) => stream.web) })],
    ["another field", z.object({ rows: ez.stream() })],
  ])("is refused at startup if it is %s, where it would be no stream", async (_how, wrapped) => {
    const refused = "/rows: `input` has ez.stream() in a place where the body is not passed on";
    const handler = async () => ({});
    const own = { "post rows": factory.build({ input: wrapped, handler }) };
    await expect(start(own)).rejects.toThrow(refused);
    const shared = factory.addMiddleware({ input: wrapped, handler: () => undefined });
    await expect(start({ "post rows": shared.build({ handler }) })).rejects.toThrow(refused);
  });

  test("warns of nothing at startup, and takes what a middleware has read", async () => {
    const server = await start(routing, {
      beforeRouting: ({ app }) => void app.use(express.raw({ type: "*/*" })),
    });
    expect(server.linesOf("warn")).toEqual([]);
    const sent = { method: "POST", headers: { "content-type": "text/csv" }, body: "abc" };
    expect((await server.send("/web", sent)).json()).toEqual(successEnvelope({ bytes: 3 }));
  });

  test("has its media type in documents", () => {
    const { requestBody } = generateOne("POST /rows", routing);
    expect(requestBody).toMatchObject({
      content: { "text/csv": { schema: { type: "string" } } },
      required: true,
    });
  });

  test("takes a stream or a whole body from both clients", async () => {
    const { port } = await start(routing);
    const options = { baseUrl: `http://localhost:${port}`, inputSources: { post: inputSources } };
    const inferred = createClient<typeof routing>(options);
    const generated = (await importGenerated<typeof inferred>(routing, {})).createClient(options);
    for (const client of [inferred, generated])
      for (const raw of [
        Readable.from([Buffer.from("abc"), Buffer.from("def")]),
        new Blob(["abcdef"]).stream() as never,
        new Blob(["abcdef"]) as never,
      ])
        expect(await client.provide("post /rows", { raw, note: "x" })).toEqual(
          successEnvelope({ bytes: 6, note: "x" }),
        );
  });
});
