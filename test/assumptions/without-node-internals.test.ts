import { once } from "node:events";
import type { Socket } from "node:net";
import { PassThrough, Readable } from "node:stream";
import {
  defaultEndpointsFactory as factory,
  defaultResultHandler,
  EndpointsFactory,
} from "sallyport";
import { afterAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { start, type TestServer } from "../http/harness.ts";
import { listStatuses } from "../http/replies.ts";

const sleep = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

const echo = factory.build({
  method: "post",
  input: z.object({ a: z.string(), ms: z.number().default(0) }),
  output: z.object({ a: z.string() }),
  handler: async ({ input }) => {
    await sleep(input.ms);
    return input;
  },
});

const post = (body: object, ...fields: readonly string[]): string => {
  const text = JSON.stringify(body);
  const head = ["POST /echo HTTP/1.1", "Host: a", "Content-Type: application/json", ...fields];
  return [...head, `Content-Length: ${text.length}`, "", text].join("\r\n");
};

/** Returns the prototype of a server's requests. */
const prototypesOf = ({ app }: TestServer) => app as unknown as { readonly request: object };

const collect = (socket: Socket) => {
  let text = "";
  socket.on("data", (piece: Buffer) => (text += piece.toString("latin1")));
  return () => text;
};

// the package looks for this internal only once, on first use, so it is missing in all tests of this file
type Call = (this: object, ...args: unknown[]) => unknown;
const { pipe } = Readable.prototype as unknown as { readonly pipe: Call };
const exchange = (prototype: object, name: string, method: Call): void => {
  Object.defineProperty(prototype, name, { configurable: true, writable: true, value: method });
};
exchange(Readable.prototype, "pipe", function (to, ...options) {
  const target = to as object as { readonly on: Call };
  const { on } = target;
  exchange(target, "on", function (event, listener) {
    return (listener as Call).name === "onunpipe" ? this : on.call(this, event, listener);
  });
  try {
    return pipe.call(this, to, ...options);
  } finally {
    exchange(target, "on", on);
  }
});
afterAll(() => {
  exchange(Readable.prototype, "pipe", pipe);
});

describe("where Node.js lacks an internal, requests still get correct responses", () => {
  test("no listener for `unpipe`: a piped response is left to its stream", async () => {
    const target = new PassThrough();
    new PassThrough().pipe(target);
    expect(target.listenerCount("unpipe")).toBe(0);
    const late = new EndpointsFactory(defaultResultHandler).buildVoid({
      handler: ({ response }) => {
        const stream = new PassThrough();
        stream.pipe(response);
        // longer than the server waits for new data in a response
        setTimeout(() => stream.end("late"), 1500);
      },
    });
    const server = await start({ late });
    const { status, text } = await server.send("/late");
    expect([status, text]).toEqual([200, "late"]);
  });

  test("no `_dump` by Node: requests on one connection get their responses one after the other", async () => {
    const server = await start({ echo });
    Reflect.deleteProperty(prototypesOf(server).request, "_dump");
    const socket = await server.open();
    const read = collect(socket);
    for (const count of [1, 2, 3]) {
      socket.write(count === 2 ? "GET /none HTTP/1.1\r\nHost: a\r\n\r\n" : post({ a: "1" }));
      while (listStatuses(read()).length < count) await once(socket, "data");
    }
    expect(listStatuses(read())).toEqual([200, 404, 200]);
    socket.destroy();
  });

  test("no event `socket`: waiting requests are still answered in order", async () => {
    const server = await start({ echo });
    const socket = await server.open();
    server.servers[0]?.prependListener("request", (_request, response) => {
      const emit = response.emit.bind(response) as (...args: readonly unknown[]) => boolean;
      const hide = (event: string, ...args: readonly unknown[]): boolean =>
        event !== "socket" && emit(event, ...args);
      Object.assign(response, { emit: hide });
    });
    const read = collect(socket);
    const none = "GET /none HTTP/1.1\r\nHost: a\r\n";
    socket.write(
      `${post({ a: "1", ms: 20 })}${none}\r\n${post({ a: "1" })}${none}Connection: close\r\n\r\n`,
    );
    await once(socket, "close");
    expect(listStatuses(read())).toEqual([200, 404, 200, 404]);
  });

  test("no `destroySoon` by Node: a rejected body ends the connection, and the response arrives", async () => {
    const server = await start({ echo }, { bodyLimit: 100 });
    server.servers[0]?.on("connection", (socket: Socket) => {
      Object.defineProperty(socket, "destroySoon", {
        get: () => () => undefined,
        set() {
          // ignores replacements
        },
      });
    });
    const socket = await server.open();
    const read = collect(socket);
    socket.write(post({ a: "x".repeat(200) }));
    await once(socket, "close");
    expect(listStatuses(read())).toEqual([413]);
  });
});
