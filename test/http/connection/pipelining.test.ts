import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { createServer as createHttpServer } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import express from "express";
import {
  attachRouting,
  createConfig,
  defaultEndpointsFactory as factory,
  ez,
  type Logger,
  type Routing,
} from "sallyport";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { createRecorder, start, untilStill } from "../harness.ts";
import { listStatuses } from "../replies.ts";

const head = (line: string, ...fields: readonly string[]): string =>
  [`${line} HTTP/1.1`, "Host: a", ...fields, "", ""].join("\r\n");
const json = "Content-Type: application/json";
const closing = head("GET /none", "Connection: close");

const sleep = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Creates an endpoint that reports when its handler runs, and that responds when the test releases it. */
const createGate = () => {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  const entered = vi.fn();
  const gate = factory.build({
    handler: async () => {
      entered();
      await opened;
      return {};
    },
  });
  return { gate, entered, open };
};

/** Creates an endpoint that records the inputs it receives. */
const createAct = () => {
  const acts: unknown[] = [];
  const act = factory.build({
    method: "post",
    input: z.looseObject({}),
    handler: ({ input }) => {
      acts.push(input["x"]);
      return {};
    },
  });
  return { act, acts };
};

const toAct = (x: unknown): string => {
  const body = JSON.stringify({ x });
  return head("POST /act", json, `Content-Length: ${body.length}`) + body;
};

const collect = (socket: Socket): (() => string) => {
  let text = "";
  socket.on("data", (piece: Buffer) => (text += piece.toString("latin1")));
  return () => text;
};

describe("a connection runs one request at a time", () => {
  const createCounting = () => {
    const counts = { running: 0, peak: 0, ran: 0 };
    const count = factory.build({
      handler: async () => {
        counts.peak = Math.max(counts.peak, ++counts.running);
        await sleep(1);
        counts.running--;
        counts.ran++;
        return {};
      },
    });
    return { counts, count };
  };

  test("W26: of 200 pipelined requests, only one runs at a time, and all get responses", async () => {
    const { counts, count } = createCounting();
    const socket = await (await start({ count })).open();
    const read = collect(socket);
    socket.write(head("GET /count").repeat(200) + closing);
    await once(socket, "close");
    expect(listStatuses(read())).toEqual([...Array<number>(200).fill(200), 404]);
    expect(counts).toEqual({ running: 0, peak: 1, ran: 200 });
  });

  test("W26: on a user's own application as well, one handler runs at a time", async () => {
    const { counts, count } = createCounting();
    const app = express();
    const { logger } = createRecorder();
    attachRouting(createConfig({ app, cors: false, logger }), { count });
    const server = createHttpServer(app).listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
    const read = collect(socket);
    socket.write(head("GET /count").repeat(20) + closing);
    await once(socket, "close");
    expect(listStatuses(read())).toEqual([...Array<number>(20).fill(200), 404]);
    expect(counts).toEqual({ running: 0, peak: 1, ran: 20 });
  });

  test("W26: no waiting request runs when its client leaves, and no file is left behind", async () => {
    const directory = await mkdtemp(join(tmpdir(), "sallyport-pipelining-"));
    onTestFinished(() => rm(directory, { recursive: true }));
    const { gate, entered, open } = createGate();
    const handler = vi.fn(() => ({}));
    const upload = factory.build({
      method: "post",
      input: z.object({ file: ez.upload() }),
      handler,
    });
    const options = { tempFileDir: directory, limits: { memory: 0 } };
    const server = await start({ gate, upload }, { upload: options });
    const part = `--b\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n${"x".repeat(30_000)}\r\n--b--\r\n`;
    const sending = head(
      "POST /upload",
      "Content-Type: multipart/form-data; boundary=b",
      `Content-Length: ${part.length}`,
    );
    const socket = await server.open();
    socket.write(head("GET /gate") + (sending + part).repeat(2));
    await expect.poll(() => entered.mock.calls.length).toBe(1);
    socket.resetAndDestroy();
    await server.untilLeft();
    open();
    await sleep(50);
    expect(handler).not.toHaveBeenCalled();
    await expect.poll(() => readdir(directory)).toEqual([]);
  });

  test("W26: no waiting request runs if its connection is cut just when that request is next", async () => {
    const cut = factory.build({
      handler: ({ response }) => {
        const { socket } = response;
        response.once("finish", () => socket?.destroy());
        return {};
      },
    });
    const { act, acts } = createAct();
    const socket = await (await start({ cut, act })).open();
    collect(socket);
    socket.write(head("GET /cut") + toAct(1));
    await once(socket, "close");
    await sleep(30);
    expect(acts).toEqual([]);
  });

  test("W26: while many requests wait, the server does not read from their connection", async () => {
    const { gate, entered, open } = createGate();
    const server = await start({ gate });
    const sockets: Socket[] = [];
    server.servers[0]?.on("connection", (one: Socket) => sockets.push(one));
    const client = await server.open();
    await expect.poll(() => sockets.length).toBe(1);
    const socket = sockets[0] as Socket;
    const read = collect(client);
    client.write(head("GET /gate"));
    await expect.poll(() => entered.mock.calls.length).toBe(1);
    // four megabytes are more than the kernel alone can buffer
    const flood = head("GET /gate", `X-Padding: ${"x".repeat(8000)}`);
    client.write(flood.repeat(500) + closing);
    expect(await untilStill(() => socket.bytesRead)).toBeLessThan(1_000_000);
    open();
    await once(client, "close");
    expect(listStatuses(read())).toEqual([...Array<number>(501).fill(200), 404]);
  });

  test("W26: a body that arrives while its request waits is read whole", async () => {
    const { gate, open } = createGate();
    const { act, acts } = createAct();
    const server = await start({ gate, act });
    const socket = await server.open();
    const read = collect(socket);
    const long = "x".repeat(500_000);
    socket.write(head("GET /gate") + toAct(long).slice(0, 300_000));
    await sleep(30);
    open();
    socket.write(toAct(long).slice(300_000) + closing);
    await once(socket, "close");
    expect(listStatuses(read())).toEqual([200, 200, 404]);
    expect(acts).toEqual([long]);
  });
});

