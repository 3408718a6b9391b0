import { readFileSync } from "node:fs";
import { Readable } from "node:stream";
import { defaultEndpointsFactory as factory, ez } from "sallyport";
import { expect, test, vi } from "vitest";
import { z } from "zod";
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

// otherwise the test is given up
test("U9: a crafted content type costs linear time and is 400 or 415", async () => {
  const endpoint = factory.build({
    method: "post",
    input: z.object({ f0: ez.upload() }),
    handler: () => ({}),
  });
  const server = await start({ up: endpoint }, { upload: true });
  for (const type of [
    `multipart/form-data${"; a=b".repeat(2000)}`,
    `multipart/form-data;${" ".repeat(10_000)}boundary`,
    `multipart/form-data; boundary="${"\\b".repeat(4000)}`,
    `multipart/form-data; ${"=".repeat(8000)}`,
  ]) {
    const headers = { "content-type": type };
    const answer = await server.send("/up", { method: "POST", headers, body: "--b--\r\n" });
    expect([400, 415]).toContain(answer.status);
  }
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

test("R15: the example compares secrets by their digests in constant time", () => {
  const path = new URL("../../example/src/factories.ts", import.meta.url);
  const source = readFileSync(path, "utf8");
  expect(source).toContain("timingSafeEqual");
  expect(source).not.toMatch(/[!=]==? ?apiKey|apiKey ?[!=]==?/);
});
