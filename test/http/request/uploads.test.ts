import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import createHttpError from "http-errors";
import { defaultEndpointsFactory as factory, ez, type ServerConfig } from "sallyport";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { z } from "zod";
import { errorEnvelope, start, successEnvelope, type Answer, type TestServer } from "../harness.ts";

let directory = "";
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "sallyport-uploads-"));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

type Part = readonly [name: string, content: string | Buffer, fileName?: string, type?: string];

const toBody = (parts: readonly Part[]): Buffer =>
  Buffer.concat([
    ...parts.flatMap(([name, content, fileName, type]) => [
      Buffer.from(
        `--b\r\nContent-Disposition: form-data; name="${name}"${fileName === undefined ? "" : `; filename="${fileName}"`}\r\n${type ? `Content-Type: ${type}\r\n` : ""}\r\n`,
      ),
      Buffer.from(content),
      Buffer.from("\r\n"),
    ]),
    Buffer.from("--b--\r\n"),
  ]);

const multipart = { "content-type": "multipart/form-data; boundary=b" };

const post = (server: TestServer, parts: readonly Part[], target = "/up"): Promise<Answer> =>
  server.send(target, { method: "POST", headers: multipart, body: toBody(parts) });

const moved = (): string => join(directory, "moved");

const describeFile = factory.build({
  method: "post",
  input: z.object({ file: ez.upload(), title: z.string().optional() }),
  output: z.object({
    title: z.string().optional(),
    name: z.string(),
    size: z.number(),
    mimetype: z.string(),
    md5: z.string().optional(),
    isOnDisk: z.boolean(),
    length: z.number(),
  }),
  handler: async ({ input: { file, title } }) => ({
    title,
    name: file.name,
    size: file.size,
    mimetype: file.mimetype,
    md5: file.md5,
    isOnDisk: file.tempFilePath !== undefined,
    length: file.data.length,
  }),
});

const limits = { fileSize: 100_000, memory: 1000, files: 2, fields: 3, fieldSize: 50 };
const begin = (config: Partial<ServerConfig> = {}, endpoint = describeFile): Promise<TestServer> =>
  start({ up: endpoint }, { upload: { limits, tempFileDir: directory }, ...config });

const expectClean = (): Promise<void> => expect.poll(() => readdir(directory)).toEqual([]);

test("a small file stays in memory, a larger one goes to a temporary file, and both are complete", async () => {
  const server = await begin();
  for (const [size, isOnDisk] of [
    [0, false],
    [1000, false],
    [1001, true],
    [100_000, true],
  ] as const) {
    const content = randomBytes(size);
    const md5 = createHash("md5").update(content).digest("hex");
    const answer = await post(server, [
      ["title", "Ä title"],
      ["file", content, "a.png", "image/png"],
    ]);
    expect([answer.status, answer.json()]).toEqual([
      200,
      successEnvelope({
        ...{ title: "Ä title", name: "a.png", size, mimetype: "image/png", md5 },
        ...{ isOnDisk, length: size },
      }),
    ]);
  }
  await expectClean();
});

test("any content arrives unchanged, whatever chunks it is sent in", async () => {
  const digest = (content: Buffer | string): string =>
    createHash("md5").update(content).digest("hex");
  const files = z.object({
    a: ez.upload().optional(),
    b: ez.upload().optional(),
    c: ez.upload().optional(),
    text: z.string().optional(),
  });
  const endpoint = factory.build({
    method: "post",
    input: files,
    output: z.record(z.string(), z.string()),
    handler: async ({ input }) =>
      Object.fromEntries(
        Object.entries(input).map(([name, value = ""]) => [
          name,
          typeof value === "string" ? digest(value) : (value.md5 ?? ""),
        ]),
      ),
  });
  const wide = { ...limits, fileSize: 1_000_000, fieldSize: 1_000_000, files: 3, fields: 3 };
  const upload = { limits: wide, tempFileDir: directory };
  const server = await start({ up: endpoint }, { upload });
  // a string that resembles a boundary must not end a part
  const content = fc
    .tuple(
      fc.oneof(fc.nat(3000), fc.nat(400_000)),
      fc.array(fc.constantFrom("\r\n--", "\r\n--c", "\r\n-", "\r\n", "\r")),
    )
    .map(([size, odd]) => Buffer.concat([randomBytes(size), Buffer.from(odd.join("x"))]));
  await fc.assert(
    fc.asyncProperty(
      fc.record({ a: content, b: content, c: content, text: fc.string() }, { requiredKeys: [] }),
      fc.array(fc.integer({ min: 1, max: 100_000 }), { minLength: 1, maxLength: 40 }),
      async (sent, cuts) => {
        const parts = Object.entries(sent).map(([name, value]): Part =>
          typeof value === "string" ? [name, value] : [name, value, name],
        );
        const body = toBody(parts);
        const socket = await server.open();
        const answer = once(socket, "data") as Promise<Buffer[]>;
        socket
          .setNoDelay(true)
          .write(
            `POST /up HTTP/1.1\r\nHost: x\r\nContent-Type: ${multipart["content-type"]}\r\nContent-Length: ${body.length}\r\n\r\n`,
          );
        for (let at = 0, cut = 0; at < body.length; cut++) {
          const end = cut < 60 ? at + (cuts[cut % cuts.length] ?? 1) : body.length;
          socket.write(body.subarray(at, end));
          await new Promise((resolve) => setImmediate(resolve));
          at = end;
        }
        const text = String((await answer)[0]);
        socket.destroy();
        const expected = Object.entries(sent).map(([name, value]) => [name, digest(value)]);
        expect(JSON.parse(text.slice(text.indexOf("{")))).toEqual(
          successEnvelope(Object.fromEntries(expected)),
        );
      },
    ),
    { numRuns: 40, examples: [[{ a: randomBytes(400_000), b: randomBytes(10) }, [64_000]]] },
  );
  await expectClean();
});

