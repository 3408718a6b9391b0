import { tmpdir } from "node:os";
import express, { type RequestHandler, type Response } from "express";
import { defaultEndpointsFactory as factory } from "sallyport";
import { describe, expect, test } from "vitest";
import { errorEnvelope, start, successEnvelope } from "../harness.ts";

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
