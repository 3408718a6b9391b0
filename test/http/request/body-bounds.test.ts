import { mkdtemp, mkdir, readdir, readFile, rm, stat } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { randomBytes } from "node:crypto";
import zlib from "node:zlib";
import { defaultEndpointsFactory as factory, ez, type ServerConfig } from "sallyport";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { errorEnvelope, start } from "../harness.ts";

let directory = "";
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "sallyport-bounds-"));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const createCounted = () => {
  const handler = vi.fn(() => ({}));
  return { handler, act: factory.build({ method: "post", input: z.looseObject({}), handler }) };
};
const json = { "content-type": "application/json" };

describe("W28: no request waits forever if its client resets the connection after a complete body", () => {
  const compressed: readonly (readonly [name: string, encode: (text: Buffer) => Buffer])[] = [
    ["gzip", zlib.gzipSync],
    ["br", zlib.brotliCompressSync],
    ["identity", (text) => text],
  ];
  test.each(compressed)("with the encoding %s", async (encoding, encode) => {
    const [begun, settled] = [new Set<unknown>(), new Set<unknown>()];
    const act = factory.build({
      method: "post",
      input: z.looseObject({}),
      handler: ({ request }) => {
        settled.add(request);
        return {};
      },
    });
    const server = await start(
      { act },
      {
        accessLogger: null,
        childLoggerProvider: ({ request, parent }) => {
          begun.add(request);
          return { ...parent, debug: () => void settled.add(request) };
        },
      },
    );
    const body = encode(Buffer.from(JSON.stringify({ a: randomBytes(90_000).toString("base64") })));
    const head = `POST /act HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Encoding: ${encoding}\r\nContent-Length: ${body.length}\r\n\r\n`;
    for (let count = 0; count < 40 || begun.size <= 10; count++) {
      const socket = await server.open();
      socket.write(Buffer.concat([Buffer.from(head), body]));
      await new Promise((resolve) => setTimeout(resolve, count % 4));
      socket.resetAndDestroy();
    }
    // each request reaches its handler or is abandoned; none waits forever
    await expect.poll(() => settled.size).toBe(begun.size);
    expect(server.linesOf("error")).toEqual([]);
  });
});

describe("B22: compressed bodies are bounded", () => {
  const post = async (body: Buffer, headers: object, config: Partial<ServerConfig> = {}) => {
    const { act, handler } = createCounted();
    const server = await start({ act }, config);
    const answer = await server.send("/act", {
      method: "POST",
      headers: { ...json, ...headers },
      body,
    });
    return { answer, handler };
  };

  test("many empty gzip members get a 413", async () => {
    const empty = zlib.gzipSync("");
    const body = Buffer.concat(Array.from({ length: 200 }, () => empty));
    const chunked = { "content-encoding": "gzip", "transfer-encoding": "chunked" };
    for (const headers of [{ "content-encoding": "gzip" }, chunked]) {
      const { answer, handler } = await post(body, headers, { bodyLimit: 1000 });
      expect([answer.status, answer.json()]).toEqual([413, errorEnvelope("Content Too Large")]);
      expect(handler).not.toHaveBeenCalled();
    }
  });

  test("a body of exactly the limit is accepted even if compression makes it larger", async () => {
    const body = Buffer.from(JSON.stringify({ a: randomBytes(60_000).toString("base64") }));
    const encoded = zlib.gzipSync(body, { level: 0 });
    expect(encoded.length).toBeGreaterThan(body.length);
    const limit = { bodyLimit: body.length };
    const { answer } = await post(encoded, { "content-encoding": "gzip" }, limit);
    expect(answer.status).toBe(200);
  });

  test.runIf("createZstdDecompress" in zlib)(
    "zstd that requires 128 MiB of memory gets a 400",
    async () => {
      const text = Buffer.from("{}");
      const size = (text.length << 3) | 1;
      const window = 17 << 3;
      const start = [0x28, 0xb5, 0x2f, 0xfd, 0x00, window, size & 255, size >> 8, 0];
      const { answer } = await post(Buffer.concat([Buffer.from(start), text]), {
        "content-encoding": "zstd",
      });
      expect(answer.status).toBe(400);
    },
  );
});

