import { once } from "node:events";
import { createServer, ServerResponse, STATUS_CODES, type Server } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { hideFromSources } from "../../../test/assumptions/hide.ts";
import { writeHead } from "./shortcuts.ts";

const type = "application/json; charset=utf-8";
let server: Server | undefined;

afterEach(() => {
  vi.restoreAllMocks();
  server?.close();
});

/** Sends several responses on one connection, and returns their bytes without the date. */
const exchange = async (
  respond: (response: ServerResponse, index: number) => void,
  heads: readonly string[],
  options: object = {},
): Promise<string> => {
  let index = 0;
  server = createServer(options, (_request, response) => respond(response, index++));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const last = heads.length - 1;
  heads.forEach((head, at) =>
    socket.write(`${head}\r\nHost: x\r\n${at === last ? "Connection: close\r\n" : ""}\r\n`),
  );
  const bytes = await text(socket);
  server.close();
  return bytes.replaceAll(
    /Date: [A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} [\d:]{8} GMT\r\n/g,
    "Date\r\n",
  );
};

const byNode = (response: ServerResponse, status: number, length: number): unknown =>
  response.writeHead(status, { "Content-Type": type, "Content-Length": length });

describe("the head of a response", () => {
  const get = "GET / HTTP/1.1";
  type Prepare = (response: ServerResponse) => unknown;
  const nothing: Prepare = () => undefined;
  const cases: readonly [string, readonly string[], object, Prepare][] = [
    ["with various lengths", [get, get, get, get], {}, nothing],
    ["for HEAD", [get, "HEAD / HTTP/1.1", get, get], {}, nothing],
    ["for HTTP/1.0", [get, "GET / HTTP/1.0\r\nConnection: keep-alive", get], {}, nothing],
    [
      "on a connection that is closed",
      [get, get, "GET / HTTP/1.1\r\nConnection: close"],
      {},
      nothing,
    ],
    ["with another keep-alive timeout", [get, get, get], { keepAliveTimeout: 7000 }, nothing],
    ["without a keep-alive timeout", [get, get, get], { keepAliveTimeout: 0 }, nothing],
    ["with a limit on requests", [get, get, get], { maxRequestsPerSocket: 2 }, nothing],
    [
      "with header fields of its own",
      [get, get, get],
      {},
      (response) => response.setHeader("X-A", "b"),
    ],
    ["with a reason phrase of its own", [get, get, get], {}, (one) => (one.statusMessage = "Fine")],
    ["without a date", [get, get, get], {}, (response) => (response.sendDate = false)],
    [
      "without the Connection field",
      [get, get, get],
      {},
      (response) => {
        response.setHeader("Connection", "close");
        response.removeHeader("Connection");
      },
    ],
  ];
  test.each(cases)(
    "is byte-for-byte the same as Node's: %s",
    async (_name, heads, options, prepare) => {
      const sendBy =
        (write: typeof byNode) =>
        (response: ServerResponse, index: number): void => {
          prepare(response);
          const body = "x".repeat(10 ** index);
          write(response, index === 2 ? 201 : 200, body.length);
          expect(response.headersSent).toBe(true);
          response.end(body);
        };
      const expected = await exchange(sendBy(byNode), heads, options);
      const quick = sendBy((response, status, length) => writeHead(response, status, type, length));
      // the first time, Node writes the head; the second time, the head is a copy
      expect(await exchange(quick, heads, options)).toBe(expected);
      expect(await exchange(quick, heads, options)).toBe(expected);
      expect(expected).toContain("HTTP/1.1 20");
    },
  );

  test("is written by Node once per status, and copied after that", async () => {
    const phrase = STATUS_CODES[202];
    const respond = (response: ServerResponse): void => {
      writeHead(response, 202, type, 1);
      response.end("x");
      // Node would read this reason phrase, but a copy does not
      STATUS_CODES[202] = "Exchanged";
    };
    try {
      const replies = await exchange(respond, [get, get, get]);
      // the last response closes the connection, so Node writes its head
      expect(replies.match(/202 \w+/g)).toEqual(["202 Accepted", "202 Accepted", "202 Exchanged"]);
    } finally {
      STATUS_CODES[202] = phrase;
    }
  });

  const members = [
    ...["_header", "_contentLength", "_keepAliveTimeout", "_maxRequestsPerSocket", "_storeHeader"],
    ...["_defaultKeepAlive", "_removedConnection", "_expect_continue", "shouldKeepAlive"],
    "maxRequestsOnConnectionReached",
  ];
  test.each(members)("is written by Node if it lacks `%s`", async (name) => {
    class Response extends ServerResponse {}
    const countLooks = hideFromSources(Response.prototype, name);
    // resets the cache
    vi.resetModules();
    const { writeHead: writeAgain } = await import("./shortcuts.ts");
    const send =
      (write: (response: ServerResponse) => unknown) =>
      (response: ServerResponse, index: number): void => {
        if (name === "_removedConnection" && index > 0) {
          response.setHeader("Connection", "close");
          response.removeHeader("Connection");
        }
        write(response);
        response.end("x");
        STATUS_CODES[208] = "Exchanged";
      };
    const phrase = STATUS_CODES[208];
    const heads = [get, get, "HEAD / HTTP/1.1", get];
    const options = { ServerResponse: Response };
    try {
      const expected = await exchange(
        send((response) => byNode(response, 208, 1)),
        heads,
        options,
      );
      STATUS_CODES[208] = phrase;
      const write = send((response) => writeAgain(response, 208, type, 1));
      expect(await exchange(write, heads, options)).toBe(expected);
      expect(expected.match(/208 \w+/g)?.slice(1)).toEqual([
        "208 Exchanged",
        "208 Exchanged",
        "208 Exchanged",
      ]);
      expect(countLooks()).toBeGreaterThan(0);
    } finally {
      STATUS_CODES[208] = phrase;
    }
  });

  test("is written with the response's own `writeHead` if that was replaced", async () => {
    const original = Reflect.get(ServerResponse.prototype, "writeHead") as () => unknown;
    const respond = (response: ServerResponse): void => {
      writeHead(response, 200, type, 1);
      response.end("x");
    };
    await exchange(respond, [get, get]);
    const spy = vi.spyOn(ServerResponse.prototype, "writeHead").mockImplementation(function (
      this: ServerResponse,
      ...args: never[]
    ) {
      this.setHeader("X-Traced", "yes");
      return Reflect.apply(original, this, args) as ServerResponse;
    } as never);
    const traced = await exchange(respond, [get, get]);
    expect(traced.match(/X-Traced: yes/g)).toHaveLength(2);
    expect(spy).toHaveBeenCalledTimes(2);
  });

  test("has the current date, to the second", async () => {
    vi.resetModules();
    vi.useFakeTimers({
      toFake: ["Date", "setTimeout"],
      now: new Date("2026-01-01T00:00:00.250Z"),
    });
    const heads: string[] = [];
    try {
      // this module keeps the clock of the time when it was loaded
      const fresh = await import("./shortcuts.ts");
      const respond = (response: ServerResponse): void => {
        fresh.writeHead(response, 200, type, 1);
        heads.push((response as unknown as { readonly _header: string })._header);
        response.end("x");
      };
      await exchange(respond, [get, get, get]);
      vi.advanceTimersByTime(749);
      await exchange(respond, [get, get]);
      vi.advanceTimersByTime(1);
      await exchange(respond, [get, get]);
    } finally {
      vi.useRealTimers();
    }
    // Node writes the first head and those that close a connection, with its own date
    const [, ...copied] = heads.filter((head) => !head.includes("Connection: close"));
    const times = copied.map((head) => /Date: .* (\S+) GMT\r/.exec(head)?.[1]);
    expect(times).toEqual(["00:00:00", "00:00:00", "00:00:01"]);
  });

  test("has the real date even if a test has replaced the clock", async () => {
    vi.resetModules();
    // this module has not read the date yet
    const fresh = await import("./shortcuts.ts");
    const heads: (string | null)[] = [];
    vi.useFakeTimers({ toFake: ["Date"], now: 0 });
    try {
      const respond = (response: ServerResponse): void => {
        fresh.writeHead(response, 200, type, 1);
        heads.push((response as unknown as { readonly _header: string | null })._header);
        response.end("x");
      };
      await exchange(respond, [get, get, get]);
    } finally {
      vi.useRealTimers();
    }
    expect(heads.join("")).toContain("Date: ");
    expect(heads.join("")).not.toContain("1970");
  });
});
