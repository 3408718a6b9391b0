import createHttpError from "http-errors";
import { defaultEndpointsFactory as factory, ez } from "sallyport";
import { expect, test, vi } from "vitest";
import { z } from "zod";
import { errorEnvelope, start } from "../harness.ts";

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

test("U6: without configured limits, the safe defaults apply: 10 MiB per file, 10 files, 1 MiB per field", async () => {
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
  expect([many.status, many.json()]).toEqual([413, errorEnvelope("Too many parts: f10")]);
  const ofField = (size: number): Buffer =>
    Buffer.from(
      `--b\r\nContent-Disposition: form-data; name="t"\r\n\r\n${"x".repeat(size)}\r\n${fileParts(1, 1).toString()}`,
    );
  expect((await post(ofField(1_048_576))).status).toBe(200);
  const long = await post(ofField(1_048_577));
  expect([long.status, long.json()]).toEqual([413, errorEnvelope("Field too large: t")]);
  expect(handler).toHaveBeenCalledTimes(3);
});

test.each([
  ["an HTTP error", createHttpError(422, "At most 5 bytes"), 422, "At most 5 bytes"],
  ["another error", new Error("At most 5 bytes"), 500, "At most 5 bytes"],
])(
  "`limitError`, %s, is sent in place of any 413 of an upload",
  async (_kind, limitError, ...sent) => {
    const [status, message] = sent;
    const input = z.object({ f0: ez.upload().optional() });
    const endpoint = factory.build({ method: "post", input, handler: () => ({}) });
    const limits = { fileSize: 5, files: 2, total: 10_000 };
    const server = await start({ up: endpoint }, { cors: true, upload: { limits, limitError } });
    const headers = { "content-type": "multipart/form-data; boundary=b" };
    for (const body of [fileParts(1, 6), fileParts(3, 1), Buffer.alloc(10_001)]) {
      const answer = await server.send("/up", { method: "POST", headers, body });
      expect([answer.status, answer.json()]).toEqual([status, errorEnvelope(message)]);
      expect(answer.headers).toHaveProperty("access-control-allow-origin", "*");
    }
    const answer = await server.send("/up", { method: "POST", headers, body: "no parts" });
    expect(answer.status).toBe(400);
  },
);

// a pattern that backtracks would take hours for a megabyte
test.each([
  ["parameters", `multipart/form-data${"; a=b".repeat(200_000)}`],
  ["spaces", `multipart/form-data;${" ".repeat(1_000_000)}boundary`],
  ["leading spaces", `${" ".repeat(1_000_000)}!`],
  ["escapes", `multipart/form-data; boundary="${String.raw`\b`.repeat(500_000)}`],
  ["backslashes", `multipart/form-data; boundary="${"\\".repeat(1_000_001)}`],
  ["equals signs", `multipart/form-data; ${"=".repeat(1_000_000)}`],
  ["semicolons", `multipart/form-data${";".repeat(1_000_000)}x`],
  ["a media type of letters", "a".repeat(1_000_000)],
  ["a boundary", `multipart/form-data; boundary=${"a ".repeat(500_000)}`],
])("U9: a crafted content type of a megabyte (%s) is parsed in linear time", async (_of, type) => {
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
