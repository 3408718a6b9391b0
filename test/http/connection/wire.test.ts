import { once } from "node:events";
import { defaultEndpointsFactory as factory, type Routing } from "sallyport";
import { expect, test, vi } from "vitest";
import { z } from "zod";
import { errorEnvelope, start, stopClock, type TestServer } from "../harness.ts";
import { readAll, toReplies, type Reply } from "../replies.ts";

const ping = factory.build({ handler: () => ({ pong: true }) });

/** An endpoint that responds with the host that the request names. */
const host = factory.build({
  output: z.object({ host: z.string() }),
  handler: ({ request }) => ({ host: request.headers.host ?? "" }),
});

const echo = factory.build({
  method: "post",
  input: z.object({ text: z.string() }),
  output: z.object({ text: z.string() }),
  handler: ({ input }) => input,
});

const routing: Routing = { ping, host, echo };

/**
 * Expects one error envelope with `Connection: close`, and that the server closes the connection.
 */
const expectRefused = async (
  server: TestServer,
  bytes: string | Buffer,
  statuses: readonly number[],
  message?: string,
): Promise<void> => {
  const socket = await server.open();
  socket.write(bytes);
  const { text, isClosed } = await readAll(socket);
  const replies = toReplies(text);
  expect(replies.map(({ status }) => statuses.includes(status) || status)).toEqual([true]);
  const [{ head, body } = { head: "", body: "" }] = replies;
  expect(head).toMatch(/^content-type: application\/json; charset=utf-8\r?$/im);
  expect(head).toMatch(/^x-content-type-options: nosniff\r?$/im);
  expect(head).toMatch(/^cache-control: no-store\r?$/im);
  expect(head).toMatch(/^connection: close\r?$/im);
  expect(head).not.toMatch(/^allow:/im);
  const { error } = JSON.parse(body) as { readonly error: { readonly message: string } };
  expect(JSON.parse(body)).toEqual(errorEnvelope(message ?? error.message));
  expect(isClosed, "the server closes the connection").toBe(true);
};

/** Expects that the same bytes sent twice are rejected with one warning and no error, and that the server keeps running. */
const expectRefusedAndSampled = async (
  bytes: string | Buffer,
  statuses: readonly number[],
  message?: string,
): Promise<void> => {
  stopClock();
  const server = await start(routing);
  await expectRefused(server, bytes, statuses, message);
  await expectRefused(server, bytes, statuses, message);
  expect(server.linesOf("warn")).toHaveLength(1);
  expect(server.linesOf("error")).toEqual([]);
  expect((await server.send("/ping")).status).toBe(200);
};

const good = "GET /ping HTTP/1.1\r\nHost: good\r\n\r\n";

/** Sends the given bytes, then a valid request on the same connection, and returns the first response. */
const expectKept = async (server: TestServer, bytes: string): Promise<Reply> => {
  const socket = await server.open();
  socket.write(bytes);
  await once(socket, "readable");
  socket.write(good.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"));
  const { text } = await readAll(socket);
  const [first, second, ...others] = toReplies(text);
  expect(others).toEqual([]);
  expect(first?.head).not.toMatch(/^connection: close\r?$/im);
  expect([second?.status, second?.body]).toEqual([
    200,
    '{"status":"success","data":{"pong":true}}',
  ]);
  return first ?? { status: 0, head: "", body: "" };
};

const tlsHello = Buffer.concat([
  Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3]),
  Buffer.alloc(64, 0xa5),
]);

