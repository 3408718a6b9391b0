import { once } from "node:events";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { brotliCompressSync, deflateSync, gzipSync, type Gunzip } from "node:zlib";
import { defaultEndpointsFactory, type ServerConfig } from "sallyport";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import {
  errorEnvelope,
  start,
  stopClock,
  successEnvelope,
  type TestServer,
  expectOneLine,
} from "../harness.ts";
import { splitReplies } from "../replies.ts";

const ping = defaultEndpointsFactory.build({ handler: () => ({ pong: true }) });

type Echo = Awaited<ReturnType<typeof startEcho>>;

/** Starts a server whose `/echo` returns the input, and counts the handler's runs. */
const startEcho = async (config: Partial<ServerConfig> = {}) => {
  let calls = 0;
  const echo = defaultEndpointsFactory.build({
    method: ["get", "post", "delete"],
    input: z.looseObject({}),
    handler: ({ input }) => {
      calls++;
      return { input };
    },
  });
  const server = await start({ echo, ping }, { accessLogger: null, ...config });
  server.lines.length = 0;
  return { server, calls: () => calls };
};

/** Creates the bytes of a POST, with a JSON type and the correct length unless the fields say otherwise. */
const post = (body: string | Buffer, fields: readonly string[] = [], path = "/echo"): Buffer => {
  const names = new Set(fields.map((field) => field.split(":")[0]?.toLowerCase()));
  const head = [
    `POST ${path} HTTP/1.1`,
    "Host: a",
    ...(names.has("content-type") ? [] : ["Content-Type: application/json"]),
    ...(names.has("transfer-encoding") ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]),
    ...fields.filter((field) => field !== "Content-Type:"),
  ];
  return Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`), Buffer.from(body)]);
};

const goodRequest = "GET /ping HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";

const cutOff =
  /^HTTP\/1\.1 413 .*^connection: close\r$.*\r\n\{"status":"error","error":\{"message":"Content Too Large","code":"SLP_BODY_TOO_LARGE"\}\}$/ims;

const toBody = (reply: string): unknown => JSON.parse(reply.slice(reply.indexOf("\r\n\r\n")));

/** Expects a response to a request, and another one to the next request on the same socket. */
const expectKeptAlive = async (
  { server }: { server: TestServer },
  request: string | Buffer,
  status: number,
  body?: object,
): Promise<string> => {
  const text = await server.raw(Buffer.concat([Buffer.from(request), Buffer.from(goodRequest)]));
  const [reply = "", next, ...others] = splitReplies(text);
  expect(reply.slice(9, 12)).toBe(String(status));
  if (body) expect(toBody(reply)).toEqual(body);
  expect(next).toMatch(/^HTTP\/1\.1 200 .*\{"pong":true\}\}$/s);
  expect(others).toEqual([]);
  return reply;
};

/** Expects a complete 413, then the end of the connection, while the client continues to send. */
const expectCutOff = async (
  { server, calls }: Echo,
  head: string,
  chunk: string,
): Promise<void> => {
  const socket = await server.open();
  let text = "";
  socket.on("data", (bytes: Buffer) => (text += bytes.toString()));
  socket.write(head);
  const sending = setInterval(() => socket.writable && socket.write(chunk), 5);
  await new Promise((resolve) => socket.once("close", resolve));
  clearInterval(sending);
  expect(text).toMatch(cutOff);
  expect(calls()).toBe(0);
};

type Case = readonly [shown: string, request: Buffer];

const ofBodies = (...bodies: string[]): Case[] => bodies.map((body) => [body, post(body)]);
const ofField = (name: string, ...values: string[]): Case[] =>
  values.map((value) => [value, post('{"a":1}', [value ? `${name}: ${value}` : `${name}:`])]);

/** Tests that requests get the same rejection, that the handler never runs, and that the connection stays open. */
const refuses = (name: string, status: number, message: string, cases: readonly Case[]): void => {
  test.each(cases)(`${name} (%j)`, async (_shown, request) => {
    const echo = await startEcho();
    await expectKeptAlive(echo, request, status, errorEnvelope(message));
    expect(echo.calls()).toBe(0);
    expect(echo.server.linesOf("error")).toEqual([]);
  });
};

/** Expects that a request is accepted, and that the response shows the given input. */
const serves = async (request: Buffer, input: unknown): Promise<void> => {
  await expectKeptAlive(await startEcho(), request, 200, successEnvelope({ input }));
};

describe("JSON", () => {
  const wrong = ofBodies('{"a":', "{a:1}", "{'a':1}", '{"a":1}x', '{"a":NaN}', "secret", "[1,]");
  refuses("B1: malformed JSON gets a 400 without an excerpt of it", 400, "Invalid JSON", wrong);

  test("B1: malformed JSON is logged as one debug line and nothing more", async () => {
    const echo = await startEcho();
    await expectKeptAlive(echo, post("secret"), 400);
    expect(echo.server.lines.map(({ severity }) => severity)).toEqual(["debug"]);
  });

  const forbidden = String.raw`
    {"__proto__":{"a":1}} {"__proto__":1} {"\u005f_proto__":{"a":1}} {"a":[{"b":{"__proto__":{}}}]}
    {"\u005f\u005f\u0070roto\u005f\u005f":null} {"constructor":{"prototype":{"a":1}}}
    {"a":{"construct\u006fr":{"prototyp\u0065":1}}}
  `
    .trim()
    .split(/\s+/);
  const key = "Forbidden key in the body";
  refuses("B2: a key that could change a prototype gets a 400", 400, key, ofBodies(...forbidden));

  test("B2: forbidden keys are logged as one warning per second, and no error", async () => {
    stopClock();
    const { server } = await startEcho();
    for (const body of forbidden) await server.raw(post(body, ["Connection: close"]));
    expect(server.linesOf("warn")).toHaveLength(1);
    expect(server.linesOf("error")).toEqual([]);
  });

  test("B2: forbidden words are accepted as values, and `constructor` as a plain key", async () => {
    const body = '{"a":"__proto__","constructor":"x","b":{"constructor":{"name":1}},"prototype":2}';
    await serves(post(body), JSON.parse(body));
  });

  const bombs = ["[", '{"a":', '[{"a":'].map((text): Case => [text, post(text.repeat(50_000))]);
  refuses("B3: JSON nested extremely deeply gets a 400", 400, "Body nested too deeply", bombs);

  test("B3: 64 levels are allowed, 65 are not, and brackets in strings do not count", async () => {
    const echo = await startEcho();
    const nested = (depth: number): string =>
      `{"a":${"[".repeat(depth - 1)}${"]".repeat(depth - 1)}}`;
    await expectKeptAlive(echo, post(nested(64)), 200);
    await expectKeptAlive(echo, post(nested(65)), 400, errorEnvelope("Body nested too deeply"));
    await expectKeptAlive(echo, post(`{"a":"\\"${"[".repeat(500)}"}`), 200);
  });

  /** Sends as many strings as `list` as a body may hold by default, and returns the response. */
  const sendList = async (schema: z.ZodType): Promise<string> => {
    const input = z.object({ list: schema });
    const list = defaultEndpointsFactory.build({ method: "post", input, handler: () => ({}) });
    const body = JSON.stringify({ list: Array.from({ length: 19_999 }, () => "x") });
    const server = await start({ list, ping });
    return expectKeptAlive({ server }, post(body, [], "/list"), 400);
  };

  test("B4: twenty thousand wrong elements cause ten issues and a short message", async () => {
    const reply = await sendList(z.array(z.number()));
    const { error } = toBody(reply) as { error: { message: string; issues: object[] } };
    expect(error.issues).toHaveLength(10);
    expect(error.message.split("; ")).toHaveLength(10);
    expect(Buffer.byteLength(error.message)).toBeLessThanOrEqual(2048);
    expect(reply.length).toBeLessThan(8192);
  });

  test("B5: an array over the schema's maximum is rejected before its elements are parsed", async () => {
    let walked = 0;
    const reply = await sendList(z.array(z.string().refine(() => ++walked > 0)).max(10));
    const issue = { path: ["list"], code: "too_big" };
    expect(toBody(reply)).toMatchObject({ error: { issues: [issue] } });
    expect(walked).toBeLessThanOrEqual(10);
  });

  // comparing each key with all previous ones would take minutes
  test("B6: several hundred thousand integer-like keys, whose hashes might collide, are parsed", async () => {
    const echo = await startEcho({ bodyLimit: { bytes: 16 * 1024 * 1024, values: 500_000 } });
    const keys = Array.from({ length: 400_000 }, (_, index) => `"${index * 65_536}":0`);
    const head = await expectKeptAlive(echo, post(`{"a":{${keys.join(",")}}}`), 200);
    expect(head.length).toBeGreaterThan(keys.join(",").length);
  }, 20_000);
});

