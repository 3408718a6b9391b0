import { createHash } from "node:crypto";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { Request } from "express";
import { defaultEndpointsFactory as factory } from "sallyport";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { start, successEnvelope } from "../harness.ts";

/** Sends a body to an endpoint behind a native middleware that does something to the request. */
const sendBehind = async (touch: (request: Request) => unknown, length: number) => {
  const endpoint = factory
    .use(async (request, _response, next) => {
      await touch(request);
      next();
    })
    .build({
      method: "post",
      input: z.object({ text: z.string() }),
      handler: ({ input }) => ({ length: input.text.length }),
    });
  const server = await start({ run: endpoint }, { bodyIdleTimeout: 150 });
  const answer = await server.send("/run", { method: "POST", body: { text: "x".repeat(length) } });
  return { answer, faults: server.linesOf("error") };
};

test("H17: a native middleware that watches the body sees all of it, as the endpoint does", async () => {
  const digests: string[] = [];
  const endpoint = factory
    .use((request, _response, next) => {
      const hash = createHash("sha256");
      request.on("data", (piece: Buffer) => hash.update(piece));
      request.on("end", () => digests.push(hash.digest("hex")));
      next();
    })
    .build({ method: "post", input: z.looseObject({}), handler: ({ input }) => input });
  const server = await start({ run: endpoint });
  const head =
    "POST /run HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nConnection: close\r\n";
  for (const pieces of [[`{"a":1}`], [`{"a`, `":1}`]]) {
    const socket = await server.open();
    let text = "";
    socket.on("data", (piece: Buffer) => (text += piece.toString()));
    const [first = "", ...others] = pieces;
    socket.write(`${head}Content-Length: 7\r\n\r\n${first}`);
    for (const piece of others) {
      await sleep(30);
      socket.write(piece);
    }
    await once(socket, "close");
    expect(text).toContain(JSON.stringify(successEnvelope({ a: 1 })));
  }
  const digest = createHash("sha256").update(`{"a":1}`).digest("hex");
  expect(digests).toEqual([digest, digest]);
});

test("H17: a body of which a native middleware has read a part is not mistaken for a malformed one", async () => {
  const readOne = (request: Request): Promise<unknown> =>
    new Promise((resolve) => {
      request.once("data", resolve);
    });
  const { answer, faults } = await sendBehind(readOne, 200_000);
  expect(answer.status).toBe(500);
  expect(faults).toMatchObject([{ meta: { error: { code: "SLP_BODY_UNREADABLE" } } }]);
});

describe.each([5, 200_000])("H17: a body of %i bytes behind a native middleware", (length) => {
  test("that has paused the request is read", async () => {
    const pause = async (request: Request): Promise<void> => {
      request.pause();
      await sleep(20);
    };
    const { answer } = await sendBehind(pause, length);
    expect(answer.json()).toEqual(successEnvelope({ length }));
  });

  test.each<readonly [string, (request: Request) => unknown]>([
    ["listens to `readable`", (request) => request.on("readable", () => undefined)],
    ["has begun to iterate", (request) => request[Symbol.asyncIterator]().next()],
    ["has called `setEncoding`", (request) => request.setEncoding("utf8")],
    ["has destroyed the request", (request) => request.take(1).toArray()],
  ])("that %s is answered with 500, and the log names the cause", async (_name, touch) => {
    const { answer, faults } = await sendBehind(touch, length);
    expect(answer.status).toBe(500);
    expect(faults).toMatchObject([{ meta: { error: { code: "SLP_BODY_UNREADABLE" } } }]);
  });
});

test.each([
  [
    "written for Express",
    factory.use((_request, response) => void response.json({ isSent: true })),
  ],
  [
    "of sallyport",
    factory.addMiddleware({ handler: ({ response }) => void response.json({ isSent: true }) }),
  ],
])(
  "the rest of a body is discarded if one middleware watches it and another, %s, responds",
  async (_kind, responding) => {
    const endpoint = factory
      .use((request, _response, next) => {
        request.on("data", () => undefined);
        next();
      })
      .addMiddleware(responding["middlewares"][0] as never)
      .build({ method: "post", handler: () => ({}) });
    const server = await start({ run: endpoint, ping: factory.build({ handler: () => ({}) }) });
    const socket = await server.open();
    let text = "";
    socket.on("data", (piece: Buffer) => (text += piece.toString()));
    socket.write("POST /run HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n");
    await expect.poll(() => text).toContain("isSent");
    socket.write("x".repeat(100_000));
    socket.write("GET /ping HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    await expect.poll(() => text).toContain(JSON.stringify(successEnvelope({})));
  },
);

test("an empty body in chunks that a native middleware has read is not waited for", async () => {
  const endpoint = factory
    .use(async (request, _response, next) => {
      await once(request.resume(), "end");
      next();
    })
    .build({
      method: "post",
      handler: ({ request: { body } }) => ({ isEmpty: body === undefined }),
    });
  const server = await start({ run: endpoint }, { bodyIdleTimeout: 150 });
  const head = "POST /run HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked";
  const text = await server.raw(`${head}\r\n\r\n0\r\n\r\n`);
  expect(text).toContain(JSON.stringify(successEnvelope({ isEmpty: true })));
});

test.each<[string, (request: Request) => unknown]>([
  ["pauses", (request) => request.pause()],
  ["waits for `readable` of", (request) => request.once("readable", () => undefined)],
])(
  "a middleware that %s a request while its body ends does not keep it from its response",
  async (_what, touch) => {
    const endpoint = factory
      .use(async (request, _response, next) => {
        next();
        await Promise.resolve();
        touch(request);
      })
      .build({ method: "post", input: z.object({ a: z.int() }), handler: ({ input }) => input });
    const server = await start({ run: endpoint }, { shortcuts: false });
    const answer = await server.send("/run", { method: "POST", body: { a: 1 } });
    expect(answer.json()).toEqual(successEnvelope({ a: 1 }));
  },
);
