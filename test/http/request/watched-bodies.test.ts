import { createHash, randomBytes } from "node:crypto";
import { createWriteStream } from "node:fs";
import type { IncomingMessage } from "node:http";
import { finished } from "node:stream/promises";
import express, { type RequestHandler } from "express";
import { defaultEndpointsFactory as factory, ez, Middleware, type ServerConfig } from "sallyport";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { start, successEnvelope, type Answer, type TestServer } from "../harness.ts";

const md5 = (content: Buffer): string => createHash("md5").update(content).digest("hex");

/** Configures a hook whose middleware watches requests. */
const watchedBy = (watch: RequestHandler): Pick<ServerConfig, "beforeRouting"> => ({
  beforeRouting: ({ app }) => void app.use(watch),
});

type Listener = (...args: unknown[]) => void;

const post = (server: TestServer): Promise<Answer> =>
  server.send("/x", { method: "POST", body: { a: 1 } });

describe("a body that is parsed", () => {
  test("is not read again behind a factory's native body parser", async () => {
    const endpoint = factory
      .use(express.json())
      .build({ method: "post", input: z.object({ a: z.int() }), handler: ({ input }) => input });
    const server = await start({ x: endpoint });
    expect((await post(server)).json()).toEqual(successEnvelope({ a: 1 }));
  });

  test("is read completely when the handler runs, and the request has ended", async () => {
    const endpoint = factory.build({
      method: "post",
      handler: async ({ request }) => {
        await finished(request);
        const { readableEnded, complete, aborted } = request;
        return { readableEnded, complete, aborted };
      },
    });
    const server = await start({ x: endpoint });
    expect((await post(server)).json()).toEqual(
      successEnvelope({ readableEnded: true, complete: true, aborted: false }),
    );
  });

  test.each(["listener of the server", "middleware", "around middleware"])(
    "can be counted by a %s that listens for `data` in time",
    async (place) => {
      let seen = 0;
      const count = (request: IncomingMessage): unknown =>
        request.on("data", (piece: Buffer) => (seen += piece.length));
      const isAround = place === "around middleware";
      const counting = isAround
        ? new Middleware({ around: ({ request }, next) => (count(request), next({})) })
        : new Middleware({
            handler: ({ request }) => void (place === "middleware" && count(request)),
          });
      const definition = { method: "post", input: z.object({ a: z.int() }) } as const;
      const endpoint = (
        place.startsWith("listener") ? factory : factory.addMiddleware(counting)
      ).build({ ...definition, handler: ({ input }) => input });
      const server = await start({ x: endpoint });
      if (place.startsWith("listener")) server.servers[0]?.prependListener("request", count);
      expect((await post(server)).json()).toEqual(successEnvelope({ a: 1 }));
      expect(seen).toBe(7);
    },
  );

  test("can be watched by replacing a method of the request", async () => {
    let seen = 0;
    const endpoint = factory.build({ method: "post", handler: async () => ({}) });
    const server = await start({ x: endpoint });
    server.servers[0]?.prependListener("request", (request) => {
      const on = request.on.bind(request) as (event: string, listener: Listener) => unknown;
      const watch = (event: string, listener: Listener): unknown =>
        on(event, (...args) => {
          if (event === "data") seen += (args[0] as Buffer).length;
          listener(...args);
        });
      Object.assign(request, { on: watch });
    });
    expect((await post(server)).status).toBe(200);
    expect(seen).toBe(7);
  });
});

describe("an upload", () => {
  const content = randomBytes(3_000_000);
  const body = Buffer.concat([
    Buffer.from('--b\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n'),
    content,
    Buffer.from("\r\n--b--\r\n"),
  ]);
  const kept: Buffer[] = [];
  const endpoint = factory.build({
    method: "post",
    input: z.object({ file: ez.upload() }),
    output: z.object({ md5: z.string(), kept: z.number() }),
    handler: async ({ input: { file } }) => ({
      md5: file.md5 ?? "",
      kept: Buffer.concat(kept.splice(0)).length,
    }),
  });

  test.each<[string, RequestHandler, boolean]>([
    [
      "is piped elsewhere",
      (request, _response, next) => {
        request.pipe(createWriteStream("/dev/null"));
        next();
      },
      false,
    ],
    [
      "is paused and resumed",
      (request, _response, next) => {
        request.on("data", () => {
          request.pause();
          setImmediate(() => request.resume());
        });
        next();
      },
      false,
    ],
    [
      "has a first chunk that is kept",
      (request, _response, next) => {
        request.once("data", (piece: Buffer) => kept.push(piece));
        next();
      },
      true,
    ],
    [
      "is kept by a replaced method",
      (request, _response, next) => {
        const emit = request.emit.bind(request);
        request.emit = (event: string, ...args: unknown[]) => {
          if (event === "data") kept.push(args[0] as Buffer);
          return emit(event, ...args);
        };
        next();
      },
      true,
    ],
  ])("whose request %s arrives unchanged", async (_name, watch, isKept) => {
    const server = await start({ x: endpoint }, { upload: true, ...watchedBy(watch) });
    for (let turn = 0; turn < 4; turn++) {
      const headers = { "content-type": "multipart/form-data; boundary=b" };
      const answer = await server.send("/x", { method: "POST", headers, body });
      const { data } = answer.json() as { readonly data: { md5: string; kept: number } };
      expect([answer.status, data.md5, data.kept > 0]).toEqual([200, md5(content), isKept]);
    }
  });

  test("of bytes arrives even if an encoding is set on the request", async () => {
    const server = await start(
      { x: endpoint },
      {
        upload: true,
        ...watchedBy((request, _response, next) => {
          request.setEncoding("latin1");
          next();
        }),
      },
    );
    const headers = { "content-type": "multipart/form-data; boundary=b" };
    const answer = await server.send("/x", { method: "POST", headers, body });
    expect(answer.json()).toMatchObject(successEnvelope({ md5: md5(content) }));
  });
});

test("a cors function receives the endpoint of the better match, even if that endpoint does not accept the method", async () => {
  const received: unknown[] = [];
  const one = factory.build({ handler: async () => ({}) });
  const best = factory.build({ method: "post", handler: async () => ({}) });
  const server = await start(
    { "get /a/:id": one, "post /a/b": best },
    {
      cors: ({ endpoint }) => {
        received.push(endpoint);
        return {};
      },
    },
  );
  expect((await server.send("/a/b", { method: "DELETE" })).status).toBe(405);
  expect((await server.send("/a/b", { method: "OPTIONS" })).status).toBe(200);
  expect((await server.send("/a/c", { method: "DELETE" })).status).toBe(405);
  expect(received).toEqual([best, best, one]);
});

test("a schema whose getter throws prevents the start in development", async () => {
  const input = z.object({
    get a(): z.ZodString {
      throw new Error("a getter that fails");
    },
  });
  const endpoint = factory.build({ input, handler: async () => ({}) });
  await expect(start({ x: endpoint })).rejects.toThrow("a getter that fails");
});
