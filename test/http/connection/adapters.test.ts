import { EventEmitter, once } from "node:events";
import { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import express, { type Request, type Response } from "express";
import { attachRouting, createConfig, defaultEndpointsFactory as factory, ez } from "sallyport";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { start, successEnvelope } from "../harness.ts";

/** Creates a socket like those of adapters for serverless functions, without timeouts and byte counts. */
const createBareSocket = (take: (piece: string) => void, more: object): Socket => {
  const nothing = (): void => undefined;
  return {
    ...{ writable: true, _writableState: {}, ...more },
    ...{ on: nothing, removeListener: nothing, destroy: nothing, cork: nothing, uncork: nothing },
    write: (piece: string | Buffer, ...rest: readonly unknown[]) => {
      take(piece.toString());
      const done = rest.findLast((one) => typeof one === "function");
      (done as (() => void) | undefined)?.();
      return true;
    },
  } as unknown as Socket;
};

/** Calls an application as adapters for serverless functions do, with a body that has already been read. */
const call = (
  app: (request: IncomingMessage, response: ServerResponse) => void,
  body: object,
  socket: object,
): Promise<string> =>
  new Promise((resolve) => {
    let sent = "";
    const bytes = Buffer.from(JSON.stringify(body));
    const request = Object.assign(new IncomingMessage({} as Socket), {
      ...{ method: "POST", url: "/greet", body: bytes, complete: true },
      headers: { host: "a.example", "content-type": "application/json" },
    });
    const response = new ServerResponse(request);
    response.assignSocket(createBareSocket((piece) => (sent += piece), socket));
    response.once("finish", () => resolve(sent));
    app(request, response);
  });

const greeting = factory.build({
  method: "post",
  input: z.object({ name: z.string() }),
  handler: async ({ input }) => input,
});

describe("an adapter without a real socket", () => {
  test("can send a body as a stream, even after requests whose bodies the server has parsed", async () => {
    const server = await start({ greet: greeting });
    const body = { name: "Ada" };
    for (const _time of [1, 2])
      expect((await server.send("/greet", { method: "POST", body })).status).toBe(200);
    const bytes = Buffer.from(JSON.stringify(body));
    const headers = { "content-type": "application/json", "content-length": `${bytes.length}` };
    const request = Object.assign(new IncomingMessage(createBareSocket(() => undefined, {})), {
      ...{ method: "POST", url: "/greet", headers },
      // a stream like light-my-request's
      _read(this: IncomingMessage): void {
        this.complete = true;
        this.push(bytes);
        this.push(null);
      },
    });
    const response = new ServerResponse(request);
    let sent = "";
    response.assignSocket(createBareSocket((piece) => (sent += piece), {}));
    server.app(request as unknown as Request, response as unknown as Response);
    await once(response, "finish");
    expect(sent).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  });

  test.each([
    ["lacks the members of a real one, like serverless-http's", {}],
    ["reports bytes to write, like light-my-request's", { writableLength: 9 }],
  ])("gets a response, and no fault is logged, if the socket %s", async (_what, socket) => {
    const { app, lines } = await start({
      greet: greeting,
    });
    const sent = await call(app, { name: "Ada" }, socket);
    expect(sent).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(sent.split("\r\n\r\n").slice(1)).toEqual([
      JSON.stringify(successEnvelope({ name: "Ada" })),
    ]);
    const access = { status: 200, bytes: 0, milliseconds: expect.any(Number) as number };
    expect(lines.filter(({ severity }) => severity !== "info")).toEqual([
      { severity: "debug", message: "POST: /greet", meta: access },
    ]);
  });
});

describe("the objects of a unit test, such as those of node-mocks-http, without a connection", () => {
  /** Creates a response that keeps what is written, and that emits `finish` only. */
  const createBareResponse = () => {
    const headers = new Map<string, unknown>();
    const response = Object.assign(new EventEmitter(), {
      ...{ statusCode: 200, headersSent: false, writableEnded: false, text: "" },
      getHeader: (name: string) => headers.get(name.toLowerCase()),
      getHeaderNames: () => [...headers.keys()],
      hasHeader: (name: string) => headers.has(name.toLowerCase()),
      setHeader: (name: string, value: unknown) => headers.set(name.toLowerCase(), value),
      removeHeader: (name: string) => headers.delete(name.toLowerCase()),
      write: (chunk: string | Uint8Array): void => {
        response.headersSent = true;
        response.text += Buffer.from(chunk as string).toString();
      },
      end: (chunk: string | Uint8Array = ""): void => {
        response.write(chunk);
        response.writableEnded = true;
        response.emit("finish");
      },
    });
    return response;
  };
  const routing = {
    "greet/:name": factory.build({
      input: z.object({ name: z.string() }),
      handler: async ({ input }) => input,
    }),
    stream: factory.build({
      output: ez.stream("text/plain"),
      handler: async () =>
        (async function* () {
          yield "a";
          yield "b";
        })(),
    }),
  };
  const attach = (): express.Express => {
    const app = express();
    attachRouting(createConfig({ app, cors: false, logger: { level: "silent" } }), routing);
    return app;
  };
  const serve = async (): Promise<express.Express> => (await start(routing)).app;

  describe.each([
    ["an application of one's own", attach],
    ["the application of a server", serve],
  ])("get their responses from %s", (_name, create) => {
    test.each([
      ["/greet/Ada", 200, JSON.stringify(successEnvelope({ name: "Ada" }))],
      ["/stream", 200, "ab"],
    ])("for %s", async (url, status, text) => {
      const app = await create();
      const request = Object.assign(new EventEmitter(), {
        ...{ method: "GET", url, originalUrl: url, headers: { host: "a" }, socket: {} },
      });
      const response = createBareResponse();
      const finished = once(response, "finish");
      (app as unknown as { handle: (...args: unknown[]) => void }).handle(request, response);
      await finished;
      expect([response.statusCode, response.text]).toEqual([status, text]);
    });
  });
});