describe("no later request on a connection runs", () => {
  const large = toAct("y".repeat(3000));
  const cases: readonly (readonly [name: string, bytes: string, status: number])[] = [
    ["two hosts", head("GET /act", "Host: b"), 400],
    [
      "a transfer coding in addition to chunked",
      `${head("POST /act", json, "Transfer-Encoding: gzip, chunked")}0\r\n\r\n`,
      400,
    ],
    ["a body over the limit", large, 413],
    [
      "an Expect: 100-continue for a missing path",
      `${head("POST /none", "Expect: 100-continue", "Content-Length: 5")}hello`,
      404,
    ],
    ["a request to close", head("GET /none", "Connection: close"), 404],
  ];

  test.each(cases)("W27: immediately after %s", async (_name, bytes, status) => {
    const { act, acts } = createAct();
    const server = await start({ act }, { bodyLimit: 1000 });
    const socket = await server.open();
    const read = collect(socket);
    socket.write(bytes + toAct("smuggled"));
    await once(socket, "close");
    expect(listStatuses(read())).toEqual([status]);
    expect(acts).toEqual([]);
  });

  test.each(cases)("W27: after the server has responded to %s", async (_name, bytes, status) => {
    const { act, acts } = createAct();
    const { port } = await start({ act }, { bodyLimit: 1000 });
    // the client keeps its side of the connection open when the server ends its own
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    const read = collect(socket);
    socket.write(bytes);
    await once(socket, "data");
    await sleep(20);
    socket.write(toAct("smuggled"));
    socket.end();
    await once(socket, "close");
    expect(listStatuses(read())).toEqual([status]);
    expect(acts).toEqual([]);
  });

  test("W19: after a bad chunk in a waiting request, which is rejected after the earlier responses", async () => {
    const { gate, open } = createGate();
    const { act, acts } = createAct();
    const socket = await (await start({ gate, act })).open();
    const read = collect(socket);
    const bad = `${head("POST /act", json, "Transfer-Encoding: chunked")}zz\r\n{}\r\n0\r\n\r\n`;
    socket.write(head("GET /gate") + toAct(1) + bad + toAct(2));
    await sleep(30);
    expect(read()).toBe("");
    open();
    await once(socket, "close");
    expect(listStatuses(read())).toEqual([200, 200, 400]);
    expect(acts).toEqual([1]);
  });

  test("W2: after garbage that arrives during a response, even if that response then fails", async () => {
    const late = factory.buildVoid({
      handler: ({ response }) => {
        response.on("error", () => undefined);
        response.write("part");
        setTimeout(() => {
          response.end("x");
          response.write("after the end");
        }, 50);
      },
    });
    const socket = await (await start({ late })).open();
    const read = collect(socket);
    socket.write(`${head("GET /late")}\u0000garbage\r\n\r\n`);
    await once(socket, "close");
    expect(listStatuses(read())).toEqual([200, 400]);
  });
});

