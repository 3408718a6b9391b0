import { once } from "node:events";
import { createServer, ServerResponse, STATUS_CODES, type Server } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createFieldSetter, readFields } from "./header-fields.ts";
import { writeHead } from "./reply-head.ts";

const type = "application/json; charset=utf-8";
let server: Server | undefined;

afterEach(() => {
  vi.restoreAllMocks();
  server?.close();
});

type Respond = (response: ServerResponse) => void;

/** Returns the bytes of several responses on one connection, without the date. */
const exchange = async (
  respond: Respond,
  count: number,
  Response: typeof ServerResponse = ServerResponse,
): Promise<string> => {
  server = createServer({ ServerResponse: Response }, (request, response) => {
    try {
      respond(response);
    } catch (error) {
      request.socket.end(String(error));
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const get = "GET / HTTP/1.1\r\nHost: x\r\n";
  socket.end(`${get}\r\n`.repeat(count) + `${get}Connection: close\r\n\r\n`);
  const bytes = await text(socket.setEncoding("latin1"));
  server.close();
  return bytes.replaceAll(/Date: [A-Z][^\r]*GMT\r\n/g, "Date\r\n");
};

const byNode: Respond = (response) =>
  response.writeHead(200, { "Content-Type": type, "Content-Length": 2 });
const copied: Respond = (response) => writeHead(response, 200, type, 2);

/** Sends three responses with the same fields: the head of the second is a copy, and Node writes the other two. */
const send = (prepare: Respond, write: Respond, Response?: typeof ServerResponse) =>
  exchange(
    (response) => {
      prepare(response);
      write(response);
      response.end("{}");
    },
    2,
    Response,
  );

/** Checks whether the head of the second response with these fields is a copy. */
const isCopied = async (prepare: Respond): Promise<boolean> => {
  const phrase = STATUS_CODES[200];
  try {
    await send(prepare, copied);
    STATUS_CODES[200] = "Changed";
    return (await send(prepare, copied)).startsWith("HTTP/1.1 200 OK");
  } finally {
    STATUS_CODES[200] = phrase;
  }
};

const cors = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Allow-Methods": "GET, POST",
  "Access-Control-Allow-Headers": "Content-Type",
};

describe("the head of a response with header fields of its own", () => {
  const plain: readonly [string, Respond][] = [
    ["one field", (one) => one.setHeader("X-A", "b")],
    [
      "several fields",
      (one) => one.setHeader("x-b", "1").setHeader("Vary", "a").setHeader("X-C", ""),
    ],
    ["a field set twice", (one) => one.setHeader("X-A", "1").setHeader("x-a", "2")],
    ["a value with Latin-1 characters", (one) => one.setHeader("X-A", "caf\u00e9")],
    [
      "a removed field",
      (one) => {
        one.setHeader("X-A", "1").setHeader("X-D", "2");
        one.removeHeader("x-a");
      },
    ],
    ["fields set together", createFieldSetter(cors)],
    [
      "fields changed after they were set together",
      (one) => {
        createFieldSetter(cors)(one);
        one.setHeader("access-control-allow-origin", "https://a.example");
        one.removeHeader("Access-Control-Allow-Methods");
        one.setHeader("X-A", "b");
      },
    ],
  ];
  test.each(plain)("is byte-for-byte the same as Node's: %s", async (_name, prepare) => {
    const expected = await send(prepare, byNode);
    expect(await send(prepare, copied)).toBe(expected);
    expect(await send(prepare, copied)).toBe(expected);
    expect(await isCopied(prepare)).toBe(true);
  });

  const special: readonly [string, Respond][] = [
    ["an array", (one) => one.setHeader("X-A", ["1", "2"])],
    [
      "an appended value",
      (one) => createFieldSetter(cors)(one.appendHeader("Vary", "a").appendHeader("Vary", "b")),
    ],
    ["a number", (one) => one.setHeader("X-A", 5)],
    ["cookies", (one) => one.setHeader("Set-Cookie", ["a=1", "b=2"])],
    ["Connection: close", (one) => one.setHeader("Connection", "close")],
    ["a keep-alive", (one) => one.setHeader("Keep-Alive", "timeout=1")],
    ["a date", (one) => one.setHeader("Date", "today")],
    ["a length", (one) => one.setHeader("Content-Length", "9")],
    ["a type", (one) => one.setHeader("Content-Type", "text/plain")],
    ["a coding", (one) => one.setHeader("Transfer-Encoding", "chunked")],
    ["a file name", (one) => one.setHeader("Content-Disposition", 'inline; filename="caf\u00e9"')],
    ["an upgrade", (one) => one.setHeader("Upgrade", "h2c")],
  ];
  test.each(special)("is left to Node: %s", async (_name, prepare) => {
    const expected = await send(prepare, byNode);
    expect(await send(prepare, copied)).toBe(expected);
    expect(await send(prepare, copied)).toBe(expected);
    expect(await isCopied(prepare)).toBe(false);
  });

  test("is byte-for-byte the same as Node's for any fields, however they were set", async () => {
    const name = fc.constantFrom(
      ...["X-A", "x-a", "X-B", "Vary", "vary", "ETag", "Connection", "Keep-Alive", "Set-Cookie"],
      ...[
        "Access-Control-Allow-Origin",
        "access-control-allow-methods",
        "constructor",
        "__proto__",
      ],
      ...["Content-Disposition", "Cache-Control", "X-Powered-By", "Cookie"],
    );
    const value = fc.oneof(
      fc.stringMatching(/^[\x20-\x7e\x80-\xff]{0,6}$/),
      fc.array(fc.stringMatching(/^[a-z]{1,3}$/), { minLength: 1, maxLength: 2 }),
    );
    const step = fc.oneof(
      fc.record({ call: fc.constantFrom("setHeader", "appendHeader"), name, value }),
      fc.record({ call: fc.constant("removeHeader"), name, value: fc.constant("") }),
      fc.record({ call: fc.constant("together"), name, value: fc.constant("") }),
    );
    const together = createFieldSetter(cors);
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 6 }), async (steps) => {
        const prepare: Respond = (response) => {
          for (const { call, name: field, value: content } of steps) {
            if (call === "together") together(response);
            else if (call === "removeHeader") response.removeHeader(field);
            else {
              // Node appends to the array that it is given
              const given = content.slice();
              if (call === "setHeader") response.setHeader(field, given);
              else response.appendHeader(field, given);
            }
          }
        };
        const expected = await send(prepare, byNode);
        expect(await send(prepare, copied)).toBe(expected);
        expect(await send(prepare, copied)).toBe(expected);
      }),
      { numRuns: 150 },
    );
  });

  test("is set with the response's own `setHeader` if that was replaced", async () => {
    await send((one) => one.setHeader("X-A", "b"), copied);
    const original = Reflect.get(ServerResponse.prototype, "setHeader");
    const set: string[] = [];
    vi.spyOn(ServerResponse.prototype, "setHeader").mockImplementation(function (
      this: ServerResponse,
      name,
      value,
    ) {
      set.push(name);
      return Reflect.apply(original, this, [name, value]) as ServerResponse;
    });
    await send(createFieldSetter(cors), copied);
    const names = [...Object.keys(cors), "Content-Type", "Content-Length"];
    expect(set).toEqual([...names, ...names, ...names]);
  });

  test("is left to Node if Node stores the fields elsewhere", async () => {
    const stored = Object.getOwnPropertySymbols.bind(Object);
    vi.spyOn(Object, "getOwnPropertySymbols").mockImplementation((value) =>
      stored(value as object).filter(({ description }) => description !== "kOutHeaders"),
    );
    vi.resetModules();
    const [fields, head] = await Promise.all([
      import("./header-fields.ts"),
      import("./reply-head.ts"),
    ]);
    const prepare = fields.createFieldSetter(cors);
    const seen: unknown[] = [];
    const bytes = await send(prepare, (response) => {
      seen.push(fields.readFields(response), response.getHeader("access-control-allow-origin"));
      head.writeHead(response, 200, type, 2);
    });
    expect(seen).toEqual([undefined, "*", undefined, "*", undefined, "*"]);
    expect(bytes).toBe(await send(prepare, byNode));
  });
});

