import type { Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import createHttpError from "http-errors";
import { defaultEndpointsFactory as factory, EndpointsFactory, ez, ResultHandler } from "sallyport";
import { expect, test, vi } from "vitest";
import { z } from "zod";
import { start, type TestServer } from "../harness.ts";

const handler = vi.fn(() => ({}));
const take = factory.build({ method: "post", input: z.looseObject({}), handler });
const head = "POST /take HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n";

/** Waits until the server has written its response to the next request. */
const whenAnswered = ({ servers }: TestServer): Promise<void> =>
  new Promise((resolve) => {
    servers[0]?.once("request", (_request, response) => response.once("finish", resolve));
  });

/** Writes bytes, and waits until they have been sent. */
const write = (socket: Socket, bytes: string): Promise<unknown> =>
  new Promise((resolve) => socket.write(bytes, resolve));

/** Waits for the end of a connection, whatever error causes it. */
const whenClosed = (socket: Socket): Promise<unknown> =>
  new Promise((resolve) => {
    if (socket.closed) resolve(undefined);
    else socket.once("close", resolve);
  });

const chunk = `800\r\n${"x".repeat(2048)}\r\n`;

test.each([
  ["B7: a body of known length", "Content-Length: 1000000\r\n\r\n", "x".repeat(2048)],
  ["B8: a body in chunks", `Transfer-Encoding: chunked\r\n\r\n${chunk}`, chunk],
])(
  "%s: a client that sends everything before it reads gets the whole 413",
  async (_name, begin, more) => {
    const server = await start({ take }, { bodyLimit: 1000 });
    const socket = (await server.open()).pause();
    const answered = whenAnswered(server);
    await write(socket, head + begin);
    await answered;
    // a server that closed at once would reset the connection here, and the response would be lost
    for (let turn = 0; turn < 10; turn++) {
      await write(socket, more);
      await nextTurn();
    }
    let text = "";
    socket.on("data", (bytes: Buffer) => (text += bytes.toString())).resume();
    await whenClosed(socket);
    expect(text).toMatch(/^HTTP\/1\.1 413 .*"Content Too Large","code":"SLP_BODY_TOO_LARGE"\}\}$/s);
    expect(text).toMatch(/^connection: close\r$/im);
    expect(handler).not.toHaveBeenCalled();
  },
);

test.each([
  [
    "U5: an upload",
    "multipart/form-data; boundary=b",
    '--b\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n',
  ],
  ["B7: a body that nobody has begun to read", "application/json", ""],
])(
  "%s: after the 413, the server reads little more than 256 KiB from the client",
  async (...row) => {
    const [, type, begin] = row;
    const up = factory.build({
      method: "post",
      input: z.object({ file: ez.upload() }),
      handler,
    });
    const server = await start({ up }, { bodyLimit: 1000, upload: { limits: { fileSize: 1000 } } });
    let bytesRead = 0;
    server.servers[0]?.once("connection", (socket: Socket) => {
      socket.once("close", () => (bytesRead = socket.bytesRead));
    });
    const socket = (await server.open()).resume();
    socket.write(
      `POST /up HTTP/1.1\r\nHost: a\r\nContent-Type: ${type}\r\nContent-Length: 1000000000\r\n\r\n${begin}`,
    );
    const flood = "x".repeat(65_536);
    const sendOn = (): void => {
      while (socket.writable && socket.write(flood));
    };
    socket.on("drain", sendOn);
    sendOn();
    await whenClosed(socket);
    await expect.poll(() => bytesRead).toBeGreaterThan(0);
    // without that bound, a thousand times as much would be read
    expect(bytesRead).toBeLessThan(1024 * 1024);
    expect(handler).not.toHaveBeenCalled();
  },
);

test("a response that is sent while the body of the rejected request is still arriving is not cut off", async () => {
  let endReply = (): void => undefined;
  const slow = new EndpointsFactory(
    new ResultHandler({
      positive: z.string(),
      negative: z.string(),
      handler: ({ response }) => {
        response.status(403).write("re");
        endReply = () => void response.end("fused");
      },
    }),
  );
  const refuse = slow.addMiddleware({ handler: () => Promise.reject(createHttpError(403)) }).build({
    ...{ method: "post", input: z.looseObject({}), handler },
  });
  const server = await start({ refuse });
  const socket = await server.open();
  let text = "";
  socket.on("data", (bytes: Buffer) => (text += bytes.toString()));
  const type = "Content-Type: application/json";
  socket.write(`POST /refuse HTTP/1.1\r\nHost: a\r\n${type}\r\nTransfer-Encoding: chunked\r\n\r\n`);
  await expect.poll(() => text).toContain("re");
  socket.write(chunk.repeat(100));
  endReply();
  await whenClosed(socket);
  expect(text).toMatch(/fused/);
  expect(text).toMatch(/^connection: close\r$/im);
});

test.each([
  ["a long body", "close", `Content-Length: 100000\r\n\r\n${"x".repeat(1000)}`],
  [
    "a body in chunks, whose end is not in sight,",
    "close",
    `Transfer-Encoding: chunked\r\n\r\n${chunk}`,
  ],
  ["a short body", "keep-alive", `Content-Length: 1000\r\n\r\n${"x".repeat(1000)}`],
  ["no body", "keep-alive", "\r\n"],
])("the 401 of a native middleware to %s says %s", async (_name, connection, body) => {
  const guarded = factory
    .use((_request, response) => void setTimeout(() => response.status(401).json({}), 10))
    .build({ method: "post", handler });
  const server = await start({ guarded });
  const socket = await server.open();
  let text = "";
  socket.on("data", (bytes: Buffer) => (text += bytes.toString()));
  socket.write(`POST /guarded HTTP/1.1\r\nHost: a\r\n${body}`);
  await expect.poll(() => text).toMatch(/^HTTP\/1\.1 401 /);
  expect(text).toMatch(new RegExp(`^connection: ${connection}\r$`, "im"));
  if (connection === "close") await whenClosed(socket);
});
