import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { gzipSync } from "node:zlib";
import { defaultEndpointsFactory as factory, EventStreamFactory, ez } from "sallyport";
import { createClient, type ClientOptions } from "sallyport/client";
import { afterEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { importGenerated } from "../generated-client.ts";

/** Each response is written by hand, as a proxy, a CDN or a gateway would send it. */
const routing = {
  user: factory.build({ output: z.object({ n: z.number() }), handler: async () => ({ n: 1 }) }),
  numbers: factory.build({
    ...ez.paginated({ style: "cursor", itemSchema: z.object({ n: z.number() }) }),
    handler: async () => ({ items: [], nextCursor: null, limit: 1 }),
  }),
  ticks: new EventStreamFactory({ tick: z.object({ n: z.number() }) }).build({
    handler: async () => undefined,
  }),
};
type Api = ReturnType<typeof createClient<typeof routing>>;
const generated = await importGenerated<Api>(routing, undefined);
const kinds = {
  inferred: (options: ClientOptions): Api => createClient<typeof routing>(options),
  generated: generated.createClient,
};

let server: Server | undefined;
let asked: string[] = [];
afterEach(() => server?.close());

/** Starts a server that answers one request after another with the given bytes, and then closes the connection. */
const connect = async (kind: keyof typeof kinds, ...answers: readonly (Buffer | string)[]) => {
  asked = [];
  server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", (head) => {
      asked.push(head.toString());
      socket.end(answers[Math.min(asked.length, answers.length) - 1] ?? "");
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { readonly port: number };
  return kinds[kind]({ baseUrl: `http://127.0.0.1:${port}` });
};

const toAnswer = (status: string, fields: readonly string[], body: Buffer | string = ""): Buffer =>
  Buffer.concat([
    Buffer.from(
      [
        `HTTP/1.1 ${status}`,
        ...fields,
        `Content-Length: ${Buffer.byteLength(body)}`,
        "Connection: close\r\n\r\n",
      ].join("\r\n"),
    ),
    Buffer.from(body),
  ]);

const envelope = '{"status":"success","data":{"n":1}}';
const parsed = { status: "success", data: { n: 1 } };
const asJson = "Content-Type: application/json";
const page = "<html><title>Bad Gateway</title></html>";
const asPage = "Content-Type: text/html; charset=utf-8";
const badGateway = toAnswer("502 Bad Gateway", [asPage], page);
const noContent = "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n";

describe.each(["inferred", "generated"] as const)("the %s client reads", (kind) => {
  test.each<[string, Buffer | string]>([
    ["without a type", toAnswer("200 OK", [], envelope)],
    ["with parameters alone", toAnswer("200 OK", ["Content-Type: ;charset=utf-8"], envelope)],
    ["with its type twice", toAnswer("200 OK", [asJson, `${asJson};charset=UTF-8`], envelope)],
    ["with its type in capitals", toAnswer("200 OK", ["Content-Type: Application/JSON"], envelope)],
    ["with a byte order mark", toAnswer("200 OK", [asJson], `\uFEFF${envelope}`)],
    [
      "that is compressed",
      toAnswer("200 OK", [asJson, "Content-Encoding: gzip"], gzipSync(envelope)),
    ],
    ["without a length", `HTTP/1.1 200 OK\r\n${asJson}\r\nConnection: close\r\n\r\n${envelope}`],
    [
      "in chunks",
      `HTTP/1.1 200 OK\r\n${asJson}\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n${envelope.slice(0, 5)}\r\n1e\r\n${envelope.slice(5)}\r\n0\r\n\r\n`,
    ],
    [
      "after early hints",
      `HTTP/1.1 103 Early Hints\r\n\r\n${toAnswer("200 OK", [asJson], envelope).toString()}`,
    ],
    ["by HTTP/1.0", `HTTP/1.0 200 OK\r\n${asJson}\r\n\r\n${envelope}`],
  ])("JSON %s", async (_name, answer) => {
    const client = await connect(kind, answer);
    expect(await client.request("get /user")).toMatchObject({
      ok: true,
      status: 200,
      body: parsed,
    });
  });
});

describe.each(["inferred", "generated"] as const)("the %s client takes as unexpected", (kind) => {
  test.each<[string, number, Buffer | string]>([
    ["an error page", 502, badGateway],
    ["the text of a gateway", 503, toAnswer("503 Gone", ["Content-Type: text/plain"], "connect")],
    ["an empty error", 504, toAnswer("504 Gateway Timeout", [])],
    ["a page with the status of a success", 200, toAnswer("200 OK", [asPage], page)],
    ["a page called JSON", 200, toAnswer("200 OK", [asJson], page)],
    ["JSON without its body", 200, toAnswer("200 OK", [asJson])],
    [
      "a 304 that was not asked for",
      304,
      'HTTP/1.1 304 Not Modified\r\nETag: W/"1"\r\nConnection: close\r\n\r\n',
    ],
  ])("%s", async (_name, actualStatus, answer) => {
    const client = await connect(kind, answer);
    const reply = await client.request("get /user");
    expect(reply).toMatchObject({ ok: false, status: "unexpected", actualStatus });
    await expect(client.provide("get /user")).rejects.toThrow(
      `GET /user: status ${actualStatus}: an unexpected body of type`,
    );
  });
});

test("a generated client takes a 204 that the route does not declare as unexpected", async () => {
  const client = await connect("generated", noContent);
  const reply = await client.request("get /user");
  expect(reply).toMatchObject({ status: "unexpected", actualStatus: 204 });
  await expect(client.provide("get /user")).rejects.toHaveProperty("name", "UnexpectedBodyError");
});

describe.each(["inferred", "generated"] as const)("the %s client", (kind) => {
  test.each([
    ["nothing", noContent],
    ["an empty body", toAnswer("200 OK", [])],
    ["another text", toAnswer("200 OK", ["Content-Type: text/plain"], "OK")],
    ["other JSON", toAnswer("200 OK", [asJson], "null")],
  ])("does not take %s for the end of all pages", async (_name, answer) => {
    const client = await connect(kind, answer);
    await expect(client.iterate("get /numbers")[Symbol.asyncIterator]().next()).rejects.toThrow(
      /^GET \/numbers: status 20[04]: an unexpected body of type/,
    );
  });

  test.each(["520", "521", "522", "523", "524"])(
    "tries again after the %s of a CDN",
    async (status) => {
      const client = await connect(
        kind,
        toAnswer(`${status} Error`, [asPage], page),
        toAnswer("200 OK", [asJson], envelope),
      );
      const retry = { limit: 1, delay: 1 };
      expect(await client.provide("get /user", {}, { retry })).toEqual(parsed);
    },
  );

  test.each([
    ["as a date", new Date(Date.now() + 3_600_000).toUTCString()],
    ["twice", "3600\r\nRetry-After: 3600"],
  ])("waits as long as a gateway asks %s, or not at all", async (_name, time) => {
    const busy = toAnswer("503 Service Unavailable", [asPage, `Retry-After: ${time}`], page);
    const client = await connect(kind, busy, toAnswer("200 OK", [asJson], envelope));
    const retry = { limit: 1, delay: 1 };
    const reply = await client.request("get /user", {}, { retry });
    expect([reply.status, asked]).toEqual(["unexpected", [expect.anything()]]);
  });

  test("receives events that were buffered, compressed, or led by a byte order mark", async () => {
    const asEvents = "Content-Type: text/event-stream;charset=UTF-8";
    const event = 'id: 1\nevent: tick\ndata: {"n":1}\n\n';
    const client = await connect(
      kind,
      badGateway,
      toAnswer("200 OK", [asEvents], `\uFEFF: ${"x".repeat(2048)}\n\n${event}data: {"n"`),
      toAnswer("200 OK", [asEvents, "Content-Encoding: gzip"], gzipSync(`${event}${event}`)),
    );
    const received: unknown[] = [];
    for await (const { data } of client.subscribe("get /ticks", {}, { delay: 1 }))
      if (received.push(data) === 3) break;
    expect(received).toEqual([{ n: 1 }, { n: 1 }, { n: 1 }]);
    expect(asked[2]).toMatch(/last-event-id: 1/i);
  });
});