test("U5: a file of exactly the limit is accepted, and a larger one gets a 413 that names the field", async () => {
  const handler = vi.fn(() => ({}));
  const endpoint = factory.build({
    method: "post",
    input: z.object({ file: ez.upload() }),
    handler,
  });
  const server = await start(
    { up: endpoint },
    { cors: true, upload: { limits, tempFileDir: directory } },
  );
  expect((await post(server, [["file", Buffer.alloc(100_000), "a"]])).status).toBe(200);
  const answer = await post(server, [["file", Buffer.alloc(100_001), "a"]]);
  expect([answer.status, answer.json()]).toEqual([413, errorEnvelope("File too large: file")]);
  expect(answer.headers).toMatchObject({ connection: "close", "access-control-allow-origin": "*" });
  expect(handler).toHaveBeenCalledOnce();
  await expectClean();
});

test.each<[string, Part[], number, string]>([
  ["too many files", [1, 2, 3].map((n): Part => [`f${n}`, "x", "a"]), 413, "Too many parts: f3"],
  ["too many fields", [1, 2, 3, 4].map((n): Part => [`f${n}`, "x"]), 413, "Too many parts"],
  ["a field that is too large", [["title", "x".repeat(51)]], 413, "Field too large: title"],
  ["a field named __proto__ (U7)", [["__proto__", "x"]], 400, "Forbidden key in the body"],
  ["a file named __proto__ (U7)", [["__proto__", "x", "a"]], 400, "Forbidden key in the body"],
  ["a part without a name (U4)", [["", "x", "a"]], 400, "Malformed multipart body"],
])("an upload with %s is rejected", async (_name, parts, status, message) => {
  const server = await begin();
  const answer = await post(server, parts);
  expect([answer.status, answer.json()]).toEqual([status, errorEnvelope(message)]);
  await expectClean();
});

test.each([
  [
    "an end inside a part (U2)",
    "multipart/form-data; boundary=b",
    '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nabc',
  ],
  ["no boundary (U3)", "multipart/form-data", "--b--\r\n"],
  ["an empty boundary (U3)", 'multipart/form-data; boundary=""', "--b--\r\n"],
  [
    "a boundary of 71 characters (U3)",
    `multipart/form-data; boundary=${"b".repeat(71)}`,
    "--b--\r\n",
  ],
  ["a boundary in the body only (U3)", "multipart/form-data; boundary=c", "--b\r\n\r\n--b--\r\n"],
])("an upload with %s gets a 400, and the server keeps running", async (_name, type, body) => {
  const server = await begin();
  const answer = await server.send("/up", {
    method: "POST",
    headers: { "content-type": type },
    body,
  });
  expect([answer.status, answer.json()]).toEqual([400, errorEnvelope("Malformed multipart body")]);
  expect((await post(server, [["file", "x", "a"]])).status).toBe(200);
  await expectClean();
});

test.each([
  ["../../etc/passwd", "passwd"],
  [String.raw`C:\\dir\\a.txt`, "a.txt"],
  ["a\u202Egnp.exe", "agnp.exe"],
  ["x".repeat(300), "x".repeat(255)],
])("U8: the file name %j is replaced by a harmless one", async (given, name) => {
  const answer = await post(await begin(), [["file", "x", given]]);
  expect(answer.json()).toMatchObject({ data: { name } });
});