test.each<[string, string | Buffer]>([
  ["garbage", "\u0000\u0001 garbage garbage\r\n\r\n"],
  ["words", "hello there, is this a server?\r\n\r\n"],
  ["the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
  ["the hello of TLS", tlsHello],
])("W1: %s gets a 400 in the static envelope", (_name, bytes) =>
  expectRefusedAndSampled(bytes, [400], "Bad Request"),
);

test("W1: the warning contains nothing that the client sent", async () => {
  const server = await start(routing);
  await server.raw("s3cret garbage\r\n\r\n");
  expect(server.linesOf("warn")).toHaveLength(1);
  expect(JSON.stringify(server.lines)).not.toContain("s3cret");
});

test("W1: the response to a parser error has the CORS headers if they are enabled", async () => {
  const server = await start(routing, { cors: true });
  expect(await server.raw("garbage\r\n\r\n")).toMatch(/^access-control-allow-origin: \*\r$/im);
});

const badRequest = '{"status":"error","error":{"message":"Bad Request"}}';

test("W2: a response that has not begun is finished before a later parser error is reported", async () => {
  const slow = factory.build({
    handler: async () => {
      await new Promise((resolve) => setTimeout(resolve, 150));
      return { slow: true };
    },
  });
  const server = await start({ slow });
  const socket = await server.open();
  socket.write("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n");
  await new Promise((resolve) => setTimeout(resolve, 50));
  socket.write("garbage\r\n\r\n");
  const { text, isClosed } = await readAll(socket);
  const [first, second, ...others] = toReplies(text);
  expect([first?.status, first?.body]).toEqual([200, '{"status":"success","data":{"slow":true}}']);
  expect([second?.status, second?.body]).toEqual([400, badRequest]);
  expect(others).toEqual([]);
  expect(isClosed).toBe(true);
  expect(server.linesOf("error")).toEqual([]);
});

test("W2: a response in progress is neither cut off by a later parser error nor mixed with the response to it", async () => {
  const stream = factory.build({
    handler: async ({ response }) => {
      response.writeHead(200, { "Content-Length": 6 });
      response.write("abc");
      await new Promise((resolve) => setTimeout(resolve, 150));
      response.end("def");
      return {};
    },
  });
  const server = await start({ stream });
  const socket = await server.open();
  socket.write("GET /stream HTTP/1.1\r\nHost: a\r\n\r\n");
  await once(socket, "readable");
  socket.write("garbage\r\n\r\n");
  const { text, isClosed } = await readAll(socket);
  const [first, second, ...others] = toReplies(text);
  expect([first?.status, first?.body]).toEqual([200, "abcdef"]);
  expect([second?.status, second?.body]).toEqual([400, badRequest]);
  expect(others).toEqual([]);
  expect(isClosed).toBe(true);
  expect(server.linesOf("error")).toEqual([]);
});

test("W3: a header block of more than 16 KiB gets a 431", () =>
  expectRefusedAndSampled(
    `GET /ping HTTP/1.1\r\nHost: a\r\nX-Long: ${"x".repeat(17_000)}\r\n\r\n`,
    [431],
    "Request Header Fields Too Large",
  ));

const withFields = (count: number, last = "b: c"): string =>
  `GET /ping HTTP/1.1\r\nHost: a\r\n${"b: c\r\n".repeat(count - 2)}${last}\r\n\r\n`;

test.each([101, 2000])("W4: %i header fields get a 431", (count) =>
  expectRefusedAndSampled(withFields(count), [431], "Request Header Fields Too Large"),
);

test("W4: a hundred header fields are accepted", async () => {
  const server = await start(routing);
  expect((await expectKept(server, withFields(100))).status).toBe(200);
});

test("W4: a Content-Length behind too many other fields cannot smuggle a request", async () => {
  const smuggled = "GET /host HTTP/1.1\r\nHost: smuggled\r\n\r\n";
  const server = await start(routing);
  const bytes = withFields(2100, `Content-Length: ${smuggled.length}`) + smuggled;
  await expectRefused(server, bytes, [431], "Request Header Fields Too Large");
});

test("W5: a target of more than 8 KiB gets a 414", async () => {
  const server = await start(routing);
  const bytes = `GET /${"x".repeat(8200)} HTTP/1.1\r\nHost: a\r\n\r\n`;
  await expectRefused(server, bytes, [414], "URI Too Long");
  expect(server.linesOf("error")).toEqual([]);
});

test("W5: a request line of more than 16 KiB gets a 414 or 431", () =>
  expectRefusedAndSampled(`GET /${"x".repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, [414, 431]));

const post = (fields: string, body = "hello"): string =>
  `POST /echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${fields}\r\n\r\n${body}`;

test.each([
  ["with Transfer-Encoding", "Content-Length: 5\r\nTransfer-Encoding: chunked", "0\r\n\r\n"],
  ["after Transfer-Encoding", "Transfer-Encoding: chunked\r\nContent-Length: 5", "0\r\n\r\n"],
  ["sent twice with different values", "Content-Length: 5\r\nContent-Length: 6"],
  ["with a plus", "Content-Length: +5"],
  ["in hexadecimal", "Content-Length: 0x5"],
  ["of two numbers", "Content-Length: 5 5"],
  ["as a list", "Content-Length:  5,5"],
  ["below zero", "Content-Length: -5"],
  ["empty", "Content-Length: "],
  ["beyond the range of numbers", "Content-Length: 99999999999999999999999"],
])("W6: a Content-Length %s gets a 400", (_name, fields, body?: string) =>
  expectRefusedAndSampled(post(fields, body), [400], "Bad Request"),
);

test.each([
  ["xchunked", "Transfer-Encoding: xchunked"],
  ["chunked before identity", "Transfer-Encoding: chunked, identity"],
  ["identity only", "Transfer-Encoding: identity"],
  ["nothing", "Transfer-Encoding: "],
  ["chunked and a comma", "Transfer-Encoding: chunked,"],
  ["chunked in a folded line", "Transfer-Encoding:\r\n chunked"],
  ["chunked twice", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked"],
  ["chunked with a vertical tab", "Transfer-Encoding: \u000bchunked"],
  ["gzip before chunked", "Transfer-Encoding: gzip, chunked"],
])("W7: a Transfer-Encoding of %s gets a 400", (_name, fields) =>
  expectRefusedAndSampled(post(fields, "0\r\n\r\n"), [400], "Bad Request"),
);

test("W7: a Transfer-Encoding in HTTP/1.0 gets a 400", () =>
  expectRefusedAndSampled(
    post("Transfer-Encoding: chunked", "0\r\n\r\n").replace("HTTP/1.1", "HTTP/1.0"),
    [400],
    "Bad Request",
  ));

const json = '{"text":"x"}';
const chunked = (body: string): string => post("Transfer-Encoding: chunked", body);

test("W8: a well-formed chunked body is accepted, even with a chunk extension", async () => {
  const server = await start(routing);
  for (const size of ["c", "C", "0c", "c;name=value"]) {
    const reply = await expectKept(server, chunked(`${size}\r\n${json}\r\n0\r\n\r\n`));
    expect([reply.status, reply.body]).toEqual([200, '{"status":"success","data":{"text":"x"}}']);
  }
});

test.each([
  ["0x before the size", `0xc\r\n${json}\r\n0\r\n\r\n`],
  ["a plus before the size", `+c\r\n${json}\r\n0\r\n\r\n`],
  ["a minus before the size", `-c\r\n${json}\r\n0\r\n\r\n`],
  ["an underscore in the size", `0_c\r\n${json}\r\n0\r\n\r\n`],
  ["a space before the size", ` c\r\n${json}\r\n0\r\n\r\n`],
  ["a bare LF after the size", `c\n${json}\r\n0\r\n\r\n`],
  ["a bare LF after the data", `c\r\n${json}\n0\r\n\r\n`],
  ["a CR and another character after the size", `c\rX${json}\r\n0\r\n\r\n`],
  ["a bare semicolon", `c;\r\n${json}\r\n0\r\n\r\n`],
  ["no size", `\r\n${json}\r\n0\r\n\r\n`],
  ["a size beyond the range of numbers", `fffffffffffffffffff\r\n${json}\r\n0\r\n\r\n`],
  ["more data than its size", `b\r\n${json}\r\n0\r\n\r\n`],
])("W8: a chunk with %s gets a 400", (_name, body) =>
  expectRefusedAndSampled(chunked(body), [400], "Bad Request"),
);

test("W8: a chunk extension of 64 KiB gets a 413", () =>
  expectRefusedAndSampled(chunked(`c;${"x".repeat(65_536)}\r\n${json}\r\n0\r\n\r\n`), [413]));

test("W9: a request without Host gets a 400 in HTTP/1.1", async () => {
  const server = await start(routing);
  await expectRefused(server, "GET /ping HTTP/1.1\r\n\r\n", [400]);
  expect(server.linesOf("error")).toEqual([]);
});

test("W9: a request without Host is accepted in HTTP/1.0", async () => {
  const server = await start(routing);
  expect(await server.raw("GET /ping HTTP/1.0\r\n\r\n")).toMatch(/^HTTP\/1\.1 200 /);
});

test.each([
  ["two Host fields", "Host: a\r\nHost: b"],
  ["two equal Host fields", "Host: a\r\nHost: a"],
  ["two Host fields in different cases", "Host: a\r\nhOST: b"],
  ["a list of hosts", "Host: a, b"],
  ["a Host with a path", "Host: a/path"],
  ["a Host with user information", "Host: user@a"],
  ["an empty Host", "Host: "],
  ["a Host of spaces", "Host:    "],
  ["a Host with a tab", "Host: a\tb"],
  ["a Host with a space", "Host: a b"],
  ["a Host with a control character", "Host: a\u0001b"],
  ["a Host with a query", "Host: a?b"],
  ["a Host with a bad port", "Host: a:port"],
])("W10: %s gets a 400", (_name, field) =>
  expectRefusedAndSampled(`GET /ping HTTP/1.1\r\n${field}\r\n\r\n`, [400]),
);

test("W10: no handler and no hook sees a request with two Host fields", async () => {
  const handler = vi.fn(() => ({}));
  const server = await start(
    { seen: factory.build({ handler }) },
    {
      beforeRouting: ({ app }) => void app.use((_request, _response, next) => (handler(), next())),
    },
  );
  await expectRefused(server, "GET /seen HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", [400]);
  expect(handler).not.toHaveBeenCalled();
});

test.each(["a", "A.example", "a.example:8090", "127.0.0.1:1", "[::1]", "[::1]:8090", "xn--a_b-c"])(
  "W10: the Host %s is accepted",
  async (name) => {
    const reply = await expectKept(
      await start(routing),
      `GET /host HTTP/1.1\r\nHost: ${name}\r\n\r\n`,
    );
    expect([reply.status, JSON.parse(reply.body)]).toMatchObject([200, { data: { host: name } }]);
  },
);

test.each(["http", "HTTP", "https"])(
  "W11: a target in absolute form (%s) is routed by its path, and its authority takes precedence over Host",
  async (scheme) => {
    const reply = await expectKept(
      await start(routing),
      `GET ${scheme}://target:81/host?x=1 HTTP/1.1\r\nHost: field\r\n\r\n`,
    );
    expect([reply.status, JSON.parse(reply.body)]).toMatchObject([
      200,
      { data: { host: "target:81" } },
    ]);
  },
);

test.each([false, true])("W12: OPTIONS * gets a 204 with Allow (CORS: %s)", async (cors) => {
  const reply = await expectKept(
    await start(routing, { cors }),
    "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n",
  );
  expect([reply.status, reply.body]).toEqual([204, ""]);
  expect(reply.head).toMatch(/^allow: DELETE, GET, PATCH, POST, PUT, QUERY, HEAD, OPTIONS\r?$/im);
});

test.each([
  ["an asterisk", "*"],
  ["nothing", ""],
  ["no leading slash", "ping"],
  ["a query only", "?a=1"],
  ["a scheme that is not HTTP", "ftp://a/ping"],
  ["an authority that is empty", "http:///ping"],
  ["an authority with a name and password", "http://x:y@a/ping"],
  ["an authority of two hosts", "http://a,b/ping"],
])("W13: an invalid target (%s) gets a 400", async (_name, target) => {
  const server = await start(routing);
  await expectRefused(server, `GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`, [400]);
  expect(server.linesOf("error")).toEqual([]);
});
