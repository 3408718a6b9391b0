import { once } from "node:events";
import {
  createServer,
  IncomingMessage,
  ServerResponse,
  STATUS_CODES,
  type Server,
} from "node:http";
import { createServer as createTlsServer } from "node:https";
import { connect, type AddressInfo, type Socket } from "node:net";
import { PassThrough, pipeline, Readable } from "node:stream";
import { connect as connectTls } from "node:tls";
import { afterEach, describe, expect, test } from "vitest";
import { parserPaused } from "../../src/basics/http/node-internals.ts";
import { writeHead } from "../../src/wire/shortcuts/shortcuts.ts";
import { collect, exchangeInMemory } from "../../src/front/testing/exchange-in-memory.ts";
import { createCertificate, hasCertificates } from "./certificate.ts";

const running = new Set<Server>();

afterEach(() => {
  for (const server of running) {
    server.closeAllConnections();
    server.close();
  }
  running.clear();
});

const listen = async (server: Server): Promise<number> => {
  running.add(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
};

const open = async (server: Server): Promise<Socket> => {
  const socket = connect(await listen(server), "127.0.0.1");
  socket.on("error", () => undefined);
  await once(socket, "connect");
  return socket;
};

const get = (...fields: readonly string[]): string =>
  ["GET / HTTP/1.1", "Host: a", ...fields, "", ""].join("\r\n");

/** These tests check the internals named in `src/basics/http/node-internals.ts`. */
describe("undocumented assumptions about node:http", () => {
  test("`_headerSent` tells whether the head was sent, by the next turn of the event loop at the latest", async () => {
    const seen: unknown[] = [];
    const server = createServer((_request, response) => {
      const note = () => seen.push((response as { _headerSent?: boolean })._headerSent);
      note();
      response.writeHead(200);
      note();
      response.write("x");
      setImmediate(() => {
        note();
        response.end();
      });
    });
    const socket = await open(server);
    socket.write(get());
    socket.resume();
    while (seen.length < 3) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(seen).toEqual([false, false, true]);
  });

  test("nothing else refers to the memory of a chunk of a body", async () => {
    const received: string[] = [];
    const server = createServer((request, response) => {
      request.on("data", (piece: Buffer) => {
        received.push(piece.toString());
        // an upload also detaches each chunk after copying it; `transfer` is missing before Node.js 21
        const { buffer, byteLength } = piece;
        if (buffer.byteLength === byteLength)
          (buffer as { transfer?: (length: number) => unknown }).transfer?.(0);
      });
      request.on("end", () => response.end());
    });
    const socket = await open(server);
    const arrived = once(server, "request");
    socket.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\n\r\n");
    await arrived;
    socket.write("abc");
    await expect.poll(() => received).toEqual(["abc"]);
    socket.write("def");
    await once(socket, "data");
    expect(received).toEqual(["abc", "def"]);
    const next = once(server, "request");
    socket.write(get());
    await next;
  });

  test("`pipe` listens for `unpipe` at once, and `pipeline` with an iterable listens for `drain`", () => {
    const create = () => new ServerResponse(new IncomingMessage(new PassThrough() as never));
    const piped = create();
    new PassThrough().pipe(piped);
    expect(piped.listenerCount("unpipe")).toBe(1);
    const fed = create();
    const never = async function* () {
      await new Promise(() => undefined);
      yield "x";
    };
    pipeline(never(), fed, () => undefined);
    expect(fed.listenerCount("drain")).toBe(1);
    const streamed = create();
    pipeline(new Readable({ read: () => undefined }), streamed, () => undefined);
    expect(streamed.listenerCount("unpipe") + streamed.listenerCount("drain")).toBeGreaterThan(0);
  });

  test("`closeIdleConnections` calls `destroy` of a socket whose response has ended but is not sent", async () => {
    let own: Socket | undefined;
    const server = createServer((request, response) => {
      own = request.socket;
      response.end(Buffer.alloc(32 * 1024 * 1024));
    });
    const socket = await open(server);
    socket.write(get());
    await once(socket, "readable");
    if (!own) throw new Error("no socket");
    let calls = 0;
    own.destroy = () => {
      calls++;
      return socket;
    };
    server.closeIdleConnections();
    expect([calls, own.destroyed]).toEqual([1, false]);
    Reflect.deleteProperty(own, "destroy");
    server.closeIdleConnections();
    expect(own.destroyed).toBe(true);
  });

  test("a waiting response emits `socket` when it gets its connection", async () => {
    const seen: unknown[] = [];
    const server = createServer((_request, response) => {
      seen.push(response.socket !== null);
      response.once("socket", (given) => {
        seen.push(given === response.socket);
        response.end();
      });
      if (response.socket) setTimeout(() => response.end(), 20);
    });
    const socket = await open(server);
    socket.resume().write(get() + get("Connection: close"));
    await once(socket, "close");
    expect(seen).toEqual([true, false, true]);
  });

  test("the last response on a connection calls the socket's `destroySoon` when it emits `finish`", async () => {
    const seen: string[] = [];
    const server = createServer((request, response) => {
      response.setHeader("Connection", "close");
      const { socket } = request;
      socket.destroySoon = () => {
        seen.push("destroySoon");
        socket.end();
      };
      response.once("finish", () => seen.push("finish"));
      response.end();
    });
    const socket = await open(server);
    socket.resume().write(get());
    await once(socket, "close");
    expect(seen).toEqual(["destroySoon", "finish"]);
  });

  test.skipIf(!hasCertificates)(
    "a listener for `data` receives the data that arrives over TLS, and a paused socket also pauses the parser",
    async () => {
      const { key, cert } = createCertificate();
      let heard = 0;
      const handled: unknown[] = [];
      const server = createTlsServer({ key, cert }, (request, response) => {
        handled.push(request.url);
        response.end();
      });
      let own: Socket | undefined;
      server.on("secureConnection", (socket: Socket) => {
        own = socket;
        socket.on("data", (piece: Buffer) => (heard += piece.length));
      });
      const socket = connectTls({
        port: await listen(server),
        host: "127.0.0.1",
        rejectUnauthorized: false,
      });
      await once(socket, "secureConnect");
      socket.write(get());
      await once(socket, "data");
      expect([heard, handled]).toEqual([get().length, ["/"]]);
      own?.pause();
      socket.write(get());
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect([heard, handled.length]).toEqual([get().length, 1]);
      own?.resume();
      await once(socket, "data");
      expect([heard, handled.length]).toEqual([2 * get().length, 2]);
      socket.destroy();
    },
  );

  test.skipIf(!hasCertificates)(
    "without a listener, data that comes over TLS is lost if Node has paused the parser",
    async () => {
      const server = createTlsServer(createCertificate(), (_request, response) => {
        response.end("x".repeat(4 * 1024 * 1024));
      });
      const failed = once(server, "clientError");
      const socket = connectTls({
        port: await listen(server),
        host: "127.0.0.1",
        rejectUnauthorized: false,
      });
      socket.on("error", () => undefined);
      await once(socket, "secureConnect");
      // the second request is parsed while the first response waits to be read; the rest has arrived together with that request
      const post = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 300000\r\n\r\n";
      socket.write(get() + get() + post + "x".repeat(300_000));
      const [error] = (await failed) as [NodeJS.ErrnoException];
      expect(error.code).toBe(parserPaused);
      socket.destroy();
    },
  );

  test("a head written by Node can be reused for the next response", async () => {
    const server = createServer((_request, response) => {
      writeHead(response, 207, "text/plain", 1);
      response.end("x");
      // Node would use this phrase if it wrote the second head, too
      STATUS_CODES[207] = "Exchanged";
    });
    const phrase = STATUS_CODES[207];
    const socket = await open(server);
    let text = "";
    socket.on("data", (piece: Buffer) => (text += piece.toString()));
    try {
      for (const count of [1, 2]) {
        socket.write(get());
        while (text.split("HTTP/1.1").length <= count) await once(socket, "data");
      }
    } finally {
      STATUS_CODES[207] = phrase;
    }
    expect(text.match(/HTTP\/1.1 .*/g)).toEqual([
      `HTTP/1.1 207 ${phrase}`,
      `HTTP/1.1 207 ${phrase}`,
    ]);
  });

  test("a stream with only a few of the members of a socket is served, as the test utilities require", async () => {
    const server = createServer((request, response) => {
      request.on("data", () => undefined).on("end", () => response.end("yes"));
    });
    const sent = { method: "POST", target: "/", headers: {}, body: Buffer.alloc(100_000) };
    expect(await exchangeInMemory(server, sent, collect)).toMatchObject({
      status: 200,
      isCut: false,
    });
  });

  test("a request's `_dump` is called once its response is sent, and changes to its `_readableState` end the request", async () => {
    const seen: unknown[] = [];
    class Request extends IncomingMessage {
      _dump(): void {
        const { _readableState: state } = this as unknown as {
          readonly _readableState: Record<
            "closeEmitted" | "closed" | "destroyed" | "endEmitted",
            boolean
          >;
        };
        seen.push(this.complete, this.readableEnded, this.destroyed, this.closed);
        state.endEmitted = state.destroyed = state.closed = state.closeEmitted = true;
        seen.push(this.readableEnded, this.destroyed, this.closed);
      }
    }
    const server = createServer({ IncomingMessage: Request }, (_request, response) => {
      seen.push("handled");
      setTimeout(() => response.end("x"), 10);
    });
    const socket = await open(server);
    for (const _time of [1, 2]) {
      socket.write(get());
      await once(socket, "data");
    }
    const each = ["handled", true, false, false, false, true, true, true];
    expect(seen).toEqual([...each, ...each]);
  });

  test("a request emits `readable` when the end of its body is parsed, although nobody has asked for that", async () => {
    const seen: unknown[] = [];
    const emitter = process.getBuiltinModule("node:events").prototype;
    const server = createServer(async (request, response) => {
      emitter.on.call(request, "readable", () =>
        seen.push(request.complete, request.readableLength),
      );
      await Promise.resolve();
      seen.push(request.complete, String(request.read(3)));
      setImmediate(() => response.end("x"));
    });
    const socket = await open(server);
    socket.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc");
    await once(socket, "data");
    expect(seen).toEqual([false, "abc", true, 0]);
  });

  test("a response has one listener from Node, for `finish`, which calls `_dump` before other listeners are called", async () => {
    const seen: unknown[] = [];
    class Request extends IncomingMessage {
      _dump(): void {
        seen.push("dump");
      }
    }
    const server = createServer({ IncomingMessage: Request }, (_request, response) => {
      seen.push(response.listenerCount("finish"), response.listenerCount("close"));
      response.once("finish", () => seen.push("finish")).end("x");
    });
    const socket = await open(server);
    socket.write(get());
    await once(socket, "data");
    await new Promise(setImmediate);
    expect(seen).toEqual([1, 0, "dump", "finish"]);
    socket.destroy();
  });

  test("a head stored in `_header` is sent unchanged", async () => {
    const server = createServer((_request, response) => {
      const inside = response as unknown as { _header: string; _contentLength: number };
      inside._contentLength = 2;
      inside._header = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\n";
      response.end("ab");
    });
    const socket = await open(server);
    let text = "";
    socket.on("data", (piece: Buffer) => (text += piece.toString()));
    socket.write(get());
    await once(socket, "data");
    expect(text).toBe("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\nab");
  });
});
