import { once } from "node:events";
import { PassThrough } from "node:stream";
import { Busboy } from "@fastify/busboy";
import { expect, test, vi } from "vitest";
import { parseParts, watchParts } from "./multipart-parser.ts";

test("all parts of a body are counted, including those that the parser skips", async () => {
  const parser = new Busboy({ headers: { "content-type": "multipart/form-data; boundary=b" } });
  const countParts = watchParts(parser, vi.fn());
  const onField = vi.fn();
  parser.on("field", onField);
  const part = 'Content-Disposition: form-data; name="a"\r\n\r\nx';
  parser.end(`--b\r\nodd\r\n\r\nx\r\n--b\r\n${part}\r\n--b--`);
  await once(parser, "finish");
  expect([countParts(), onField.mock.calls.length]).toEqual([2, 1]);
});

test("no parts are counted if the parser has no inner parser", () => {
  expect(watchParts(new PassThrough(), vi.fn())()).toBe(0);
});

test("a body can still fail while its last file is being written", async () => {
  let fail: (error: unknown) => void = vi.fn();
  const parsing = parseParts(
    "multipart/form-data; boundary=b",
    {},
    {},
    async () => {
      await Promise.resolve();
      fail(new Error("The client has left"));
    },
    (parser, reject) => {
      fail = reject;
      parser.end('--b\r\nContent-Disposition: form-data; name="a"\r\n\r\nx\r\n--b--');
    },
  );
  await expect(parsing).rejects.toThrow("The client has left");
});
