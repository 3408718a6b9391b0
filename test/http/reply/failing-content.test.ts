import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { Response } from "express";
import createHttpError from "http-errors";
import {
  defaultEndpointsFactory as factory,
  EndpointsFactory,
  ensureHttpError,
  ez,
  ResultHandler,
} from "sallyport";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { errorEnvelope, start } from "../harness.ts";

let directory = "";
let root = "";
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "sallyport-failing-content-"));
  root = join(directory, "root");
  await mkdir(join(root, "folder"), { recursive: true });
  await writeFile(join(root, "ten.txt"), "0123456789");
  await writeFile(join(directory, "secret.txt"), "secret");
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** A result handler that changes no header fields except those of its own body. */
const plainHandler = new ResultHandler({
  positive: z.any(),
  negative: z.any(),
  handler: ({ error, response }) => {
    const { statusCode, message } = ensureHttpError(error);
    response.status(statusCode).json({ message });
  },
});
const plain = new EndpointsFactory(plainHandler);

const begin = () =>
  start({
    file: plain.build({
      input: z.object({ path: z.string() }),
      output: ez.file("application/pdf", { fileName: "a.pdf" }),
      handler: ({ input: { path } }) => ({ path, root, maxAge: 3600 }),
    }),
    stream: plain.build({
      output: ez.stream("text/csv", { fileName: "a.csv" }),
      handler: ({ response }) => {
        response.set({ "Cache-Control": "public, max-age=3600", ETag: '"a"' });
        response.set("Content-Range", "bytes 0-9/10");
        return new Readable({
          read() {
            this.destroy(createHttpError(404, "There are none"));
          },
        });
      },
    }),
    folder: factory.build({
      input: z.object({ path: z.string() }),
      output: ez.file(),
      handler: ({ input: { path } }) => ({ path, root }),
    }),
  });

describe("an error in place of content", () => {
  test.each([
    ["/file?path=none.pdf", 404],
    ["/file?path=folder", 404],
    // a file outside the root, which must not be described
    ["/file?path=../secret.txt", 403],
    ["/stream", 404],
  ])(
    "has none of the header fields of the content, whatever the result handler: %s",
    async (target, status) => {
      const answer = await (await begin()).send(target);
      expect([answer.status, answer.json()]).toEqual([status, { message: expect.any(String) }]);
      const { headers } = answer;
      expect(headers["content-type"]).toBe("application/json; charset=utf-8");
      expect(headers["content-disposition"]).toBeUndefined();
      expect(headers["last-modified"]).toBeUndefined();
      expect(headers["content-range"]).toBeUndefined();
      expect(headers["cache-control"]).toBe("no-store");
      expect(headers.etag).toBeUndefined();
    },
  );

  test("keeps the size of the file if a range cannot be satisfied", async () => {
    const headers = { range: "bytes=20-" };
    const answer = await (await begin()).send("/file?path=ten.txt", { headers });
    expect([answer.status, answer.headers["content-range"]]).toEqual([416, "bytes */10"]);
    expect(answer.headers["cache-control"]).toBe("no-store");
  });

  test("is a 404 if the file is a directory", async () => {
    const server = await begin();
    const answer = await server.send("/folder?path=folder");
    expect([answer.status, answer.json()]).toEqual([404, errorEnvelope("Not Found")]);
    expect(server.linesOf("error")).toEqual([]);
  });
});

describe("a stream that is not sent is closed", () => {
  const around = (act: (response: Response) => unknown) =>
    factory.addMiddleware({
      around: async ({ response }, next) => {
        const passed = await next();
        await act(response);
        return passed;
      },
    });
  const late = around(() => sleep(60));
  test.each([
    ["an `around` middleware throws", around(() => Promise.reject(createHttpError(418)))],
    ["an `around` middleware sends something else", around((response) => response.send("own"))],
    ["the time limit expires while an `around` middleware goes on", late, 20],
    [
      "a native middleware fails late",
      factory
        .use((_request, _response, next) => {
          next();
          setTimeout(() => next(createHttpError(418)), 20);
        })
        .addMiddleware({
          around: async (_args, next) => {
            const passed = await next();
            await sleep(60);
            return passed;
          },
        }),
    ],
  ])("when %s", async (_when, own, timeout = 60_000) => {
    const stream = new Readable({ read: () => undefined });
    const server = await start({
      "/": own.build({ timeout, output: ez.stream("text/plain"), handler: () => stream }),
    });
    await server.send("/");
    await expect.poll(() => stream.destroyed).toBe(true);
  });
});
