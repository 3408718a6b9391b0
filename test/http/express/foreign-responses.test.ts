import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import express from "express";
import { attachRouting, createConfig, defaultEndpointsFactory as factory } from "sallyport";
import { expect, onTestFinished, test } from "vitest";
import { createRecorder, send, start, successEnvelope } from "../harness.ts";

const serve = async (app: RequestListener): Promise<number> => {
  const server = createHttpServer(app).listen(0, "127.0.0.1");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
};

const routing = {
  pipe: factory.buildVoid({
    handler: ({ response }) => void Readable.from(["a", "b"]).pipe(response),
  }),
  write: factory.buildVoid({
    handler: ({ response }) => {
      response.write("a");
      response.end("b");
    },
  }),
};

test.each(["/pipe", "/write"])(
  "HEAD %s ends without a body on a response that another server has created",
  async (path) => {
    const app = express();
    const { logger } = createRecorder();
    attachRouting(createConfig({ app, cors: false, logger }), routing);
    const own = await start(routing);
    for (const port of [await serve(app), await serve(own.app)]) {
      expect((await send(port, path, { method: "HEAD" })).status).toBe(200);
      expect((await send(port, path)).text).toBe("ab");
    }
  },
);

test("HEAD is answered by a server that rejects bodies where there are none", async () => {
  const options = { rejectNonStandardBodyWrites: true };
  const server = await start(
    { a: factory.build({ handler: () => ({ b: 1 }) }) },
    { http: { listen: 0, options } },
  );
  for (const [path, status] of [
    ["/a", 200],
    ["/none", 404],
  ] as const)
    expect((await server.send(path, { method: "HEAD" })).status).toBe(status);
});

test("an application of Express that a factory uses leaves requests and responses as they were", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sallyport-foreign-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "a.txt");
  writeFileSync(file, "a file");
  const app = express().use((_request, response, next) => {
    response.locals["user"] = "ada";
    next();
  });
  const server = await start({
    file: factory.use(app).buildVoid({ handler: ({ response }) => response.sendFile(file) }),
    locals: factory.use(app).build({ handler: ({ response }) => ({ ...response.locals }) }),
  });
  expect((await server.send("/file")).text).toBe("a file");
  expect((await server.send("/locals")).json()).toEqual(successEnvelope({ user: "ada" }));
});

test("`locals` of the prototype of a response is not shared between requests", async () => {
  const server = await start({
    read: factory.build({
      handler: ({ response }) => {
        const { locals } = Object.getPrototypeOf(response) as { locals?: { count?: number } };
        return { count: locals && (locals.count = (locals.count ?? 0) + 1) };
      },
    }),
  });
  const counts = [];
  for (let times = 0; times < 2; times += 1) counts.push((await server.send("/read")).text);
  expect(counts[1]).toBe(counts[0]);
});

test("an application that a hook mounts is also served by another server", async () => {
  const inner = express()
    .use((_request, response, next) => {
      response.locals["user"] = "ada";
      next();
    })
    .get("/who", (_request, response) => void response.json(response.locals));
  const server = await start({}, { beforeRouting: ({ app }) => void app.use("/inner", inner) });
  expect((await server.send("/inner/who")).json()).toEqual({ user: "ada" });
  expect((await send(await serve(inner), "/who")).json()).toEqual({ user: "ada" });
});

test("files are sent after an application that a router of a hook uses", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sallyport-foreign-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "a.txt");
  writeFileSync(path, "a file");
  const inner = express().use((_request, _response, next) => next());
  const server = await start(
    { file: factory.buildVoid({ handler: ({ response }) => response.sendFile(path) }) },
    { beforeRouting: ({ app }) => void app.use(express.Router().use(inner)) },
  );
  expect((await server.send("/file")).text).toBe("a file");
});

test("`response.locals` reaches applications that are mounted by other means than `use`", async () => {
  const inner = express().get("/", (_request, response) => void response.json(response.locals));
  const server = await start(
    {},
    {
      beforeRouting: ({ app }) => {
        app.use((_request, response, next) => {
          response.locals["user"] = "ada";
          next();
        });
        app.use(express.Router().use("/sub", inner));
      },
    },
  );
  expect((await server.send("/sub")).json()).toEqual({ user: "ada" });
});