test("several files under one name are an array, and a single file fits an array schema", async () => {
  const endpoint = factory.build({
    method: "post",
    input: z.object({ files: z.array(ez.upload()).optional(), one: ez.upload().optional() }),
    handler: async ({ input }) => ({ count: input.files?.length, one: input.one?.name }),
  });
  const server = await begin({}, endpoint as never);
  const ask = async (...parts: Part[]): Promise<unknown> => (await post(server, parts)).json();
  expect(await ask(["files", "x", "a"], ["files", "y", "b"])).toEqual(
    successEnvelope({ count: 2 }),
  );
  expect(await ask(["files", "x", "a"])).toEqual(successEnvelope({ count: 1 }));
  expect(await ask(["one", "x", "a"])).toEqual(successEnvelope({ one: "a" }));
  expect(await ask(["one", "x", "a"], ["one", "y", "b"])).toMatchObject({
    error: { message: "one: Expected file upload, received array" },
  });
});

test.each<[string, z.ZodType]>([
  ["a transformed list", z.array(ez.upload()).transform((files) => files)],
  ["a list or null", z.union([z.array(ez.upload()), z.null()])],
  ["a lazy list", z.lazy(() => z.array(ez.upload()))],
])("a single file fits %s", async (_what, files) => {
  const endpoint = factory.build({
    method: "post",
    input: z.object({ files }),
    handler: async ({ input }) => ({ count: (input.files as unknown[]).length }),
  });
  const answer = await post(await begin({}, endpoint as never), [["files", "x", "a"]]);
  expect(answer.json()).toEqual(successEnvelope({ count: 1 }));
});

test("a missing file gets a 400, even if uploads are disabled and multipart is not parsed at all", async () => {
  const missing = { error: { message: "file: Expected file upload, received undefined" } };
  const answer = await post(await begin(), [["title", "x"]]);
  expect([answer.status, answer.json()]).toMatchObject([400, missing]);
  const off = await start({ up: describeFile });
  expect((await post(off, [["file", "x", "a"]])).status).toBe(415);
  const empty = await off.send("/up", { method: "POST" });
  expect([empty.status, empty.json()]).toMatchObject([400, missing]);
});

test("U12: a file for an endpoint without files gets a 415", async () => {
  const plain = factory.build({ method: "post", input: z.object({}), handler: () => ({}) });
  const server = await begin({}, plain as never);
  expect((await post(server, [["a", "x", "a.txt"]])).status).toBe(415);
});

test.each([500, 5000])("mv moves a file of %i bytes, but only once", async (size) => {
  const content = randomBytes(size);
  const endpoint = factory.build({
    method: "post",
    input: z.object({ file: ez.upload() }),
    handler: async ({ input }) => {
      await input.file.mv(moved());
      const again = await input.file.mv(moved()).catch((error: Error) => error.message);
      return { again: again ?? "" };
    },
  });
  const answer = await post(await begin({}, endpoint as never), [["file", content, "a"]]);
  expect(answer.json()).toEqual(
    successEnvelope({ again: "The uploaded file cannot be moved: it has already been moved" }),
  );
  expect(await readFile(moved())).toEqual(content);
  await expect.poll(() => readdir(directory)).toEqual(["moved"]);
});

test("U11: mv rejects after the response is finished, and mv to a missing directory makes the handler fail", async () => {
  let late: Promise<string> | undefined;
  const endpoint = factory.build({
    method: "post",
    input: z.object({ file: ez.upload(), where: z.enum(["late", "nowhere"]) }),
    handler: async ({ input: { file, where }, response }) => {
      if (where === "nowhere") await file.mv(join(directory, "no/such/folder"));
      late = new Promise((resolve) => {
        response.once("close", () =>
          setTimeout(
            () => void file.mv(moved()).catch((error: Error) => resolve(error.message)),
            20,
          ),
        );
      });
      return {};
    },
  });
  const server = await begin({}, endpoint as never);
  const big = Buffer.alloc(5000);
  expect(
    (
      await post(server, [
        ["file", big, "a"],
        ["where", "late"],
      ])
    ).status,
  ).toBe(200);
  expect(await late).toContain("the response is finished");
  expect(
    (
      await post(server, [
        ["file", big, "a"],
        ["where", "nowhere"],
      ])
    ).status,
  ).toBe(500);
  await expectClean();
});

test("beforeUpload may reject an upload before a byte of the body is read", async () => {
  const beforeUpload = vi.fn(
    ({ request }: { request: { get(name: string): string | undefined } }) => {
      if (!request.get("x-key")) throw createHttpError(403, "No uploads for you");
    },
  );
  const server = await begin({ upload: { limits, tempFileDir: directory, beforeUpload } });
  const answer = await post(server, [["file", "x", "a"]]);
  expect([answer.status, answer.json()]).toEqual([403, errorEnvelope("No uploads for you")]);
  const headers = { ...multipart, "x-key": "1" };
  const allowed = await server.send("/up", {
    method: "POST",
    headers,
    body: toBody([["file", "x", "a"]]),
  });
  expect(allowed.status).toBe(200);
});

