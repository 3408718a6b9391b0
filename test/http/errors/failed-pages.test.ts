import { tmpdir } from "node:os";
import type { Response } from "express";
import createHttpError from "http-errors";
import { EndpointsFactory, ensureHttpError, ResultHandler, type ServerConfig } from "sallyport";
import { testEndpoint } from "sallyport/testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { start } from "../harness.ts";

const missing = "/no/such/page.html";
const page = "no-such-page";

/** Error pages that Express cannot send. */
const cases: [string, (response: Response) => void][] = [
  ["sendFile", (response) => response.sendFile(missing)],
  ["a directory", (response) => response.sendFile(tmpdir())],
  ["download", (response) => response.download(missing)],
  ["render", (response) => response.render(page)],
  ["asynchronous render", (response) => response.render("slow")],
];

/** Creates a result handler whose error page cannot be sent, and counts its runs. */
const createPages = (fail: (response: Response) => void) => {
  const runs = { count: 0 };
  const handler = new ResultHandler({
    positive: z.any(),
    negative: z.any(),
    handler: ({ response, error, output }) => {
      if (error) {
        runs.count++;
        response.status(ensureHttpError(error).statusCode);
        fail(response);
      } else response.json(output);
    },
  });
  return { handler, runs };
};

/** Adds a template engine that fails later. */
const beforeRouting: ServerConfig["beforeRouting"] = ({ app }) => {
  app.engine("ts", (_path, _options, done) => {
    setTimeout(() => done(new Error("broken template")), 2);
  });
  app.set("view engine", "ts").set("views", import.meta.dirname);
  app.get("/fails", () => {
    throw createHttpError(409, "taken");
  });
};
const configs: [string, Partial<ServerConfig>][] = [
  ["with hooks", { beforeRouting }],
  ["without hooks", {}],
];

describe.each(configs)("an error page that cannot be sent, %s", (_with, config) => {
  test.each(cases)("from an endpoint's result handler causes a 500: %s", async (_what, fail) => {
    const { handler, runs } = createPages(fail);
    const endpoint = new EndpointsFactory(handler).build({
      handler: () => {
        throw createHttpError(409, "taken");
      },
    });
    const server = await start({ endpoint }, config);
    const { status, text } = await server.send("/endpoint");
    expect([status, text, runs.count]).toEqual([500, "Internal Server Error", 1]);
    expect(server.linesOf("error")).toHaveLength(1);
  });

  test.each(cases)("from the configured error handler causes a 500: %s", async (_what, fail) => {
    const { handler, runs } = createPages(fail);
    const server = await start({}, { ...config, errorHandler: handler });
    for (const path of ["/unknown", "/fails"]) {
      runs.count = 0;
      const { status, text } = await server.send(path);
      expect([status, text, runs.count]).toEqual([500, "Internal Server Error", 1]);
    }
    expect(server.linesOf("error")).toHaveLength(2);
  });
});

describe("an error page that cannot be sent", () => {
  test.each(cases)("causes a 500 in testEndpoint: %s", async (_what, fail) => {
    const endpoint = new EndpointsFactory(createPages(fail).handler).build({
      handler: () => {
        throw createHttpError(409, "taken");
      },
    });
    const { responseMock } = await testEndpoint({ endpoint });
    expect(responseMock._getStatusCode()).toBe(500);
  });
});

test("an output that cannot be sent as a file goes to the result handler once more", async () => {
  const seen: unknown[] = [];
  const handler = new ResultHandler({
    positive: z.any(),
    negative: z.any(),
    handler: ({ response, error }) => {
      seen.push(error?.message);
      if (error) response.status(404).send("no file");
      else response.sendFile(missing);
    },
  });
  const endpoint = new EndpointsFactory(handler).build({ handler: async () => ({}) });
  const { status, text } = await (await start({ endpoint })).send("/endpoint");
  expect([status, text, seen]).toEqual([404, "no file", [undefined, "Not Found"]]);
});