describe("body limits", () => {
  const large = "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n";

  test("a Content-Length of zeros is that of no body", async () => {
    const { server } = await startEcho();
    const head =
      "POST /echo HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 00\r\n\r\n";
    expect(toBody(await server.raw(head))).toEqual(successEnvelope({ input: {} }));
  });

  test("an empty chunked body needs no content type", async () => {
    const endpoint = defaultEndpointsFactory.build({ method: "post", handler: async () => ({}) });
    const server = await start({ a: endpoint });
    const head =
      "POST /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n";
    expect(await server.raw(`${head}0\r\n\r\n`)).toContain("HTTP/1.1 200");
    expect(await server.raw(`${head}1\r\nx\r\n0\r\n\r\n`)).toContain("HTTP/1.1 415");
  });

  test("B7: a body whose Content-Length exceeds the limit gets a 413 without being read, and the connection closes", async () => {
    const echo = await startEcho();
    await expectCutOff(echo, `${large}Content-Length: 1048577\r\n\r\n`, "x".repeat(16_384));
    expect(echo.server.lines.map(({ severity }) => severity)).toEqual(["debug"]);
  });

  test("B7: a client that waits for a 100 gets a 413 and no 100", async () => {
    const { server, calls } = await startEcho();
    const expecting = `${large}Content-Length: 1048577\r\nExpect: 100-continue\r\n\r\n`;
    const text = await server.raw(expecting);
    expect(text).toMatch(cutOff);
    expect(calls()).toBe(0);
  });

  test("B7: a body of exactly the limit is accepted, and one byte more gets a 413", async () => {
    const { server } = await startEcho({ bodyLimit: 100 });
    const ofSize = (size: number): string => `{"a":"${"x".repeat(size - 8)}"}`;
    const sizes = [100, 101].map((size) => post(ofSize(size), ["Connection: close"]));
    const texts = await Promise.all(sizes.map((bytes) => server.raw(bytes)));
    expect(texts.map((text) => text.slice(9, 12))).toEqual(["200", "413"]);
  });

  test("B8: a chunked body gets a 413 at the byte that exceeds the limit", async () => {
    const { server, calls } = await startEcho({ bodyLimit: 100 });
    const socket = await server.open();
    let text = "";
    socket.on("data", (chunk: Buffer) => (text += chunk.toString()));
    socket.write(`${large}Transfer-Encoding: chunked\r\n\r\n64\r\n${"x".repeat(100)}\r\n`);
    await sleep(100);
    expect(text).toBe("");
    socket.write("1\r\nx\r\n");
    await expect.poll(() => text).toMatch(cutOff);
    expect(calls()).toBe(0);
  });

  test("B8: a client that continues to send chunks gets the whole response", async () => {
    const chunk = `4000\r\n${"x".repeat(16_384)}\r\n`;
    const echo = await startEcho({ bodyLimit: 10_000 });
    await expectCutOff(echo, `${large}Transfer-Encoding: chunked\r\n\r\n`, chunk);
  });

  test.each([
    ["gzip", gzipSync],
    ["br", brotliCompressSync],
    ["deflate", deflateSync],
  ])(
    "B9: %s is accepted, but a compression bomb gets a 413 because of its decompressed size",
    async (encoding, compress) => {
      const fields = [`Content-Encoding: ${encoding}`];
      await serves(post(compress('{"a":1}'), fields), { a: 1 });
      const bytes = compress(Buffer.alloc(16 * 1024 * 1024, 0x20));
      const { server, calls } = await startEcho();
      const before = process.memoryUsage().arrayBuffers;
      const text = await server.raw(post(bytes, fields));
      expect(text).toMatch(cutOff);
      expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8 * 1024 * 1024);
      expect(calls()).toBe(0);
    },
  );
});

