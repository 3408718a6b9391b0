import { once } from "node:events";
import { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Request, Response } from "express";
import { defaultEndpointsFactory as factory } from "sallyport";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { start, successEnvelope } from "./harness.ts";

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
