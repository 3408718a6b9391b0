import express from "express";
import { defaultEndpointsFactory as factory, ez } from "sallyport";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { errorEnvelope, start, successEnvelope } from "../harness.ts";

const withFiles = factory.build({
  method: "post",
  input: z.object({ file: ez.upload().optional(), title: z.string().optional() }),
  output: z.object({ title: z.string().optional(), file: z.string().optional() }),
  handler: async ({ input: { file, title } }) => ({ title, file: file?.name }),
});
const withoutFiles = factory.build({
  method: "post",
  input: z.object({ title: z.string().optional() }),
  output: z.object({ title: z.string().optional() }),
  handler: async ({ input }) => input,
});
const required = factory.build({
  method: "post",
  input: z.object({ file: ez.upload() }),
  handler: async () => ({}),
});

const fileDisposition = 'Content-Disposition: form-data; name="file"; filename="a.txt"';
const disposition = 'Content-Disposition: form-data; name="title"';

const send = async (path: string, ...parts: readonly string[]) => {
  const server = await start({ withFiles, withoutFiles, required }, { upload: true });
  const reply = await server.send(path, {
    method: "POST",
    headers: { "content-type": "multipart/form-data; boundary=b" },
    body: `${parts.map((part) => `--b\r\n${part}\r\n`).join("")}--b--\r\n`,
  });
  return [reply.status, reply.json()];
};

describe.each(["/withFiles", "/withoutFiles"])("U4: POST %s", (path) => {
  test.each([
    ["a header line without a colon", `odd\r\n${disposition}\r\n\r\nx`],
    ["a bare line feed in its headers", `X-Odd: a\nb\r\n${disposition}\r\n\r\nx`],
    ["no Content-Disposition", "Content-Type: text/plain\r\n\r\nx"],
    ["another kind of Content-Disposition", 'Content-Disposition: attachment; name="a"\r\n\r\nx'],
    ["headers that never end", disposition],
    ["neither headers nor content", ""],
    ["a line feed in its name", 'Content-Disposition: form-data; name="a\nb"\r\n\r\nx'],
    ["16 KiB before its name", `X-Odd: ${"a".repeat(16_400)}\r\n${disposition}\r\n\r\nx`],
    ["101 headers before its name", `${"X: a\r\n".repeat(101)}${disposition}\r\n\r\nx`],
  ])("a part with %s is skipped, and the others are read", async (_name, part) => {
    const good = `${disposition}\r\n\r\ngood`;
    expect(await send(path, part)).toEqual([200, successEnvelope({})]);
    expect(await send(path, good, part)).toEqual([200, successEnvelope({ title: "good" })]);
    expect(await send(path, part, good)).toEqual([200, successEnvelope({ title: "good" })]);
  });

  test.each([
    ["no name", "Content-Disposition: form-data\r\n\r\nx"],
    ["an empty name", 'Content-Disposition: form-data; name=""\r\n\r\nx'],
  ])("a part with %s gets a 400", async (_name, part) => {
    const malformed = [400, errorEnvelope("Malformed multipart body")];
    expect(await send(path, part)).toEqual(malformed);
    expect(await send(path, `${disposition}\r\n\r\ngood`, part)).toEqual(malformed);
    expect(await send(path, part, `${disposition}\r\n\r\ngood`)).toEqual(malformed);
  });

  test.each([
    ["no parts", [], {}],
    [
      "a part with headers of 16,000 bytes",
      [`X: ${"a".repeat(16_000)}\r\n${disposition}\r\n\r\nx`],
      { title: "x" },
    ],
    [
      "16 KiB of headers after its name",
      [`${disposition}\r\nX: ${"a".repeat(40_000)}\r\n\r\nx`],
      { title: "x" },
    ],
    ["an empty field", [`${disposition}\r\n\r\n`], { title: "" }],
  ])("a body with %s is accepted", async (_name, parts, data) => {
    expect(await send(path, ...parts)).toEqual([200, successEnvelope(data)]);
  });
});

test("a body that a native middleware has read as bytes is parsed with its files", async () => {
  const server = await start(
    {
      given: factory.use(express.raw({ type: () => true })).build({
        method: "post",
        input: z.object({ file: ez.upload(), title: z.string().optional() }),
        output: z.object({ title: z.string().optional(), text: z.string() }),
        handler: async ({ input: { file, title } }) => ({ title, text: file.data.toString() }),
      }),
    },
    { upload: true },
  );
  const parts = [`${disposition}\r\n\r\ngood`, `${fileDisposition}\r\n\r\ncontent`];
  const post = async (body: string) => {
    const headers = { "content-type": "multipart/form-data; boundary=b" };
    const { status, text } = await server.send("/given", { method: "POST", headers, body });
    return [status, JSON.parse(text)];
  };
  const body = `${parts.map((part) => `--b\r\n${part}\r\n`).join("")}--b--\r\n`;
  expect(await post(body)).toEqual([200, successEnvelope({ title: "good", text: "content" })]);
  expect(await post(body.slice(0, -10))).toEqual([400, errorEnvelope("Malformed multipart body")]);
});

test("an upload with a content encoding is refused with 415, and not read as a malformed one", async () => {
  const server = await start({ withFiles }, { upload: true });
  const headers = { "content-type": "multipart/form-data; boundary=b", "content-encoding": "gzip" };
  const refused = await server.send("/withFiles", { method: "POST", headers, body: "x" });
  expect([refused.status, refused.headers["accept-encoding"]]).toEqual([415, "identity"]);
});

describe("a file input without a chosen file", () => {
  const empty =
    'Content-Disposition: form-data; name="file"; filename=""\r\nContent-Type: application/octet-stream\r\n\r\n';

  test("is no file", async () => {
    expect(await send("/withFiles", empty)).toEqual([200, successEnvelope({})]);
    expect(await send("/withFiles", empty, `${disposition}\r\n\r\nx`, empty)).toEqual([
      200,
      successEnvelope({ title: "x" }),
    ]);
    expect((await send("/required", empty))[0]).toBe(400);
  });

  test("but a file without a name or without content is one", async () => {
    expect(await send("/withFiles", `${empty}x`)).toEqual([200, successEnvelope({ file: "" })]);
    expect(await send("/withFiles", empty.replace('""', '"a"'))).toEqual([
      200,
      successEnvelope({ file: "a" }),
    ]);
  });
});

test.each(["utf-8''%E4%f", "odd''%41", "utf-8", "utf-8''", "''a"])(
  "U4: a file name that is encoded wrongly (%s) does not reject the file",
  async (name) => {
    const part = `Content-Disposition: form-data; name=file; filename*=${name}\r\n\r\nx`;
    expect(await send("/withFiles", part)).toEqual([
      200,
      successEnvelope({ file: expect.any(String) as string }),
    ]);
  },
);
