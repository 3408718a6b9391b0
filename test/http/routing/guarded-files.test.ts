import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import createHttpError from "http-errors";
import {
  defaultEndpointsFactory,
  EndpointsFactory,
  Middleware,
  ResultHandler,
  ServeStatic,
  type Routing,
} from "sallyport";
import { afterAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { start } from "../harness.ts";

const root = mkdtempSync(join(tmpdir(), "overlapping-files-"));
afterAll(() => rmSync(root, { recursive: true }));

const write = (path: string): void => {
  mkdirSync(join(root, path, ".."), { recursive: true });
  writeFileSync(join(root, path), path);
};
for (const path of ["all/open.txt", "all/private/both.txt", "all/private/all.txt"]) write(path);
for (const path of ["private/both.txt", "private/own.txt"]) write(path);

const guarded = defaultEndpointsFactory.addMiddleware({
  input: z.object({ key: z.string().optional() }),
  handler: async ({ input }) => {
    if (input.key !== "right") throw createHttpError(401, "no");
    return {};
  },
});
const all = new ServeStatic(join(root, "all"));
const own = new ServeStatic(join(root, "private"), {}, guarded);

describe("a middleware that guards static files", () => {
  test("has the time limit of the server, which the sending of a file has not", async () => {
    const never = () => new Promise<never>(() => undefined);
    const slow = defaultEndpointsFactory.addMiddleware({ handler: never });
    const routing = {
      hanging: new ServeStatic(join(root, "all"), {}, slow),
      files: new ServeStatic(
        join(root, "all"),
        { setHeaders: () => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60) },
        guarded,
      ),
    };
    const server = await start(routing, { requestTimeout: 50 });
    expect((await server.send("/hanging/open.txt")).status).toBe(503);
    expect((await server.send("/files/open.txt?key=right")).text).toBe("all/open.txt");
  });

  test("sends the declared data of its errors", async () => {
    const guard = new Middleware({
      errors: { 403: { description: "Closed", schema: z.object({ why: z.string() }) } },
      handler: () => {
        throw createHttpError(403, "no", { data: { why: "closed" } });
      },
    });
    const factory = defaultEndpointsFactory.addMiddleware(guard);
    const server = await start({ files: new ServeStatic(join(root, "all"), {}, factory) });
    const refused = await server.send("/files/open.txt");
    expect(refused.json()).toMatchObject({ error: { message: "no", data: { why: "closed" } } });
  });
});

describe.each<[string, Routing]>([
  ["first", { files: { private: own, "": all } }],
  ["last", { files: all, "files/private": own }],
])("static files at a path below that of other static files, declared %s", (_order, routing) => {
  test.each(["own.txt", "both.txt", "all.txt", "none.txt"])(
    "are behind their guard, whichever directory has the file: %s",
    async (file) => {
      const server = await start(routing);
      for (const folder of ["private", "%70rivate"])
        expect((await server.send(`/files/${folder}/${file}`)).status).toBe(401);
    },
  );

  test("take precedence, and a file from the other directory is served only if they have no such file", async () => {
    const server = await start(routing);
    const textOf = async (path: string): Promise<string | number> => {
      const { status, text } = await server.send(path);
      return status === 200 ? text : status;
    };
    expect(await textOf("/files/private/own.txt?key=right")).toBe("private/own.txt");
    expect(await textOf("/files/private/both.txt?key=right")).toBe("private/both.txt");
    expect(await textOf("/files/private/all.txt?key=right")).toBe("all/private/all.txt");
    expect(await textOf("/files/private/none.txt?key=right")).toBe(404);
    expect(await textOf("/files/open.txt")).toBe("all/open.txt");
  });
});

const plain = new ResultHandler({
  positive: z.object({}),
  negative: z.object({ why: z.string() }),
  handler: ({ error, output, response }) => {
    if (error) response.status(error.statusCode ?? 500).json({ why: error.message });
    else response.json(output);
  },
});

test("static files behind a factory are looked up only if its middlewares let the request pass", async () => {
  const behind = new EndpointsFactory(plain).addMiddleware({
    input: z.object({ key: z.string() }),
    handler: async ({ input }) => {
      if (input.key !== "right") throw createHttpError(401, "no");
      return {};
    },
  });
  const directory = new URL("../../../docs/", import.meta.url).pathname;
  const server = await start({ docs: new ServeStatic(directory, {}, behind) });
  for (const file of ["errors.md", "none.md"]) {
    const refused = await server.send(`/docs/${file}?key=wrong`);
    expect([refused.status, refused.json()]).toEqual([401, { why: "no" }]);
    expect((await server.send(`/docs/${file}`)).status).toBe(400);
  }
  expect((await server.send("/docs/errors.md?key=right")).text).toContain("# Errors");
  expect((await server.send("/docs/none.md?key=right")).status).toBe(404);
});
