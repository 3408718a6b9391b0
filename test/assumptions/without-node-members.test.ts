import { once } from "node:events";
import { type IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { pipeline } from "node:stream";
import { connect as connectTls } from "node:tls";
import type { Request } from "express";
import {
  defaultEndpointsFactory as factory,
  defaultResultHandler,
  EndpointsFactory,
  EventStreamFactory,
  ez,
  ResultHandler,
} from "sallyport";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { shortenGrace, start, type TestServer } from "../http/harness.ts";
import { listStatuses } from "../http/replies.ts";
import { createCertificate, hasCertificates } from "./certificate.ts";
import { hideFromSources, isCalledBySources } from "./hide.ts";

const sleep = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

const echo = factory.build({
  method: ["get", "post"],
  input: z.object({ a: z.string() }),
  output: z.object({ a: z.string() }),
  handler: async ({ input }) => input,
});

const size = 16 * 1024 * 1024;
const large = factory.build({
  output: ez.buffer(),
  handler: async () => Buffer.alloc(size, "x"),
});

/** Returns the prototypes of a server's requests and responses. */
const prototypesOf = ({ app }: TestServer) =>
  app as unknown as { readonly request: IncomingMessage; readonly response: ServerResponse };

/** Sends requests one after another on one connection; returns the received text without the Date fields. */
const exchange = async (server: TestServer, requests: readonly string[]): Promise<string> => {
  const socket = await server.open();
  let text = "";
  socket.on("data", (piece: Buffer) => (text += piece.toString("latin1")));
  for (const [at, request] of requests.entries()) {
    socket.write(request);
    while (listStatuses(text).length <= at) await once(socket, "data");
  }
  await sleep(20);
  socket.destroy();
  return text.replaceAll(/^Date: .*$/gm, "Date");
};

const get = (target: string): string => `GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`;
const body = '{"a":"1"}';
const post = [
  ...["POST /echo HTTP/1.1", "Host: a", "Content-Type: application/json"],
  ...[`Content-Length: ${body.length}`, "", body],
].join("\r\n");
const requests = [get("/echo?a=1"), post, get("/none"), get("/echo"), post, get("/echo?a=2")];

describe("where Node lacks a member, requests still get correct responses", () => {
  test.each(["_header", "_storeHeader"])("no `%s`: Node writes each head", async (name) => {
    const expected = await exchange(await start({ echo }), requests);
    const server = await start({ echo });
    const countLooks = hideFromSources(prototypesOf(server).response, name);
    expect(await exchange(server, requests)).toBe(expected);
    expect(listStatuses(expected)).toEqual([200, 200, 404, 400, 200, 200]);
    expect(countLooks()).toBeGreaterThan(4);
  });

  test("no `_readableState`: requests end and close like any other stream", async () => {
    const seen: Request[] = [];
    const watched = factory
      .addMiddleware({
        handler: async ({ request }) => {
          seen.push(request);
          return {};
        },
      })
      .build({
        method: ["get", "post"],
        input: z.object({ a: z.string() }),
        output: z.object({ a: z.string() }),
        handler: async ({ input }) => input,
      });
    // an access logger would wait for the end of each response
    const config = { accessLogger: null };
    const expected = await exchange(await start({ echo: watched }, config), requests);
    const server = await start({ echo: watched }, config);
    const countLooks = hideFromSources(prototypesOf(server).request, "_readableState");
    expect(await exchange(server, requests)).toBe(expected);
    expect(countLooks()).toBeGreaterThan(0);
    const list = () => seen.map(({ readableEnded, closed }) => [readableEnded, closed]);
    // the request that gets a 404 has no endpoint that would record it
    await expect.poll(list).toEqual(Array.from({ length: 10 }, () => [true, true]));
  });

  test("no `_headerSent`: a response that is sent late is awaited, and one that is never sent is cut off", async () => {
    shortenGrace();
    type Send = (response: ServerResponse) => void;
    const sendBy = (send: Send) =>
      new EndpointsFactory(
        new ResultHandler({
          positive: z.string(),
          negative: z.string(),
          handler: ({ response }) => send(response),
        }),
      ).buildVoid({ handler: async () => undefined });
    const late = sendBy((response) => void setTimeout(() => response.end("late"), 10));
    const begun = sendBy((response) => {
      response.writeHead(200).flushHeaders();
      // longer than the server waits for a response that has not begun
      setTimeout(() => response.end("begun"), 200);
    });
    const silent = sendBy((response) => void response.setHeader("X-A", "b"));
    const stuck = sendBy((response) => void response.writeHead(200));
    const ask = async (server: TestServer): Promise<unknown[]> => {
      const outcomes: unknown[] = [];
      for (const name of ["late", "begun", "silent", "stuck"])
        outcomes.push(
          await server.send(`/${name}`).then(
            ({ status, text }) => [status, text],
            (error: NodeJS.ErrnoException) => error.code,
          ),
        );
      return [...outcomes, server.lines.map(({ severity }) => severity)];
    };
    const routing = { late, begun, silent, stuck };
    const expected = await ask(await start(routing));
    const server = await start(routing);
    const countLooks = hideFromSources(prototypesOf(server).response, "_headerSent");
    expect(await ask(server)).toEqual(expected);
    expect(expected.slice(0, 2)).toEqual([
      [200, "late"],
      [200, "begun"],
    ]);
    expect(countLooks()).toBeGreaterThan(3);
  });

  test.each(["_hasBody", "_headerSent", "chunkedEncoding"])(
    "no `%s`: the events of a stream are still sent",
    async (member) => {
      const run = new EventStreamFactory({ say: z.string() }).build({
        handler: async ({ ctx }) => {
          for (const saying of ["a", "b", "c"]) await ctx.emit("say", saying);
        },
      });
      const expected = await (await start({ run })).send("/run");
      const server = await start({ run });
      const countLooks = hideFromSources(prototypesOf(server).response, member);
      expect((await server.send("/run")).text).toBe(expected.text);
      expect(expected.text.split("data: ")).toHaveLength(4);
      expect(countLooks()).toBeGreaterThan(0);
    },
  );

  test("no listener for `drain`: an iterable still feeds a response, whether the handler awaits it or not", async () => {
    const feed = async function* () {
      for (let count = 0; count < 3; count++) {
        yield `${count}`.repeat(100_000);
        await sleep(20);
      }
    };
    const plain = new EndpointsFactory(defaultResultHandler);
    const awaited = plain.buildVoid({
      handler: ({ response }) =>
        new Promise<void>((resolve, reject) => {
          pipeline(feed(), response, (error) => (error ? reject(error) : resolve()));
        }),
    });
    const begun = plain.buildVoid({
      handler: async ({ response }) => {
        pipeline(feed(), response, () => undefined);
        while (!response.headersSent) await sleep(1);
      },
    });
    const late = new EndpointsFactory(
      new ResultHandler({
        positive: z.string(),
        negative: z.string(),
        handler: ({ response }) => {
          const delayed = async function* () {
            await sleep(50);
            yield* feed();
          };
          pipeline(delayed(), response, () => undefined);
        },
      }),
    ).buildVoid({ handler: async () => undefined });
    const server = await start({ awaited, begun, late });
    const { response: prototype } = prototypesOf(server);
    const { listenerCount } = prototype as unknown as {
      readonly listenerCount: (this: object, ...args: unknown[]) => number;
    };
    let looks = 0;
    Object.defineProperty(prototype, "listenerCount", {
      value(this: object, event: string, ...rest: unknown[]) {
        if (event !== "drain") return listenerCount.call(this, event, ...rest);
        looks++;
        return 0;
      },
    });
    for (const target of ["/awaited", "/begun", "/late"]) {
      const { status, text } = await server.send(target);
      expect([status, text.length, text.at(-1)]).toEqual([200, 300_000, "2"]);
    }
    expect(looks).toBeGreaterThan(0);
    expect([server.linesOf("warn"), server.linesOf("error")]).toEqual([[], []]);
  });

  test.skipIf(!hasCertificates)(
    "no `data` listener over TLS: a connection that has lost bytes is closed, and nothing that follows is parsed as a request",
    async () => {
      const seen: string[] = [];
      const bait = factory.build({
        output: z.object({}),
        handler: async () => {
          seen.push("bait");
          return {};
        },
      });
      const listen = { port: 0, host: "127.0.0.1" };
      const server = await start(
        { large, bait, echo },
        { http: undefined, https: { listen, options: createCertificate() } },
      );
      const [own] = server.servers;
      own?.on("clientError", ({ code = "" }: NodeJS.ErrnoException) => seen.push(code));
      // `takeAway` runs between Node's listener and the server's
      const [first, ...rest] = (own?.listeners("secureConnection") ?? []) as (() => void)[];
      own?.removeAllListeners("secureConnection");
      let taken = 0;
      const takeAway = (socket: Socket): void => {
        const { on } = socket as unknown as { readonly on: (...args: unknown[]) => unknown };
        socket.on = function (this: Socket, event: string, ...more: unknown[]) {
          if (event === "data" && isCalledBySources()) taken++;
          else on.call(this, event, ...more);
          return this;
        } as never;
      };
      for (const listener of [first, takeAway, ...rest])
        if (listener) own?.on("secureConnection", listener);
      const socket = connectTls({ ...listen, port: server.port, rejectUnauthorized: false });
      socket.on("error", () => undefined);
      await once(socket, "secureConnect");
      const posted = "\r\nGET /bait HTTP/1.1\r\nHost: a\r\n\r\n".repeat(10_000);
      const head = "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n";
      socket.write(get("/large"));
      // the next request is parsed while the response waits to be read; the rest has arrived together with that request
      await once(socket, "readable");
      socket.write(`${get("/large")}${head}Content-Length: ${posted.length}\r\n\r\n${posted}`);
      await expect.poll(() => seen, { timeout: 10_000 }).toContain("HPE_PAUSED");
      let text = "";
      socket.on("data", (piece: Buffer) => (text += piece.toString("latin1")));
      // unread bytes may reset the connection, which the client sees as an error
      await new Promise((resolve) => socket.once("close", resolve));
      expect([taken, new Set(seen)]).toEqual([1, new Set(["HPE_PAUSED"])]);
      // the client sent valid requests only
      expect(listStatuses(text)).not.toContain(400);
    },
  );
});