const field = (name: string, value: string): string =>
  `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const file = (content: string): string =>
  `--b\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n${content}\r\n`;
const multipart = { "content-type": "multipart/form-data; boundary=b" };

describe("B22: the limits for a multipart body", () => {
  const upload = async (body: string, limits: object, headers: Record<string, string> = {}) => {
    const handler = vi.fn(() => ({}));
    const input = z.looseObject({ file: ez.upload().optional() });
    const up = factory.build({ method: "post", input, handler });
    const server = await start({ up }, { upload: { tempFileDir: directory, limits } });
    const sent = {
      method: "POST",
      headers: { ...multipart, ...headers },
      body: `${body}--b--\r\n`,
    };
    const answer = await server.send("/up", sent);
    await expect.poll(() => readdir(directory)).toEqual([]);
    return { answer, handler };
  };

  test("apply to all fields together, including their names", async () => {
    const fields = Array.from({ length: 10 }, (_, index) => field(`k${index}`, "x".repeat(98)));
    const accepted = await upload(fields.join(""), { fieldsSize: 1000 });
    expect(accepted.answer.status).toBe(200);
    const { answer, handler } = await upload(fields.join(""), { fieldsSize: 999 });
    expect([answer.status, answer.json()]).toEqual([413, errorEnvelope("Fields too large")]);
    expect(handler).not.toHaveBeenCalled();
  });

  test.each([
    ["of known length", {}],
    ["in chunks", { "transfer-encoding": "chunked" }],
  ])("apply to all files together, in a body %s", async (_name, headers) => {
    const body = file("x".repeat(5000));
    const total = body.length + "--b--\r\n".length;
    const limits = { memory: 0, total };
    expect((await upload(body, limits, headers)).answer.status).toBe(200);
    const { answer, handler } = await upload(body, { ...limits, total: total - 1 }, headers);
    expect([answer.status, answer.json()]).toEqual([413, errorEnvelope("Content Too Large")]);
    expect(handler).not.toHaveBeenCalled();
  });

  test("accept a file that arrives in chunks of one byte", async () => {
    const { promise, resolve } = withResolvers<number>();
    const up = factory.build({
      method: "post",
      input: z.object({ file: ez.upload() }),
      handler: ({ input }) => {
        resolve(input.file.data.toString() === "x".repeat(20_000) ? input.file.size : -1);
        return {};
      },
    });
    const server = await start(
      { up },
      { upload: { tempFileDir: directory, limits: { memory: 0 } } },
    );
    const socket = await server.open();
    const body = `${file("x".repeat(20_000))}--b--\r\n`;
    const chunks = body
      .split("")
      .map((one) => `1\r\n${one}\r\n`)
      .join("");
    socket.write(
      `POST /up HTTP/1.1\r\nHost: a\r\nContent-Type: ${multipart["content-type"]}\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`,
    );
    expect(await promise).toBe(20_000);
    socket.destroy();
  });

  test("do not keep a request waiting if its client leaves before the upload begins", async () => {
    const { promise, resolve } = withResolvers<void>();
    const up = factory.build({
      method: "post",
      input: z.object({ file: ez.upload() }),
      handler: () => ({}),
    });
    const beforeUpload = vi.fn(() => promise);
    const quiet = { accessLogger: null, startupLogo: false };
    const server = await start({ up }, { upload: { beforeUpload }, ...quiet });
    const socket = await server.open();
    socket.write(
      `POST /up HTTP/1.1\r\nHost: a\r\nContent-Type: ${multipart["content-type"]}\r\nContent-Length: 900\r\n\r\n--b`,
    );
    await expect.poll(() => beforeUpload.mock.calls.length).toBe(1);
    socket.resetAndDestroy();
    await server.untilLeft();
    resolve();
    await expect
      .poll(() => server.lines.map(({ message }) => message))
      .toEqual([expect.stringContaining("client disconnected")]);
  });
});

describe("mv", () => {
  const moveTo = async (path: string, memory: number) => {
    const done = vi.fn();
    const up = factory.build({
      method: "post",
      input: z.object({ file: ez.upload() }),
      handler: async ({ input }) => {
        try {
          await input.file.mv(path);
          done();
        } catch (error) {
          done(error);
        }
        return {};
      },
    });
    const temporary = join(directory, "temporary");
    await mkdir(temporary);
    const server = await start({ up }, { upload: { tempFileDir: temporary, limits: { memory } } });
    await server.send("/up", { method: "POST", headers: multipart, body: `${file("x")}--b--\r\n` });
    await expect.poll(() => done.mock.calls.length).toBe(1);
    return { error: done.mock.calls[0]?.[0] as unknown, temporary };
  };

  test.each([
    ["memory", 100],
    ["disk", 0],
  ])("gives a file from %s mode 600, and replaces an existing file", async (_name, memory) => {
    const path = join(directory, "moved");
    const { error } = await moveTo(path, memory);
    expect(error).toBeUndefined();
    expect([(await stat(path)).mode & 0o777, await readFile(path, "utf8")]).toEqual([0o600, "x"]);
    expect(await readdir(directory)).toEqual(["moved", "temporary"]);
  });

  test.each([
    ["memory", 100],
    ["disk", 0],
  ])("leaves no part of a file from %s behind if it fails", async (_name, memory) => {
    const path = join(directory, "folder");
    await mkdir(join(path, "full"), { recursive: true });
    const { error, temporary } = await moveTo(path, memory);
    expect(error).toBeInstanceOf(Error);
    await expect.poll(() => readdir(temporary)).toEqual([]);
    expect(await readdir(directory)).toEqual(["folder", "temporary"]);
  });

  test("that fails after the response is finished leaves no temporary file", async () => {
    const { promise, resolve } = withResolvers<void>();
    const failed = vi.fn();
    const up = factory.build({
      method: "post",
      input: z.object({ file: ez.upload() }),
      handler: async ({ input, response }) => {
        // the move begins before the response is finished, and fails afterwards
        const moving = input.file.mv(join(directory, "none", "moved"));
        response.once("close", resolve);
        response.end("early");
        await promise;
        await moving.catch(failed);
      },
    });
    const server = await start(
      { up },
      { upload: { tempFileDir: directory, limits: { memory: 0 } } },
    );
    await server.send("/up", { method: "POST", headers: multipart, body: `${file("x")}--b--\r\n` });
    await expect.poll(() => failed.mock.calls.length).toBe(1);
    await expect.poll(() => readdir(directory)).toEqual([]);
  });

  test("that is still running when the response is finished succeeds, although the form has an input without a file", async () => {
    const files = process.getBuiltinModule("node:fs/promises");
    const { promise: closed, resolve } = withResolvers<void>();
    const deleting = vi.spyOn(files, "rm");
    const { rename } = files;
    vi.spyOn(files, "rename").mockImplementation(async (...paths) => {
      await closed;
      await new Promise((done) => setImmediate(done));
      await Promise.all(deleting.mock.results.map(({ value }) => value as unknown));
      await rename(...paths);
    });
    syncBuiltinESMExports();
    onTestFinished(() => {
      vi.restoreAllMocks();
      syncBuiltinESMExports();
    });
    let moving: Promise<void> | undefined;
    const up = factory.build({
      method: "post",
      input: z.object({ file: ez.upload() }),
      handler: async ({ input, response }) => {
        response.once("close", resolve);
        moving = input.file.mv(join(directory, "moved"));
        return {};
      },
    });
    const server = await start(
      { up },
      { upload: { tempFileDir: directory, limits: { memory: 0 } } },
    );
    const empty = file("").replace('name="file"; filename="f"', 'name="other"; filename=""');
    const body = `${empty}${file("x")}--b--\r\n`;
    await server.send("/up", { method: "POST", headers: multipart, body });
    await expect(moving).resolves.toBeUndefined();
    expect(await readFile(join(directory, "moved"), "utf8")).toBe("x");
  });
});

function withResolvers<T>(): {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
} {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((done) => (resolve = done));
  return { promise, resolve: (value) => resolve(value) };
}