test("U10: an upload gets a 500 if the temporary directory is missing, and the server keeps running", async () => {
  const server = await begin({ upload: { limits, tempFileDir: join(directory, "none") } });
  const answer = await post(server, [["file", Buffer.alloc(5000), "a"]]);
  expect(answer.status).toBe(500);
  expect(answer.text).not.toContain(directory);
  expect((await post(server, [["file", "x", "a"]])).status).toBe(200);
});

test("U1: if the client leaves at any byte of an upload, no file remains, and no handler runs", async () => {
  const handler = vi.fn(() => ({}));
  const endpoint = factory.build({
    method: "post",
    input: z.object({ file: ez.upload() }),
    handler,
  });
  const server = await begin({}, endpoint as never);
  const body = toBody([["file", Buffer.alloc(20_000), "a"]]);
  const head = `POST /up HTTP/1.1\r\nHost: x\r\nContent-Type: ${multipart["content-type"]}\r\nContent-Length: ${body.length}\r\n\r\n`;
  for (const sent of [1, 60, 90, 500, 1500, 15_000, body.length - 1]) {
    const socket = await server.open();
    socket.write(Buffer.concat([Buffer.from(head), body.subarray(0, sent)]));
    await new Promise((resolve) => setTimeout(resolve, 15));
    socket.destroy();
  }
  await expectClean();
  expect(handler).not.toHaveBeenCalled();
  expect(server.linesOf("error")).toEqual([]);
});

test("ez.raw accepts a raw body of any media type, next to path parameters", async () => {
  const endpoint = factory.build({
    method: "put",
    input: ez.raw({ id: z.string() }),
    handler: async ({ input }) => ({ id: input.id, hex: input.raw.toString("hex") }),
  });
  const server = await start({ "raw/:id": endpoint });
  const answer = await server.send("/raw/7", {
    method: "PUT",
    headers: { "content-type": "application/octet-stream" },
    body: Buffer.from([0, 255, 1]),
  });
  expect(answer.json()).toEqual(successEnvelope({ id: "7", hex: "00ff01" }));
  const none = await server.send("/raw/7", { method: "PUT" });
  expect([none.status, none.json()]).toMatchObject([
    400,
    { error: { message: "raw: Expected Buffer" } },
  ]);
});

test("ez.form accepts the fields of a form", async () => {
  const endpoint = factory.build({
    method: "post",
    input: ez.form({ a: z.string(), b: z.array(z.string()) }),
    handler: async ({ input }) => input,
  });
  const answer = await (
    await start({ form: endpoint })
  ).send("/form", {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: "a=x+y&b=1&b=2",
  });
  expect(answer.json()).toEqual(successEnvelope({ a: "x y", b: ["1", "2"] }));
});

test("keepRawBody keeps the bytes of a parsed body, so that a signature can be verified", async () => {
  const endpoint = factory.build({
    method: "post",
    input: z.object({ a: z.number() }),
    keepRawBody: true,
    handler: async ({ input, request }) => ({
      ...input,
      raw: (request as { rawBody?: Buffer }).rawBody?.toString(),
    }),
  });
  const answer = await (
    await start({ hook: endpoint })
  ).send("/hook", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: '{ "a" : 1 }',
  });
  expect(answer.json()).toEqual(successEnvelope({ a: 1, raw: '{ "a" : 1 }' }));
});

test("keepRawBody gives an empty Buffer for an empty body, whose signature can be verified as well", async () => {
  const endpoint = factory.build({
    method: "post",
    input: z.object({}),
    keepRawBody: true,
    handler: async ({ request }) => ({
      length: (request as { rawBody?: Buffer }).rawBody?.length,
    }),
  });
  const server = await start({ hook: endpoint });
  const headers = { "content-type": "application/json", "transfer-encoding": "chunked" };
  const answer = await server.send("/hook", { method: "POST", headers });
  expect(answer.json()).toEqual(successEnvelope({ length: 0 }));
});

test("U5: the response to a field that is too large shows only a hundred characters of its name", async () => {
  const name = "n".repeat(300);
  const answer = await post(await begin(), [[name, "x".repeat(51)]]);
  const shown = `Field too large: ${"n".repeat(100)}`;
  expect([answer.status, answer.json()]).toEqual([413, errorEnvelope(shown)]);
});

test("an application's own field named raw is not a raw body", async () => {
  const endpoint = factory.build({
    method: "post",
    input: z.object({ raw: z.custom<number>((value) => typeof value === "number") }),
    handler: async ({ input }) => input,
  });
  const answer = await (
    await start({ a: endpoint })
  ).send("/a", { method: "POST", body: { raw: 1 } });
  expect(answer.json()).toEqual(successEnvelope({ raw: 1 }));
});
