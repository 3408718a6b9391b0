import { syncBuiltinESMExports } from "node:module";
import { Readable } from "node:stream";
import { defaultEndpointsFactory as factory, ez } from "sallyport";
import { expect, test, vi } from "vitest";
import { z } from "zod";
import { apiKey } from "../../example/src/factories.ts";
import { routing } from "../../example/src/routing.ts";
import { errorEnvelope, start } from "./harness.ts";

const fileParts = (count: number, bytes: number): Buffer =>
  Buffer.concat([
    ...Array.from({ length: count }, (_, index) =>
      Buffer.concat([
        Buffer.from(
          `--b\r\nContent-Disposition: form-data; name="f${index}"; filename="a"\r\n\r\n`,
        ),
        Buffer.alloc(bytes),
        Buffer.from("\r\n"),
      ]),
    ),
    Buffer.from("--b--\r\n"),
  ]);

test("U6: without configured limits the safe ones hold: 10 MiB a file, 10 files", async () => {
  const handler = vi.fn(() => ({}));
  const endpoint = factory.build({
    method: "post",
    input: z.object({ f0: ez.upload() }),
    handler,
  });
  const server = await start({ up: endpoint }, { upload: true });
  const post = (body: Buffer) =>
    server.send("/up", {
      method: "POST",
      headers: { "content-type": "multipart/form-data; boundary=b" },
      body,
    });
  const mebibytes = 10 * 1024 * 1024;
  expect((await post(fileParts(1, mebibytes))).status).toBe(200);
  expect((await post(fileParts(10, 10))).status).toBe(200);
  const large = await post(fileParts(1, mebibytes + 1));
  expect([large.status, large.json()]).toEqual([413, errorEnvelope("File too large: f0")]);
  const many = await post(fileParts(11, 10));
  expect([many.status, many.json()]).toEqual([413, errorEnvelope("Too many parts")]);
  expect(handler).toHaveBeenCalledTimes(2);
});

// of a megabyte anything but one pass takes hours
test.each([
  ["parameters", `multipart/form-data${"; a=b".repeat(200_000)}`],
  ["spaces", `multipart/form-data;${" ".repeat(1_000_000)}boundary`],
  ["spaces in front", `${" ".repeat(1_000_000)}!`],
  ["escapes", `multipart/form-data; boundary="${String.raw`\b`.repeat(500_000)}`],
  ["backslashes", `multipart/form-data; boundary="${"\\".repeat(1_000_001)}`],
  ["equals signs", `multipart/form-data; ${"=".repeat(1_000_000)}`],
  ["semicolons", `multipart/form-data${";".repeat(1_000_000)}x`],
  ["a type of letters", "a".repeat(1_000_000)],
  ["a boundary", `multipart/form-data; boundary=${"a ".repeat(500_000)}`],
])("U9: a crafted content type of a megabyte (%s) is read in one pass", async (_of, type) => {
  const endpoint = factory.build({
    method: "post",
    input: z.object({ f0: ez.upload() }),
    handler: () => ({}),
  });
  const options = { maxHeaderSize: 2_000_000 };
  const server = await start(
    { up: endpoint },
    { http: { listen: { port: 0, host: "127.0.0.1" }, options }, upload: true },
  );
  const headers = { "content-type": type };
  const answer = await server.send("/up", { method: "POST", headers, body: "--b--\r\n" });
  expect([400, 415]).toContain(answer.status);
});

test("R13: a slow reader slows the producer down, and its leaving stops it", async () => {
  let produced = 0;
  const chunk = Buffer.alloc(65_536);
  const source = new Readable({
    read() {
      produced += chunk.length;
      this.push(chunk);
    },
  });
  const endpoint = factory.build({
    handler: async ({ response, signal }) => {
      signal.addEventListener("abort", () => source.destroy());
      source.pipe(response);
      return undefined;
    },
  });
  const server = await start({ a: endpoint });
  const socket = await server.open();
  socket.pause().write("GET /a HTTP/1.1\r\nHost: x\r\n\r\n");
  await new Promise((resolve) => setTimeout(resolve, 300));
  const early = produced;
  await new Promise((resolve) => setTimeout(resolve, 200));
  // the buffers of the kernel are full, and nothing more is produced
  expect(produced).toBe(early);
  expect(early).toBeLessThan(64 * 1024 * 1024);
  socket.destroy();
  await expect.poll(() => source.destroyed).toBe(true);
});

test("R15: the example compares keys by digests of one length, in constant time", async () => {
  const crypto = process.getBuiltinModule("node:crypto");
  const compare = vi.spyOn(crypto, "timingSafeEqual");
  syncBuiltinESMExports();
  try {
    const server = await start(routing, { cors: true });
    const near = `${apiKey.slice(0, -1)}x`;
    const keys = ["", "x", near, `${apiKey}x`, apiKey.toUpperCase(), "ä".repeat(500), apiKey];
    const statuses: number[] = [];
    for (const key of keys) {
      const headers = { "x-api-key": encodeURI(key) };
      statuses.push((await server.send("/v1/users", { method: "POST", headers, body: {} })).status);
    }
    expect(statuses).toEqual([401, 401, 401, 401, 401, 401, 400]);
    expect(compare).toHaveBeenCalledTimes(keys.length);
    for (const [one, other] of compare.mock.calls)
      expect([one.byteLength, other.byteLength]).toEqual([32, 32]);
  } finally {
    compare.mockRestore();
    syncBuiltinESMExports();
  }
});
