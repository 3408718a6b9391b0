import { once } from "node:events";
import { createServer, IncomingMessage, OutgoingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Request } from "express";
import {
  defaultEndpointsFactory as factory,
  EventStreamFactory,
  type ServerConfig,
} from "sallyport";
import { expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { send, start } from "../harness.ts";
import { splitReplies } from "../replies.ts";

const echo = factory.build({
  method: ["get", "post"],
  input: z.object({ a: z.string() }),
  output: z.object({ a: z.string() }),
  handler: async ({ input }) => input,
});

const toRequest = (line: string, ...fields: readonly string[]): string =>
  [`${line} HTTP/1.1`, "Host: a", ...fields, "", ""].join("\r\n");

const toPost = (body: string): string =>
  toRequest("POST /echo", "Content-Type: application/json", `Content-Length: ${body.length}`) +
  body;

/** These requests are sent one after the other; from the second response of a kind on, heads are copied. */
const requests: Readonly<Record<string, string>> = {
  GET: toRequest("GET /echo?a=1"),
  "another GET": toRequest("GET /echo?a=longer"),
  "a GET with text beyond ASCII": toRequest("GET /echo?a=%E6%BC%A2"),
  POST: toPost('{"a":"1"}'),
  "an invalid POST": toPost('{"a":1}'),
  "a malformed POST": toPost('{"a":'),
  HEAD: toRequest("HEAD /echo?a=1"),
  "a 400": toRequest("GET /echo"),
  "a 404": toRequest("GET /none"),
  "a 405": toRequest("DELETE /echo"),
  OPTIONS: toRequest("OPTIONS /echo"),
  "keep-alive": toRequest("GET /echo?a=1", "Connection: keep-alive"),
};

/** Returns the bytes of each response, with the same Date in all of them. */
const listReplies = async (shortcuts: boolean): Promise<Record<string, string>> => {
  const server = await start({ echo }, { shortcuts });
  const replies: Record<string, string> = {};
  const socket = await server.open();
  let text = "";
  socket.on("data", (piece: Buffer) => (text += piece.toString("latin1")));
  for (const round of ["first", "second"])
    for (const [name, request] of Object.entries(requests)) {
      text = "";
      socket.write(request);
      // a server writes each of these responses at once
      await once(socket, "data");
      replies[`${round} ${name}`] = text;
    }
  socket.destroy();
  const get = requests["GET"] ?? "";
  for (const [name, bytes] of [
    ["HTTP/1.0", "GET /echo?a=1 HTTP/1.0\r\n\r\n"],
    [
      "HTTP/1.0, kept alive",
      "GET /echo?a=1 HTTP/1.0\r\nConnection: keep-alive\r\n\r\nGET x y\r\n\r\n",
    ],
    ["Connection: close", toRequest("GET /echo?a=1", "Connection: close")],
    ["pipelined", get.repeat(3) + toRequest("GET /none", "Connection: close")],
  ] as const)
    replies[name] = await server.raw(bytes);
  for (const [name, reply] of Object.entries(replies))
    replies[name] = reply.replaceAll(/^Date: .*$/gm, "Date");
  return replies;
};

test("the bytes of responses are the same with and without shortcuts", async () => {
  const replies = await listReplies(true);
  expect(await listReplies(false)).toEqual(replies);
  for (const reply of Object.values(replies)) expect(reply).toMatch(/^HTTP\/1\.1 \d{3} .*\r\n/);
  expect(splitReplies(replies["pipelined"] ?? "")).toHaveLength(4);
  expect(replies["second GET"]).toBe(replies["first GET"]);
});

test("a request ends without being read, even with an access log, unless a handler listens for the response's `close`", async () => {
  const flowing: unknown[] = [];
  const requests: Request[] = [];
  const routing = {
    a: factory.build({
      handler: async ({ request, response }) => {
        requests.push(request);
        if (request.query["listen"] !== undefined) response.once("close", () => undefined);
        return {};
      },
    }),
  };
  const emitted = vi.spyOn(IncomingMessage.prototype, "read");
  const server = await start(routing);
  for (const target of ["/a", "/a?listen"]) {
    emitted.mockClear();
    expect((await server.send(target)).status).toBe(200);
    await server.untilLeft();
    flowing.push(emitted.mock.contexts.includes(requests.at(-1)));
  }
  emitted.mockRestore();
  expect(requests.map((request) => request.readableEnded)).toEqual([true, true]);
  expect(flowing).toEqual([false, true]);
  expect(server.lines.filter(({ message }) => message.startsWith("GET: "))).toHaveLength(2);
});

test("a request whose body arrives with its head ends before the handler runs, without being resumed", async () => {
  const seen: unknown[] = [];
  const routing = {
    "post /a": factory.build({
      input: z.object({ text: z.string() }),
      handler: async ({ request }) => {
        const { complete, readableEnded, destroyed, closed, readableFlowing } = request;
        seen.push({ complete, readableEnded, destroyed, closed, readableFlowing });
        return {};
      },
    }),
  };
  const server = await start(routing);
  const body = JSON.stringify({ text: "x".repeat(1000) });
  const headers = { "Content-Type": "application/json" };
  expect((await server.send("/a", { method: "POST", headers, body })).status).toBe(200);
  expect(seen).toEqual([
    { complete: true, readableEnded: true, destroyed: true, closed: true, readableFlowing: null },
  ]);
});

const sayings = ["a", "漢字", "x".repeat(100_000), "b"];

/** Starts a server that notes what is written to the socket of a stream after its first event. */
const startStream = async (shortcuts: boolean) => {
  const written: unknown[] = [];
  const run = new EventStreamFactory({ say: z.string() }).build({
    handler: async ({ ctx, response }) => {
      await ctx.emit("say", "first");
      await new Promise(setImmediate);
      const { socket } = response;
      if (!socket) throw new Error("The response has no socket");
      const write = socket.write.bind(socket);
      socket.write = (...args: unknown[]) => {
        written.push(args[0]);
        return Reflect.apply(write, undefined, args) as boolean;
      };
      for (const saying of sayings) await ctx.emit("say", saying);
      await Promise.all(sayings.map((saying) => ctx.emit("say", saying)));
    },
  });
  return { written, server: await start({ run }, { shortcuts }) };
};

test("short texts are sent in one piece each, and the bytes are the same without shortcuts", async () => {
  const { written, server } = await startStream(true);
  const plain = await startStream(false);
  const toBody = (reply: string) => reply.slice(reply.indexOf("\r\n\r\n"));
  // the first text shows how Node writes
  await server.send("/run");
  written.length = 0;
  for (const version of ["1.1", "1.0"]) {
    const request = `GET /run HTTP/${version}\r\nHost: a\r\nConnection: close\r\n\r\n`;
    const [text, expected] = await Promise.all([server.raw(request), plain.server.raw(request)]);
    expect(toBody(text)).toBe(toBody(expected));
    expect(text.split("data: ")).toHaveLength(2 + 2 * sayings.length);
  }
  const chunks = written.filter((piece) => /^\w+\r\nevent: /.test(String(piece)));
  // a large text is left to Node, and each text as of version 26, which joins the texts of one turn
  const joins = Number.parseInt(process.versions.node, 10) >= 26;
  expect(chunks).toHaveLength(joins ? 0 : 2 * (sayings.length - 1));
});

test("text is sent in the order in which it is written, whatever is written in between", async () => {
  const run = factory.buildVoid({
    handler: async ({ response }) => {
      response.flushHeaders();
      response.cork();
      for (const piece of ["a", Buffer.from("b"), "c", "", Buffer.from("d")]) response.write(piece);
      response.uncork();
      for (const piece of ["e", Buffer.from("f"), "g"]) response.write(piece);
      response.end("h");
    },
  });
  expect((await (await start({ run })).send("/run")).text).toBe("abcdefgh");
});

test("a response to HEAD has no body, even if its fields say that there is one", async () => {
  const run = factory.build({
    handler: async ({ response }) => {
      response.setHeader("Transfer-Encoding", "chunked");
      response.flushHeaders();
      response.write("a");
      response.write("b");
      response.end();
      return {};
    },
  });
  const server = await start({ run });
  const text = await server.raw(toRequest("HEAD /run", "Connection: close"));
  expect(text).toMatch(/^HTTP\/1\.1 200 [^]*\r\n\r\n$/);
});

/** Starts a stream of events; `through` is what runs before it. */
const startSayings = (through = factory) =>
  start({
    run: new EventStreamFactory({ say: z.string() }, { factory: through }).build({
      handler: async ({ ctx }) => {
        for (const saying of sayings) await ctx.emit("say", saying);
      },
    }),
  });

test("a tool that has replaced `write` of a response sees each event", async () => {
  const seen: unknown[] = [];
  const watching = factory.use((_request, response, next) => {
    const write = response.write.bind(response);
    response.write = (...args: unknown[]) => {
      seen.push(args[0]);
      return Reflect.apply(write, undefined, args) as boolean;
    };
    next();
  });
  await (await startSayings(watching)).send("/run");
  expect(seen).toHaveLength(sayings.length);
});

test.each([
  ["ServerResponse", ServerResponse],
  ["OutgoingMessage", OutgoingMessage],
] as const)(
  "a tool that has replaced `write` of a class of Node.js sees each event: %s",
  async (_name, { prototype }) => {
    const write = vi.spyOn(prototype, "write");
    await (await startSayings()).send("/run");
    const texts = write.mock.calls.map(([chunk]) => String(chunk));
    expect(texts.filter((text) => text.startsWith("event: "))).toHaveLength(sayings.length);
    write.mockRestore();
  },
);

test("a response of another class, such as light-my-request's, sees each event", async () => {
  const seen: unknown[] = [];
  class Watched extends ServerResponse {
    override write(chunk: string): boolean {
      seen.push(chunk);
      return super.write(chunk);
    }
  }
  const server = await startSayings();
  const tool = createServer({ ServerResponse: Watched }, (request, response) => {
    server.servers[0]?.emit("request", request, response);
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void tool.close());
  await once(tool, "listening");
  await send((tool.address() as AddressInfo).port, "/run");
  expect(seen).toHaveLength(sayings.length);
});

test("are off, which one line tells, where a response lacks private state of Node's, as on Bun", async () => {
  const name = "_expect_continue";
  const hidden = { configurable: true, get: () => undefined, set: () => undefined };
  Object.defineProperty(ServerResponse.prototype, name, hidden);
  onTestFinished(() => void Reflect.deleteProperty(ServerResponse.prototype, name));
  const told = async (config: Partial<ServerConfig>): Promise<readonly string[]> => {
    const { lines } = await start({ echo }, config);
    return lines.filter(({ severity }) => severity === "debug").map(({ message }) => message);
  };
  expect(await told({ shortcuts: true })).toEqual([
    "`shortcuts` is off: the private state of responses is not that of Node.js here",
  ]);
  expect(await told({ shortcuts: false })).toEqual([]);
});