describe("header fields set together", () => {
  test("belong to one response only", async () => {
    const together = createFieldSetter(cors);
    const seen: unknown[] = [];
    await exchange((response) => {
      together(response);
      seen.push(
        response.getHeaders(),
        response.getHeader("constructor"),
        response.getHeader("__proto__"),
      );
      response.appendHeader("Access-Control-Allow-Methods", "PUT").setHeader("X-A", "b");
      seen.push(response.getHeader("access-control-allow-methods"));
      response.end();
    }, 1);
    const lower = Object.fromEntries(
      Object.entries(cors).map(([name, value]) => [name.toLowerCase(), value]),
    );
    const each = [lower, undefined, undefined, ["GET, POST", "PUT"]];
    expect(seen).toEqual([...each, ...each]);
  });

  test("keep the fields that a response already has", async () => {
    const bytes = await exchange((response) => {
      response.setHeader("X-A", "b");
      createFieldSetter(cors)(response);
      response.end(JSON.stringify(Object.keys(readFields(response) ?? {})));
    }, 0);
    const names = Object.keys(cors).map((name) => name.toLowerCase());
    expect(bytes).toContain(JSON.stringify(["x-a", ...names]));
  });

  test("cannot be set once the head has been sent", async () => {
    const bytes = await exchange((response) => {
      response.flushHeaders();
      createFieldSetter(cors)(response);
    }, 0);
    expect(bytes).toContain("Cannot set headers after they are sent");
  });
});
