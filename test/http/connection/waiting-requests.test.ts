import { AsyncLocalStorage } from "node:async_hooks";
import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { connect } from "node:net";
import express from "express";
import { attachRouting, createConfig, defaultEndpointsFactory as factory } from "sallyport";
import { expect, onTestFinished, test } from "vitest";
import { createRecorder, start } from "../harness.ts";

const head = (path: string, ...fields: readonly string[]): string =>
  [`GET ${path} HTTP/1.1`, "Host: a", ...fields, "", ""].join("\r\n");

const sleep = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Sends pipelined requests, and returns everything received until the connection closes. */
const converse = async (port: number, text: string): Promise<string> => {
  const socket = connect(port, "127.0.0.1");
  let received = "";
  socket.on("data", (piece: Buffer) => (received += piece.toString()));
  socket.write(text);
  await once(socket, "close");
  return received;
};

const listen = async (app: express.Express): Promise<number> => {
  const server = createHttpServer(app).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
};

const users = new AsyncLocalStorage<string>();

const enter: express.RequestHandler = (request, _response, next) => {
  const user = request.get("x-user");
  if (user === undefined) next();
  else users.run(user, next);
};

const whoami = factory.build({
  handler: async () => {
    await sleep(5);
    return { user: users.getStore() ?? null };
  },
});

const pipelined =
  head("/who", "X-User: ann") +
  head("/who", "X-User: bob") +
  head("/who") +
  head("/none", "Connection: close");

const listUsers = (text: string): string[] => text.match(/"user":[^}]*/g) ?? [];

test("a pipelined request runs in its own asynchronous context, not in that of the request before it", async () => {
  const app = express().use(enter);
  attachRouting(createConfig({ app, cors: false, logger: createRecorder().logger }), {
    who: whoami,
  });
  const port = await listen(app);
  const expected = ['"user":"ann"', '"user":"bob"', '"user":null'];
  expect(listUsers(await converse(port, pipelined))).toEqual(expected);

  const hooked = await start(
    { who: whoami },
    { beforeRouting: ({ app: own }) => void own.use(enter) },
  );
  expect(listUsers(await hooked.raw(pipelined))).toEqual(expected);

  const sending = factory.use(enter).build({
    handler: async ({ response }) => {
      await sleep(5);
      return response.json({ user: users.getStore() ?? null });
    },
  });
  const used = await start({ who: sending });
  expect(listUsers(await used.raw(pipelined))).toEqual(expected);
});

test("a request that waits behind a route of the user's own is answered", async () => {
  const app = express();
  app.get("/own", async (_request, response) => {
    await sleep(20);
    response.send("own");
  });
  attachRouting(createConfig({ app, cors: false, logger: createRecorder().logger }), {
    who: whoami,
  });
  const port = await listen(app);
  const text = head("/own") + head("/who") + head("/own") + head("/who", "Connection: close");
  expect((await converse(port, text)).match(/own$|^own|"user":null|own(?=HTTP)/gm)).toEqual([
    "own",
    '"user":null',
    "own",
    '"user":null',
  ]);
});
