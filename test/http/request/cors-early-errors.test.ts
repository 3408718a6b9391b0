import express from "express";
import createHttpError from "http-errors";
import {
  attachRouting,
  createConfig,
  defaultEndpointsFactory as factory,
  type CorsFunction,
  type ServerConfig,
} from "sallyport";
import { describe, expect, test, vi } from "vitest";
import { createRecorder, send, start, type Sent } from "../harness.ts";

const read = factory.build({ handler: async () => ({}) });
const write = factory.build({ method: "post", handler: async () => ({}) });
const routing = { "get item": read, "post item": write };
const origin = "access-control-allow-origin";

const rejections: [string, Partial<ServerConfig>][] = [
  [
    "a hook's middleware",
    {
      beforeRouting: ({ app }) => {
        app.use(() => {
          throw createHttpError(401, "Sign in");
        });
      },
    },
  ],
  [
    "`childLoggerProvider`",
    { childLoggerProvider: () => Promise.reject(createHttpError(401, "Sign in")) },
  ],
];

describe.each(rejections)("a request that %s rejects", (_by, config) => {
  test("has the headers of the cors function, which is called once", async () => {
    const cors = vi.fn<CorsFunction>(() => ({ "Access-Control-Allow-Origin": "https://a" }));
    const server = await start(routing, { ...config, cors });
    const cases: [Sent["method"], object][] = [
      ["GET", read],
      ["HEAD", read],
      ["POST", write],
      // the method has no endpoint, so the first one of the path is given, as for a 405
      ["DELETE", read],
    ];
    for (const [method, endpoint] of cases) {
      const { status, headers } = await server.send("/item", { method: method ?? "" });
      expect([method, status, headers[origin]]).toEqual([method, 401, "https://a"]);
      expect(cors).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ endpoint }));
      cors.mockClear();
    }
  });

  test("keeps its error if the cors function fails, which is logged", async () => {
    const cors: CorsFunction = () => {
      throw new Error("no origins");
    };
    const server = await start(routing, { ...config, cors });
    const { status, headers } = await server.send("/item");
    expect([status, headers[origin]]).toEqual([401, undefined]);
    expect(server.linesOf("error")).toHaveLength(1);
  });
});

test("a cors function is not called for a rejected request whose path has no endpoint", async () => {
  const cors = vi.fn<CorsFunction>(() => ({}));
  const server = await start(routing, { ...rejections[0]?.[1], cors });
  expect((await server.send("/other")).status).toBe(401);
  expect(cors).not.toHaveBeenCalled();
});

test("a request that `childLoggerProvider` rejects has the headers of the cors function in an own application", async () => {
  const app = express();
  const { logger } = createRecorder();
  const cors: CorsFunction = () => ({ "Access-Control-Allow-Origin": "https://a" });
  const childLoggerProvider = () => Promise.reject(createHttpError(401, "Sign in"));
  attachRouting(createConfig({ app, logger, childLoggerProvider, cors }), routing);
  const server = app.listen(0);
  const { port } = server.address() as { port: number };
  const { status, headers } = await send(port, "/item");
  server.close();
  expect([status, headers[origin]]).toEqual([401, "https://a"]);
});
