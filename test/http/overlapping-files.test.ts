import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import createHttpError from "http-errors";
import { defaultEndpointsFactory, ServeStatic, type Routing } from "sallyport";
import { afterAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { start } from "./harness.ts";

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
