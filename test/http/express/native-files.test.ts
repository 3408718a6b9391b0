import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import express, { type ErrorRequestHandler, type RequestHandler } from "express";
import { attachRouting, createConfig, defaultEndpointsFactory as factory } from "sallyport";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createRecorder, errorEnvelope, send, start, successEnvelope } from "../harness.ts";

describe("a native middleware that sends a file", () => {
  const sending =
    (path: string): RequestHandler =>
    (_request, response) =>
      response.sendFile(path);
  const routing = (path: string): RequestHandler =>
    express.Router().get("/x", sending(path)) as RequestHandler;

  test.each([
    ["directly", sending],
    ["on a router", routing],
  ])("gets a 404 without the path if the file is missing (%s)", async (_name, make) => {
    const handler = vi.fn(() => ({}));
    const missing = "/no/such/file";
    const server = await start({ x: factory.use(make(missing)).build({ handler }) });
    const answer = await server.send("/x");
    expect([answer.status, answer.json()]).toEqual([404, errorEnvelope("Not Found")]);
    expect(handler).not.toHaveBeenCalled();
    expect(server.linesOf("error")).toEqual([]);
  });

  test.each([
    ["directly", sending],
    ["on a router", routing],
  ])(
    "lets the endpoint respond if the file is a directory, as on Express (%s)",
    async (_name, make) => {
      const server = await start({
        x: factory.use(make(import.meta.dirname)).build({ handler: () => ({}) }),
      });
      expect((await server.send("/x")).status).toBe(200);
    },
  );

  test.each([["a hook"], ["a user's own application"]])(
    "gets the error of a missing file in the error handlers of its own router (after the API in %s)",
    async (name) => {
      const routing = { x: factory.build({ handler: () => ({}) }) };
      const own = express.Router().get("/own", sending("/no/such/file"));
      const onError: ErrorRequestHandler = (_error, _request, response, _next) =>
        void response.status(418).send("own");
      own.use(onError);
      const app = express();
      attachRouting(createConfig({ app, cors: false, logger: createRecorder().logger }), routing);
      const attached = createServer(app.use(own)).listen(0, "127.0.0.1");
      onTestFinished(() => void attached.close());
      await once(attached, "listening");
      const hooked = await start(routing, { afterRouting: (hook) => void hook.app.use(own) });
      const { port } = name === "a hook" ? hooked : (attached.address() as AddressInfo);
      const answer = await send(port, "/own");
      expect([answer.status, answer.text]).toEqual([418, "own"]);
    },
  );

  test.each([["a hook"], ["a user's own application"]])(
    "lets the endpoint respond if the file is a directory (in %s)",
    async (name) => {
      const directory = sending(import.meta.dirname);
      const routing = { x: factory.build({ handler: () => ({ is: "reached" }) }) };
      const app = express().use(directory);
      const { logger } = createRecorder();
      attachRouting(createConfig({ app, cors: false, logger }), routing);
      const attached = createServer(app).listen(0, "127.0.0.1");
      onTestFinished(() => void attached.close());
      await once(attached, "listening");
      const hooked = await start(routing, {
        beforeRouting: (hook) => void hook.app.use(directory),
      });
      const { port } = name === "a hook" ? hooked : (attached.address() as AddressInfo);
      // the first request loads the API
      await send(port, "/x");
      expect((await send(port, "/x")).json()).toEqual(successEnvelope({ is: "reached" }));
    },
  );

  test("is the only one to respond if the file exists", async () => {
    const handler = vi.fn(() => ({}));
    const server = await start({
      x: factory.use(sending(import.meta.filename)).build({ handler }),
    });
    const answer = await server.send("/x");
    expect([answer.status, answer.text.includes("is the only one")]).toEqual([200, true]);
    expect(handler).not.toHaveBeenCalled();
  });
});
