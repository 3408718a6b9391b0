import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  defaultEndpointsFactory as factory,
  DefinitionError,
  ez,
  problemEndpointsFactory,
} from "sallyport";
import { testEndpoint } from "sallyport/testing";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { findOfficialErrors } from "../../openapi/official-schemas.ts";
import { findOperation, generate } from "../../openapi/generate.ts";
import { errorEnvelope, start, successEnvelope, type TestServer } from "../harness.ts";

let directory = "";
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "sallyport-types-"));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const png = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");
const jpeg = Buffer.from("ffd8ffe000104a46494600010100", "hex");
const svg = '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>';

const build = (file: ReturnType<typeof ez.upload>, own = factory) =>
  own.build({
    method: "post",
    input: z.object({ file, more: z.array(file).optional() }),
    output: z.object({ types: z.array(z.string()) }),
    handler: ({ input: { file: one, more = [] } }) => ({
      types: [one, ...more].map(({ mimetype }) => mimetype),
    }),
  });

type Part = readonly [content: Buffer | string, type?: string, name?: string];

const post = (server: TestServer, ...parts: readonly Part[]) =>
  server.send("/up", {
    method: "POST",
    headers: { "content-type": "multipart/form-data; boundary=b" },
    body: Buffer.concat([
      ...parts.flatMap(([content, type = "image/png", name = "file"]) => [
        Buffer.from(
          `--b\r\nContent-Disposition: form-data; name="${name}"; filename="a.png"\r\nContent-Type: ${type}\r\n\r\n`,
        ),
        Buffer.from(content as string),
        Buffer.from("\r\n"),
      ]),
      Buffer.from("--b--\r\n"),
    ]),
  });

/** Writes a file of an archive that is not compressed. */
const toZipEntry = (name: string, text: string): Buffer => {
  const head = Buffer.alloc(30);
  head.write("PK\u0003\u0004", "latin1");
  head.writeUInt32LE(text.length, 18);
  head.writeUInt32LE(text.length, 22);
  head.writeUInt16LE(name.length, 26);
  return Buffer.concat([head, Buffer.from(name + text)]);
};

const images = ez.upload({ types: ["image/png", "image/jpeg"] });
const texts = ez.upload({ types: ["text/csv", "image/svg+xml"] });

describe("The types of an upload", () => {
  const refused = (field: string, types: string) => [
    415,
    errorEnvelope(`Unsupported file type: ${field}. Expected ${types}`),
  ];

  test.each([true, { limits: { memory: 0 }, tempFileDir: "" }])(
    "are what the first bytes show, whatever the client states (%#)",
    async (option) => {
      const upload = option === true ? option : { ...option, tempFileDir: directory };
      const server = await start({ up: build(images) }, { upload });
      const accepted = await post(server, [jpeg, "image/png"], [png, "text/html", "more"]);
      expect(accepted.json()).toEqual(successEnvelope({ types: ["image/jpeg", "image/png"] }));
      for (const [content, type] of [
        ["%PDF-1.4\n", "image/png"],
        ["<html>", "image/png"],
        ["", "image/png"],
        [svg, "image/png"],
      ] as const) {
        const reply = await post(server, [content, type]);
        expect([reply.status, reply.json()]).toEqual(refused("file", "image/png or image/jpeg"));
      }
      const second = await post(server, [png], [png, "image/png", "more"], ["a", "a/b", "more"]);
      expect([second.status, second.json()]).toEqual(refused("more[1]", "image/png or image/jpeg"));
    },
  );

  test("may be a range", async () => {
    const server = await start({ up: build(ez.upload({ types: "image/*" })) }, { upload: true });
    expect((await post(server, [jpeg])).status).toBe(200);
    const reply = await post(server, ["%PDF-1.4\n"]);
    expect([reply.status, reply.json()]).toEqual(refused("file", "image/*"));
  });

  test("of a text are what the client states, unless the bytes show otherwise", async () => {
    const server = await start({ up: build(texts) }, { upload: true });
    for (const [content, type] of [
      ["a,b\n1,2\n", "text/csv"],
      [svg, "image/svg+xml"],
    ] as const)
      expect((await post(server, [content, type])).json()).toEqual(
        successEnvelope({ types: [type] }),
      );
    for (const [content, type] of [
      ["a,b\n1,2\n", "application/octet-stream"],
      ["a,b\n1,2\n", "text/plain"],
      [png, "text/csv"],
      ["%PDF-1.4\n", "image/svg+xml"],
    ] as const) {
      const reply = await post(server, [content, type]);
      expect([reply.status, reply.json()]).toEqual(refused("file", "text/csv or image/svg+xml"));
    }
  });

  test.each([true, { limits: { memory: 0 }, tempFileDir: "" }])(
    "are found in an archive whose last part shows them (%#)",
    async (option) => {
      const type = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
      const upload = option === true ? option : { ...option, tempFileDir: directory };
      const server = await start({ up: build(ez.upload({ types: [type] })) }, { upload });
      const sheet = Buffer.concat([
        toZipEntry("xl/worksheets/sheet1.xml", "x".repeat(20_000)),
        toZipEntry("[Content_Types].xml", `<Override ContentType="${type}.main+xml"/>`),
      ]);
      expect((await post(server, [sheet])).json()).toEqual(successEnvelope({ types: [type] }));
    },
  );

  test("are told in problem details, too", async () => {
    const server = await start(
      { up: build(images, problemEndpointsFactory as never) },
      { upload: true },
    );
    expect((await post(server, ["a"])).json()).toMatchObject({
      status: 415,
      code: "SLP_UPLOAD_TYPE",
      detail: "Unsupported file type: file. Expected image/png or image/jpeg",
    });
  });

  test("are checked in unit tests by the type that the file has", async () => {
    const own = { name: "a", size: 1, data: Buffer.from("a"), mv: async () => undefined };
    const statusOf = async (mimetype: string) => {
      const file = { ...own, mimetype };
      const requestProps = { method: "POST", files: { file } } as const;
      const { responseMock } = await testEndpoint({ endpoint: build(images), requestProps });
      return responseMock.statusCode;
    };
    expect([await statusOf("image/png"), await statusOf("text/html")]).toEqual([200, 415]);
  });

  test("need a package, without which the server does not start", async () => {
    vi.doMock("file-type", () => {
      throw new Error("Cannot find package 'file-type'");
    });
    onTestFinished(() => vi.doUnmock("file-type"));
    await expect(start({ up: build(images) }, { upload: true })).rejects.toMatchObject({
      code: "SLP_CONFIG_PEER",
      message: expect.stringContaining(
        "`types` of ez.upload() needs the package file-type, which ",
      ) as string,
    });
    await start({ up: build(images) });
    await start({ up: build(ez.upload()) }, { upload: true });
  });
});

