import { once } from "node:events";
import { createServer, IncomingMessage, type Server } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { finished } from "node:stream/promises";
import { PassThrough } from "node:stream";
import { afterEach, expect, test, vi } from "vitest";
import { endQuietly } from "./shortcuts.ts";

let server: Server | undefined;

afterEach(() => {
  vi.restoreAllMocks();
  server?.close();
});

/** Serves one request, and waits until the request and the response have closed. */
const serve = async (
  isQuiet: boolean,
  message: string,
  handle: (request: IncomingMessage) => void = () => undefined,
): Promise<IncomingMessage & { wasQuiet?: boolean }> => {
  class Request extends IncomingMessage {
    wasQuiet?: boolean;
    _dump(): void {
      if (isQuiet) this.wasQuiet = endQuietly(this);
      const { _dump: dump } = IncomingMessage.prototype as unknown as { _dump: () => void };
      if (this.wasQuiet !== true) dump.call(this);
    }
  }
  server = createServer({ IncomingMessage: Request });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.resume().write(message);
  const [request, response] = (await once(server, "request")) as [
    Request,
    { end: (body: string) => void },
  ];
  handle(request);
  await new Promise(setImmediate);
  response.end("x");
  await once(response as never, "close");
  for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
  socket.destroy();
  return request;
};

const get = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
const post = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc";

const toState = (request: IncomingMessage): object => ({
  ended: request.readableEnded,
  destroyed: request.destroyed,
  closed: request.closed,
  readable: request.readable,
  aborted: request.readableAborted,
  errored: request.errored,
  complete: request.complete,
  length: request.readableLength,
});

test("leaves a request without a body in the same state as Node does", async () => {
  const quiet = await serve(true, get);
  expect(quiet.wasQuiet).toBe(true);
  expect(toState(quiet)).toEqual(toState(await serve(false, get)));
  await finished(quiet);
  expect(endQuietly(quiet)).toBe(true);
});

test.each(["end", "close"])("emits `%s` on a request that has a listener for it", async (name) => {
  let calls = 0;
  const request = await serve(true, get, (one) => void one.on(name, () => calls++));
  expect([request.wasQuiet, calls]).toEqual([false, 1]);
});

test("lets Node end a request whose body has not been read", async () => {
  const quiet = await serve(true, post);
  expect(quiet.wasQuiet).toBe(false);
  expect(toState(quiet)).toEqual(toState(await serve(false, post)));
});

test("does not keep a reader from receiving the whole body", async () => {
  let text = "";
  await serve(true, post, (one) => void one.on("data", (piece: Buffer) => (text += String(piece))));
  expect(text).toBe("abc");
});

/** Reads a body as soon as it has arrived, before Node has parsed its end, and ends the request. */
const readWhole = async (): Promise<readonly unknown[]> => {
  vi.resetModules();
  const { shortcuts } = await import("./shortcuts.ts");
  let resolve: (seen: readonly unknown[]) => void = () => undefined;
  const promise = new Promise<readonly unknown[]>((settle) => (resolve = settle));
  server = createServer(async (request, response) => {
    await Promise.resolve();
    const body = String(request.read(3));
    const ending = shortcuts.endBody(request);
    const { complete } = request;
    const ends = request.listenerCount("end");
    await ending;
    const { readableEnded, closed } = request;
    resolve([body, complete, ends, readableEnded, closed]);
    response.end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.resume().write(post);
  const seen = await promise;
  socket.destroy();
  return seen;
};

test("ends a request once Node has parsed the end of its body", async () => {
  expect(await readWhole()).toEqual(["abc", false, 0, true, true]);
});

test("waits for `end` if streams do not emit `readable` at their end", async () => {
  vi.spyOn(PassThrough.prototype, "push").mockReturnValue(true);
  expect(await readWhole()).toEqual(["abc", false, 1, true, true]);
});