test.each([
  ["while it is decompressed", 100_000],
  ["because of its length alone", 1000],
])(
  "B9: once a compression bomb is rejected %s, nothing more of it is decompressed",
  async (_when, bodyLimit) => {
    const zlib = process.getBuiltinModule("node:zlib");
    const decoders: Gunzip[] = [];
    const { createGunzip } = zlib;
    const creating = vi.spyOn(zlib, "createGunzip").mockImplementation((options) => {
      const decoder = createGunzip(options);
      decoders.push(decoder);
      return decoder;
    });
    try {
      const bomb = post(gzipSync(Buffer.alloc(8 * 1024 * 1024)), ["Content-Encoding: gzip"]);
      const { server } = await startEcho({ bodyLimit });
      const socket = await server.open();
      // the end of the body is withheld, so the decoder does not end by itself
      socket.write(bomb.subarray(0, -20));
      await once(socket, "data");
      expect(decoders.filter(({ destroyed }) => !destroyed)).toHaveLength(0);
      socket.destroy();
    } finally {
      creating.mockRestore();
    }
  },
);

describe("media types", () => {
  const encodings = ofField("Content-Encoding", "compress", "compress", "gzip, br", "x");
  const unknown = "Unsupported content encoding";
  refuses("B10: an unknown content encoding gets a 415", 415, unknown, encodings);

  test("B10: the rejection of a content encoding names the supported ones", async () => {
    const request = post('{"a":1}', ["Content-Encoding: x"]);
    const head = await expectKeptAlive(await startEcho(), request, 415);
    expect(head).toMatch(/^accept-encoding: gzip, deflate, br(, zstd)?, identity\r?$/im);
  });

  const zipped = gzipSync('{"a":"some text"}');

  const corrupt = [
    ["gzip", Buffer.from("invalid gzip")],
    ["gzip", zipped.subarray(0, -6)],
    ["gzip", Buffer.concat([zipped.subarray(0, 12), Buffer.from("!!!!"), zipped.subarray(16)])],
    ["deflate", Buffer.from("invalid deflate")],
    ["br", Buffer.from("invalid brotli")],
  ] as const;
  const bodies = corrupt.map(([name, bytes]): Case => {
    return [name, post(bytes, [`Content-Encoding: ${name}`])];
  });
  refuses("B10: a corrupt encoding gets a 400", 400, "Malformed compressed body", bodies);

  const types =
    "text/plain|application/json garbage|application/json, text/plain|application/jsonx|json" +
    "|x-application/json|application/json; =x|text/plain; application/json|application/ json|";
  refuses(
    "B11: a body of another type gets a 415",
    415,
    "Unsupported Media Type",
    ofField("Content-Type", ...types.split("|")),
  );

  const spellings =
    "application/json|application/json\t|APPLICATION/JSON ; charset=utf-8|application/json;" +
    '|application/json;charset="UTF-8"|application/merge-patch+json';
  test.each(spellings.split("|"))(
    "B11: another spelling of the JSON media type is accepted (%j)",
    async (type) => {
      await serves(post('{"a":1}', [`Content-Type: ${type}`]), { a: 1 });
    },
  );

  const charsets = ["iso-8859-1", "utf-16", "utf-7", '"x"', '""'];
  const withCharset = charsets.map((charset) => `application/json; charset=${charset}`);
  const fields = ofField("Content-Type", ...withCharset);
  refuses("B12: a charset other than UTF-8 gets a 415", 415, "Unsupported charset", fields);

  const bytes = ["ff", "c328", "c0af", "eda080", "e282"].map((hex): Case => {
    return [hex, post(Buffer.from(`7b2261223a22${hex}227d`, "hex"))];
  });
  refuses("B12: bytes that are not UTF-8 get a 400", 400, "Body is not valid UTF-8", bytes);

  test("B12: a byte order mark is stripped", async () => {
    await serves(post('\ufeff{"a":1}'), { a: 1 });
  });

  test("B13: an empty body is treated as no body", async () => {
    await serves(post(""), {});
    await serves(post("0\r\n\r\n", ["Transfer-Encoding: chunked"]), {});
  });

  const scalars = ofBodies("null", "5", '"x"', "true", "[]", '[{"a":1}]');
  refuses("B13: a value that is not an object gets a 400", 400, "Expected an object", scalars);

  const strict = defaultEndpointsFactory.build({
    method: "post",
    input: z.strictObject({ a: z.int() }),
    output: z.object({ a: z.number() }),
    handler: ({ input }) => ({ ...input, secret: "x" }),
  });
  const loose = defaultEndpointsFactory.build({
    method: "post",
    input: z.object({ a: z.number() }),
    handler: ({ input }) => input,
  });

  test("B14: the last of duplicate keys wins, and unsafe and infinite numbers get a 400", async () => {
    const server = await start({ strict, loose, ping });
    const twice = post('{"a":1,"a":2}', [], "/strict");
    await expectKeptAlive({ server }, twice, 200, successEnvelope({ a: 2 }));
    await expectKeptAlive({ server }, post('{"a":9007199254740993}', [], "/strict"), 400);
    await expectKeptAlive({ server }, post('{"a":1e400}', [], "/loose"), 400);
    await expectKeptAlive({ server }, post('{"a":-1e400}', [], "/loose"), 400);
  });

  test("B15: extra properties are stripped, in input and output, or rejected by a strict schema", async () => {
    const server = await start({ strict, loose, ping });
    const extra = '{"a":1,"isAdmin":true}';
    const data = successEnvelope({ a: 1 });
    await expectKeptAlive({ server }, post(extra, [], "/loose"), 200, data);
    await expectKeptAlive({ server }, post('{"a":1}', [], "/strict"), 200, data);
    const reply = await expectKeptAlive({ server }, post(extra, [], "/strict"), 400);
    expect(toBody(reply)).toMatchObject({ error: { issues: [{ code: "unrecognized_keys" }] } });
  });
  const form = "Content-Type: application/x-www-form-urlencoded";
  const ofForms = (...bodies: string[]): Case[] =>
    bodies.map((body) => [body.slice(0, 20), post(body, [form])]);
  const pairs = ofForms("a=1&".repeat(10_000), "a&".repeat(1001));
  refuses("B17: a form with too many fields gets a 413", 413, "Too many form fields", pairs);
  const percents = ofForms("a=%zz", "%=1", "a=%E0%A4%A", "a=%C0%AF");
  refuses("B17: bad percent-encoding in a form gets a 400", 400, "Malformed form", percents);
  const proto = ofForms("__proto__=1", "a=1&%5f_proto__=1");
  refuses("B2: __proto__ in a form gets a 400", 400, "Forbidden key in the body", proto);

  test.each(["GET", "DELETE"])(
    "B18: the body of a %s is not an input, and the next request is parsed correctly",
    async (method) => {
      const echo = await startEcho();
      for (const body of ['{"a":1}', "not json", goodRequest, "x".repeat(200_000)]) {
        const request = post(body).toString().replace("POST /echo", `${method} /echo?b=2`);
        await expectKeptAlive(echo, request, 200, successEnvelope({ input: { b: "2" } }));
      }
      const chunks = post("3\r\nabc\r\n0\r\n\r\n", ["Transfer-Encoding: chunked"]).toString();
      await expectKeptAlive(echo, chunks.replace("POST", method), 200);
    },
  );

  const partial = post('{"a":1}').subarray(0, -3);
  const chunked = post('7\r\n{"a":', ["Transfer-Encoding: chunked"]);
  const compressed = post(gzipSync('{"a":1}'), ["Content-Encoding: gzip"]).subarray(0, -9);

  /** Sends the beginning of a request, disconnects, and returns everything received. */
  const leave = async (
    { server, calls }: Echo,
    bytes: Buffer,
    how: (socket: Socket) => unknown,
  ): Promise<string> => {
    const socket = await server.open();
    let text = "";
    socket.on("data", (chunk: Buffer) => (text += chunk.toString()));
    const arrived = server.untilRequest();
    socket.write(bytes);
    await arrived;
    how(socket);
    await server.untilLeft();
    await expectOneLine(server, "debug");
    expect(calls()).toBe(0);
    return text;
  };

  test.each([partial, chunked, compressed])(
    "B19: no handler runs if the client aborts the request (%#)",
    async (bytes) => {
      expect(await leave(await startEcho(), bytes, (socket) => socket.resetAndDestroy())).toBe("");
      expect(await leave(await startEcho(), bytes, (socket) => socket.destroy())).toBe("");
    },
  );

  test.each([partial, chunked, compressed])(
    "B20: no handler runs if a body ends too early (%#)",
    async (bytes) => {
      await leave(await startEcho(), bytes, (socket) => socket.end());
    },
  );

  test("B20: a body that ends too early gets no response", async () => {
    expect(await leave(await startEcho(), partial, (socket) => socket.end())).toBe("");
  });
});
