import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defaultEndpointsFactory as factory, ez } from "sallyport";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { generateOne } from "../../openapi/generate.ts";
import { start } from "../harness.ts";

let directory = "";
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "sallyport-media-"));
  for (const name of ["a.png", "a.jpg", "a.txt", "unnamed"])
    await writeFile(join(directory, name), "0123");
});
afterAll(() => rm(directory, { recursive: true, force: true }));

describe("content of several media types, or of a range of them,", () => {
  const input = z.object({ name: z.string(), type: z.string().optional() });
  const begin = () => {
    const types = { list: ["image/png", "image/jpeg"], range: "image/*" } as const;
    return start({
      ...Object.fromEntries(
        Object.entries(types).map(([key, type]) => [
          key,
          factory.build({
            input,
            output: ez.file(type),
            handler: ({ input: own, response }) => {
              if (own.type !== undefined) response.type(own.type);
              return { path: own.name, root: directory };
            },
          }),
        ]),
      ),
      bytes: factory.build({
        input: input.partial(),
        output: ez.buffer("image/*"),
        handler: ({ input: { type }, response }) => {
          if (type !== undefined) response.type(type);
          return Buffer.from("0123");
        },
      }),
    });
  };

  test("has the one that the name of the file tells, or the handler", async () => {
    const server = await begin();
    for (const [target, type] of [
      ["/list?name=a.png", "image/png"],
      ["/list?name=a.jpg", "image/jpeg"],
      ["/list?name=unnamed&type=image/png", "image/png"],
      ["/range?name=a.jpg", "image/jpeg"],
      ["/bytes?type=image/gif", "image/gif"],
    ] as const) {
      const reply = await server.send(target);
      expect([reply.status, reply.headers["content-type"], reply.text]).toEqual([
        200,
        type,
        "0123",
      ]);
    }
    expect((await server.send("/list?name=a.png", { headers: { range: "bytes=1-2" } })).text).toBe(
      "12",
    );
  });

  test("is not sent with another one, and a missing file stays a 404", async () => {
    const server = await begin();
    for (const target of [
      "/list?name=a.txt",
      "/range?name=unnamed",
      "/range?name=a.txt",
      "/bytes",
    ]) {
      const reply = await server.send(target);
      expect([target, reply.status, reply.headers["content-type"]]).toEqual([
        ...[target, 500, "application/json; charset=utf-8"],
      ]);
    }
    expect(server.linesOf("error").at(0)).toMatchObject({
      meta: {
        error: {
          code: "SLP_FILE_TYPE",
          message:
            'ez.file(): the Content-Type must be one of image/png, image/jpeg; it is "text/plain; charset=utf-8", by the name of the file, or the handler',
        },
      },
    });
    expect((await server.send("/list?name=missing.txt")).status).toBe(404);
  });

  test("is documented with all of them", () => {
    const typesOf = (output: Parameters<typeof factory.build>[0]["output"]) => {
      const endpoint = factory.build({ output: output as never, handler: () => "/a" as never });
      return Object.keys(generateOne("GET /a", { a: endpoint }).responses["200"]?.content ?? {});
    };
    expect(typesOf(ez.file(["image/png", "image/jpeg"]))).toEqual(["image/png", "image/jpeg"]);
    expect(typesOf(ez.file("image/*"))).toEqual(["image/*"]);
    expect(typesOf(ez.file())).toEqual(["*/*"]);
    for (const wrong of [[], ["png"], "image/png, image/jpeg"])
      expect(() => ez.file(wrong as never)).toThrow(
        "ez.file: the first argument must be a media type",
      );
  });
});
