import express, { type RequestHandler } from "express";
import { defaultEndpointsFactory as factory } from "sallyport";
import { describe, expect, test, vi } from "vitest";
import { errorEnvelope, start } from "./harness.ts";

describe("a native middleware that sends a file", () => {
  const sending =
    (path: string): RequestHandler =>
    (_request, response) =>
      response.sendFile(path);
  const routing = (path: string): RequestHandler =>
    express.Router().get("/x", sending(path)) as RequestHandler;

  test.each([
    ["itself", sending],
    ["on a router", routing],
  ])("%s, is answered with 404 where it is missing, without its path", async (_name, make) => {
    vi.stubEnv("NODE_ENV", "development");
    const handler = vi.fn(() => ({}));
    const missing = "/no/such/file";
    const server = await start({ x: factory.use(make(missing)).build({ handler }) });
    const answer = await server.send("/x");
    vi.unstubAllEnvs();
    expect([answer.status, answer.json()]).toEqual([404, errorEnvelope("Not Found")]);
    expect(handler).not.toHaveBeenCalled();
    expect(server.linesOf("error")).toEqual([]);
  });

  test.each([
    ["itself", sending],
    ["on a router", routing],
  ])("%s, passes on where it is a directory, as on Express", async (_name, make) => {
    const server = await start({
      x: factory.use(make(import.meta.dirname)).build({ handler: () => ({}) }),
    });
    expect((await server.send("/x")).status).toBe(200);
  });

  test("is the only one to answer where the file is there", async () => {
    const handler = vi.fn(() => ({}));
    const server = await start({
      x: factory.use(sending(import.meta.filename)).build({ handler }),
    });
    const answer = await server.send("/x");
    expect([answer.status, answer.text.includes("is the only one")]).toEqual([200, true]);
    expect(handler).not.toHaveBeenCalled();
  });
});