describe("CONNECT after other requests", () => {
  const connecting = head("CONNECT a:1");

  test("W14: gets its 405 after their responses, including large ones", async () => {
    const { gate, entered, open } = createGate();
    const big: Routing[string] = factory.buildVoid({
      handler: async ({ response }) => {
        for (let count = 0; count < 30; count++)
          if (!response.write("x".repeat(200_000))) await once(response, "drain");
        response.end();
      },
    });
    const socket = await (await start({ gate, big })).open();
    const read = collect(socket);
    socket.write(head("GET /gate") + head("GET /big") + head("GET /none") + connecting);
    await expect.poll(() => entered.mock.calls.length).toBe(1);
    socket.pause();
    open();
    await sleep(50);
    socket.resume();
    await once(socket, "close");
    expect(listStatuses(read())).toEqual([200, 200, 404, 405]);
    expect(read().length).toBeGreaterThan(6_000_000);
  });

  test("W14: does not prevent the server from noticing that the client leaves", async () => {
    const left = vi.fn();
    const entered = vi.fn();
    const wait = factory.build({
      handler: async ({ signal }) => {
        entered();
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        left();
        return {};
      },
    });
    const socket = await (await start({ wait })).open();
    socket.write(head("GET /wait") + connecting);
    await expect.poll(() => entered.mock.calls.length).toBe(1);
    socket.resetAndDestroy();
    await expect.poll(() => left.mock.calls.length).toBe(1);
  });
});

describe("time limits end with the response to which they apply", () => {
  test("W23: a slow reader's time limit does not end the next request", async () => {
    const big: Routing[string] = factory.buildVoid({
      handler: ({ response }) => void response.type("text/plain").end(Buffer.alloc(12e6, 97)),
    });
    const slow = factory.build({
      handler: async () => {
        await sleep(1300);
        return {};
      },
    });
    const server = await start({ big, slow }, { responseIdleTimeout: 1000 });
    const socket = await server.open();
    socket.pause();
    socket.write(head("GET /big") + head("GET /slow") + closing);
    await sleep(100);
    let text = "";
    socket.on("data", (piece: Buffer) => {
      text = (text + piece.toString("latin1")).slice(-2000);
    });
    socket.resume();
    await once(socket, "close");
    expect(listStatuses(text)).toEqual([200, 404]);
  });
});

describe("a request with Expect: 100-continue whose body is sent at once", () => {
  const expecting = (path: string, body: string): string =>
    head(`POST ${path}`, json, "Expect: 100-continue", `Content-Length: ${body.length}`) + body;
  const childLoggerProvider = async ({ parent }: { readonly parent: Logger }) => {
    await sleep(30);
    return parent;
  };

  test("W17: keeps its connection if the body arrives before the logger is created", async () => {
    const { act, acts } = createAct();
    const server = await start({ act }, { childLoggerProvider });
    const socket = await server.open();
    const read = collect(socket);
    socket.write(expecting("/act", '{"x":1}') + closing);
    await once(socket, "close");
    expect(listStatuses(read())).toEqual([100, 200, 404]);
    expect(acts).toEqual([1]);
  });

  test("W17: gets the response that rejects a large body", async () => {
    const server = await start({});
    const socket = await server.open();
    const read = collect(socket);
    socket.pause();
    socket.write(expecting("/none", "x".repeat(3_000_000)).slice(0, 100_000));
    await sleep(30);
    socket.write("x".repeat(50_000));
    await sleep(30);
    socket.resume();
    await once(socket, "close");
    expect(listStatuses(read())).toEqual([404]);
  });
});