test("A file that is larger than its `maxSize` gets a 413 that names the field", async () => {
  const server = await start({ up: build(ez.upload({ maxSize: 16 })) }, { upload: true });
  expect((await post(server, [png])).status).toBe(200);
  const reply = await post(server, ["x".repeat(17)]);
  expect([reply.status, reply.json()]).toEqual([
    413,
    errorEnvelope("File too large: file. Expected at most 16 bytes"),
  ]);
});

test("Invalid options are refused where they are declared", () => {
  for (const [options, message] of [
    [{ types: "png" }, 'ez.upload: `types` must be a media type, such as "text/csv"; got "png".'],
    [{ types: [] }, "ez.upload: `types` must be a media type"],
    [{ maxSize: 0 }, "ez.upload: `maxSize` must be a positive integer; got 0."],
  ] as const) {
    expect(() => ez.upload(options)).toThrow(DefinitionError);
    expect(() => ez.upload(options)).toThrow(message);
  }
});

test("Documents have the types and the size", () => {
  const input = z.object({
    file: ez.upload({ types: "image/png", maxSize: 16, description: "A picture" }),
    more: z.array(images).optional(),
  });
  const routing = { "post up": factory.build({ input, handler: () => ({}) }) };
  for (const openapi of ["3.0", "3.1", "3.2"] as const) {
    const document = generate(routing, { openapi, config: { upload: true } });
    expect(findOfficialErrors(document, openapi)).toEqual([]);
    const binary = { type: "string", format: "binary" };
    const type = openapi !== "3.0" && { contentMediaType: "image/png" };
    expect(findOperation(document, "POST /up").requestBody?.content).toEqual({
      "multipart/form-data": {
        schema: {
          type: "object",
          properties: {
            file: { ...binary, ...type, maxLength: 16, description: "A picture" },
            more: { type: "array", items: binary },
          },
          required: ["file"],
        },
        encoding: {
          file: { contentType: "image/png" },
          more: { contentType: "image/png, image/jpeg" },
        },
      },
    });
  }
});

test("z.file() in an input is refused at startup, because no request can fill it", async () => {
  const message =
    "/up: `input` has z.file(), which neither JSON nor a form can fill. Use ez.upload(), with `upload` in the configuration.";
  const input = z.object({ files: z.array(z.file()).optional() });
  const handler = () => ({});
  await expect(start({ "post up": factory.build({ input, handler }) })).rejects.toThrow(message);
  const shared = factory.addMiddleware({ input, handler });
  await expect(start({ "post up": shared.build({ handler }) })).rejects.toThrow(message);
  const made = ez.upload().transform(({ data }) => new File([new Uint8Array(data)], "a"));
  const own = z.object({ file: made.pipe(z.file()) });
  await start({ "post up": factory.build({ input: own, handler }) }, { upload: true });
});
