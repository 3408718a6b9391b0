import { once } from "node:events";
import type { ErrorRequestHandler } from "express";
import createHttpError from "http-errors";
import { defaultEndpointsFactory as factory, problemEndpointsFactory } from "sallyport";
import { expect, test, vi } from "vitest";
import { z } from "zod";
import { errorEnvelope, start } from "../harness.ts";

const boom = (): never => {
  throw new Error("boom");
};
const routing = {
  boom: factory.build({ handler: async () => boom() }),
  problem: problemEndpointsFactory.build({ handler: boom }),
  refused: factory.build({
    handler: () => {
      throw createHttpError(409, "Taken");
    },
  }),
  invalid: factory.build({ input: z.object({ a: z.string() }), handler: () => ({}) }),
};

test("an error handler in afterRouting receives the faults of endpoints, and may pass them on", async () => {
  const seen: string[] = [];
  const server = await start(routing, {
    afterRouting: ({ app }) => {
      app.use(((error: Error, request, _response, next) => {
        seen.push(`${request.path} ${error.message}`);
        next(error);
      }) satisfies ErrorRequestHandler);
    },
  });
  const answer = await server.send("/boom");
  expect([answer.status, answer.json()]).toEqual([500, errorEnvelope("boom")]);
  expect((await server.send("/problem")).json()).toMatchObject({ status: 500, detail: "boom" });
  expect(seen).toEqual(["/boom boom", "/problem boom"]);
  expect(server.linesOf("error")).toHaveLength(2);
  // a client error is not a fault
  expect((await server.send("/refused")).status).toBe(409);
  expect((await server.send("/invalid")).status).toBe(400);
  expect((await server.send("/none")).status).toBe(404);
  expect(seen).toHaveLength(2);
});

test("an error handler at a path may respond, or pass on another error", async () => {
  const server = await start(routing, {
    afterRouting: ({ app }) => {
      app.use("/boom", ((_error, _request, response, _next) => {
        setTimeout(() => response.status(503).json({ ours: true }), 5);
      }) satisfies ErrorRequestHandler);
      app.use("/problem", ((_error, _request, _response, next) => {
        next(createHttpError(502, "Behind us"));
      }) satisfies ErrorRequestHandler);
    },
  });
  const answer = await server.send("/boom");
  expect([answer.status, answer.json()]).toEqual([503, { ours: true }]);
  expect((await server.send("/problem")).json()).toMatchObject({
    status: 502,
    detail: "Behind us",
  });
});

test("if an error handler throws, its error is sent, and no error handler is called twice", async () => {
  const handle = vi.fn();
  const server = await start(routing, {
    afterRouting: ({ app }) => {
      app.get("/native", boom);
      app.use(((error: Error, _request, _response, _next) => {
        handle(error.message);
        throw new Error("worse");
      }) satisfies ErrorRequestHandler);
    },
  });
  expect((await server.send("/boom")).json()).toEqual(errorEnvelope("worse"));
  expect((await server.send("/native")).json()).toEqual(errorEnvelope("worse"));
  expect(handle.mock.calls).toEqual([["boom"], ["boom"]]);
});

test("an error handler added to the app of a running server is called as well", async () => {
  const server = await start(routing);
  expect((await server.send("/boom")).status).toBe(500);
  server.app.use(((_error, _request, response, _next) => {
    response.status(500).send("late");
  }) satisfies ErrorRequestHandler);
  expect((await server.send("/boom")).text).toBe("late");
});

test("a client that leaves while an error handler is running causes no further fault", async () => {
  let isAsked = false;
  const server = await start(routing, {
    afterRouting: ({ app }) => {
      app.use(((_error, _request, _response, next) => {
        isAsked = true;
        setTimeout(() => next(_error), 30);
      }) satisfies ErrorRequestHandler);
    },
  });
  const socket = await server.open();
  socket.write("GET /boom HTTP/1.1\r\nHost: a\r\n\r\n");
  await expect.poll(() => isAsked).toBe(true);
  socket.destroy();
  expect((await server.send("/refused")).status).toBe(409);
  await expect.poll(() => server.linesOf("error").length).toBe(1);
});

test.each<[string, ErrorRequestHandler]>([
  [
    "throws",
    (_error, _request, response, _next) => {
      response.write("part");
      throw new Error("mid");
    },
  ],
  [
    "rejects",
    async (_error, _request, response, _next) => {
      response.writeHead(500);
      response.flushHeaders();
      throw new Error("mid");
    },
  ],
  [
    "passes the error on",
    (error, _request, response, next) => {
      response.writeHead(500, { "Content-Type": "text/plain" }).flushHeaders();
      next(error);
    },
  ],
])(
  "an error handler that begins the response and then %s has it cut off",
  async (_what, handler) => {
    const server = await start(routing, { afterRouting: ({ app }) => void app.use(handler) });
    const socket = await server.open();
    let text = "";
    socket.on("data", (piece: Buffer) => (text += piece.toString()));
    socket.write("GET /boom HTTP/1.1\r\nHost: a\r\n\r\n");
    await once(socket, "close");
    expect(text).not.toContain("\r\n0\r\n");
  },
);
