import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import createHttpError from "http-errors";
import { defaultEndpointsFactory as factory, ez, type ServerConfig } from "sallyport";
import { createClient, type ClientOptions } from "sallyport/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { importGenerated } from "../generated-client.ts";
import { start } from "../harness.ts";

let file = "";
beforeAll(() => {
  file = join(mkdtempSync(join(tmpdir(), "sallyport-content-")), "a.json");
  writeFileSync(file, '{"a":1}');
});
afterAll(() => rmSync(join(file, ".."), { recursive: true }));

const input = z.object({ type: z.string().optional(), path: z.string().optional() });
const make = (output: ReturnType<typeof ez.file<"*/*">>) =>
  factory.build({
    input,
    output,
    handler: async ({ input: { type, path = file }, response }) => {
      if (type !== undefined) response.type(type);
      return path;
    },
  });
const routing = {
  any: make(ez.file("*/*")),
  open: make(ez.file()),
  declared: make(ez.file("application/octet-stream") as never),
  text: make(ez.file("text/plain") as never),
  buffer: factory.build({
    input,
    output: ez.buffer("image/png"),
    handler: async ({ input: { type }, response }) => {
      if (type !== undefined) response.type(type);
      return Buffer.from('{"a":1}');
    },
  }),
  stream: factory.build({
    output: ez.stream("*/*"),
    handler: async function* () {
      yield '{"a":1}';
    },
  }),
  failing: factory.build({
    output: ez.stream(),
    // oxlint-disable-next-line require-yield -- it fails before the first piece
    handler: async function* () {
      throw createHttpError(409, "Not now");
    },
  }),
  import: factory.build({
    method: "post",
    input: ez.raw().meta({ contentMediaType: "application/x-ndjson" }),
    output: z.object({ type: z.string().optional() }),
    handler: async ({ request }) => ({ type: request.get("content-type") }),
  }),
};

type Client = ReturnType<typeof createClient<typeof routing>>;

const connect = async (
  kind: string,
  config: Partial<ServerConfig> = {},
  options: Partial<ClientOptions> = {},
): Promise<Client> => {
  const { port } = await start(routing, config);
  const all = { baseUrl: `http://127.0.0.1:${port}`, ...options };
  if (kind === "inferred") return createClient<typeof routing>(all);
  return (await importGenerated<Client>(routing, {})).createClient(all);
};

describe.each(["inferred", "generated"])("the %s client receives content", (kind) => {
  const types = [undefined, "image/png", "text/plain", "application/json", "text/html"];
  test.each(types)("that is not declared as text as a Blob, even if sent as %s", async (type) => {
    const client = await connect(kind);
    for (const key of ["get /any", "get /open", "get /declared", "get /buffer"] as const) {
      const body: unknown = await client.provide(key, { type });
      expect(body).toBeInstanceOf(Blob);
      expect(await (body as Blob).text()).toBe('{"a":1}');
    }
    const streamed: unknown = await client.provide("get /stream");
    expect(streamed).toBeInstanceOf(Blob);
  });

  test("that is declared as text as a string", async () => {
    const client = await connect(kind);
    expect(await client.provide("get /text")).toBe('{"a":1}');
  });

  test("and the errors in its place as JSON", async () => {
    const client = await connect(kind);
    const missing = await client.request("get /any", { path: "/none", type: "text/plain" });
    expect(missing).toMatchObject({ ok: false, body: { status: "error" } });
    expect(missing.headers.has("x-content-as")).toBe(false);
  });

  test("as a stream on request, and errors as a ReplyError", async () => {
    const client = await connect(kind);
    const response = await client.download("get /any");
    expect(response.bodyUsed).toBe(false);
    const pieces = [];
    for await (const piece of response.body as unknown as AsyncIterable<Uint8Array>)
      pieces.push(piece);
    expect(Buffer.concat(pieces).toString()).toBe('{"a":1}');
    const failed = client.download("get /failing");
    await expect(failed).rejects.toMatchObject({ name: "ReplyError", message: "Not now" });
  });

  test("until its signal is aborted", async () => {
    const controller = new AbortController();
    const fetch = async (_url: string, { signal }: RequestInit): Promise<Response> => {
      const body = new ReadableStream({
        start: (stream) => signal?.addEventListener("abort", () => stream.error(new Error("end"))),
      });
      return new Response(body);
    };
    const client = await connect(kind, {}, { fetch });
    const { body } = await client.download("get /any", {}, { signal: controller.signal });
    controller.abort();
    await expect(body?.getReader().read()).rejects.toThrow("end");
  });
});

test("browsers can read what marks content of another origin", async () => {
  const { port } = await start(routing, { cors: true });
  const { headers } = await fetch(`http://127.0.0.1:${port}/any?type=text/plain`);
  expect(headers.get("access-control-expose-headers")).toBe("X-Content-As");
  const { headers: others } = await fetch(`http://127.0.0.1:${port}/any?type=image/png`);
  expect([others.get("access-control-expose-headers"), others.get("x-content-as")]).toEqual([
    null,
    null,
  ]);
});

test("the generated client sends a raw body as its declared media type", async () => {
  const client = await connect("generated");
  const send = async (raw: Blob | Uint8Array | string) => {
    const reply = await client.request("post /import", { raw });
    return reply.ok && reply.body.data.type;
  };
  expect(await send("{}\n")).toBe("application/x-ndjson");
  expect(await send(new Uint8Array([1]))).toBe("application/x-ndjson");
  expect(await send(new Blob(["a"], { type: "text/csv" }))).toBe("text/csv");
});
