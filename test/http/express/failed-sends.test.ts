import { once } from "node:events";
import { tmpdir } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import express, { type RequestHandler, type Response } from "express";
import {
  attachRouting,
  defaultEndpointsFactory as factory,
  EndpointsFactory,
  ResultHandler,
} from "sallyport";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { errorEnvelope, send, start, successEnvelope } from "../harness.ts";

const missing = "/no/such/file";
const page = "no-such-page";
const notFound = [404, errorEnvelope("Not Found")];
const noEngine = expect.stringMatching(/^No default engine was specified/) as string;

/** Files that Express cannot send, with and without a callback, and the expected responses. */
const cases: [string, (response: Response, done: (error?: unknown) => void) => void, unknown[]][] =
  [
    ["sendFile with a callback", (response, done) => response.sendFile(missing, done), notFound],
    [
      "sendFile with options and a callback",
      (response, done) => response.sendFile("b.txt", { root: missing }, done),
      notFound,
    ],
    [
      "sendFile of a directory with a callback",
      (response, done) => response.sendFile(tmpdir(), done),
      [500, errorEnvelope("EISDIR, read")],
    ],
    ["download with a callback", (response, done) => response.download(missing, done), notFound],
    [
      "render with a callback",
      (response, done) => response.render(page, done),
      [500, errorEnvelope(noEngine)],
    ],
    ["sendFile", (response) => response.sendFile(missing), notFound],
    ["download", (response) => response.download(missing), notFound],
    ["render", (response) => response.render(page), [500, errorEnvelope(noEngine)]],
  ];

describe("a file that Express cannot send", () => {
  test.each(cases)(
    "causes an error response from an endpoint: %s",
    async (_what, fail, expected) => {
      const endpoint = factory.build({
        handler: ({ response }) =>
          new Promise((resolve, reject) => {
            fail(response, (error) => (error ? reject(error) : resolve({})));
          }),
      });
      const answer = await (await start({ endpoint })).send("/endpoint");
      expect([answer.status, answer.json()]).toEqual(expected);
    },
  );

  test.each(cases)(
    "causes an error response from a native middleware: %s",
    async (_what, fail, expected) => {
      const native: RequestHandler = (_request, response, next) => fail(response, next);
      const routed = express.Router().use(native);
      const build = (middleware: RequestHandler) =>
        factory.use(middleware).build({ handler: () => ({ isReached: true }) });
      const server = await start({ native: build(native), routed: build(routed) });
      for (const path of ["/native", "/routed"]) {
        const answer = await server.send(path);
        expect([path, answer.status, answer.json()]).toEqual([path, ...expected]);
      }
    },
  );

  test("lets the endpoint respond if the file is a directory, for which Express calls next", async () => {
    const native = factory
      .use((_request, response) => response.sendFile(tmpdir()))
      .build({ handler: () => ({ isReached: true }) });
    const answer = await (await start({ native })).send("/native");
    expect([answer.status, answer.json()]).toEqual([200, successEnvelope({ isReached: true })]);
  });
});

const plain = new ResultHandler({
  positive: z.object({}),
  negative: z.object({ why: z.string() }),
  handler: ({ error, output, response }) => {
    if (error) response.status(error.statusCode ?? 500).json({ why: error.message });
    else response.json(output);
  },
});

describe("a response that Express fails to send for a handler", () => {
  test.each<[string, (response: express.Response) => unknown, number]>([
    ["sendFile of a relative path", (response) => response.sendFile("relative.txt"), 500],
    ["render without an engine", (response) => response.render("none"), 500],
    ["sendFile of a missing file", (response) => response.sendFile("/missing/file"), 404],
    [
      "format without a match",
      (response) => response.format({ "text/x-none": () => undefined }),
      406,
    ],
  ])(
    "causes an error without a path, which the endpoint's result handler sends: %s",
    async (_name, act, status) => {
      const endpoint = new EndpointsFactory(plain).build({
        handler: async ({ response }) => {
          act(response);
          return {};
        },
      });
      const headers = { accept: "image/png" };
      const bare = await start({ a: endpoint });
      const stacked = await start(
        { a: endpoint },
        { beforeRouting: ({ app }) => void app.use(express.json()) },
      );
      for (const server of [bare, stacked]) {
        const answer = await server.send("/a", { headers });
        expect(answer.status).toBe(status);
        expect(answer.json()).toEqual({ why: expect.any(String) as string });
        expect(answer.text).not.toContain("/missing");
      }
      const app = express();
      attachRouting({ app, cors: false, logger: bare.logger }, { a: endpoint });
      const own = app.listen(0, "127.0.0.1");
      await once(own, "listening");
      const { port } = own.address() as { port: number };
      const answer = await send(port, "/a", { headers });
      own.close();
      expect([answer.status, answer.json()]).toEqual([
        status,
        { why: expect.any(String) as string },
      ]);
    },
  );

  test("gets no second response if the error handler is slow", async () => {
    const results: (string | undefined)[] = [];
    const slow = new ResultHandler({
      positive: z.object({}),
      negative: z.object({}),
      handler: async ({ error, response }) => {
        results.push(error?.message);
        await sleep(20);
        response.status(error?.statusCode ?? 200).json({ isError: error !== null });
      },
    });
    const endpoint = new EndpointsFactory(slow).build({
      handler: async ({ response }) => {
        response.format({ "text/x-none": () => undefined });
        return {};
      },
    });
    const answer = await (
      await start({ a: endpoint })
    ).send("/a", { headers: { accept: "image/png" } });
    expect([answer.status, answer.json()]).toEqual([406, { isError: true }]);
    await sleep(40);
    expect(results).toEqual(["Not Acceptable"]);
  });
});
