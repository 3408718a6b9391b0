import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { runMain } from "../src/run-main.ts";
import { copyApp, createDirectory, readText, removeDirectory, writeFiles } from "./compile.ts";

const directory = createDirectory();
afterAll(() => removeDirectory(directory));

const run = async (args: readonly string[], cwd = directory) => {
  const printed = { out: "", error: "" };
  const code = await runMain(args, {
    directory: cwd,
    write: (text) => void (printed.out += text),
    writeError: (text) => void (printed.error += text),
  });
  return { code, ...printed };
};

test("--help names all arguments, options and exit codes", async () => {
  const { code, out } = await run(["--help"]);
  expect(code).toBe(0);
  for (const text of [
    "DIRECTORY",
    "DOCUMENT",
    "--dry-run",
    "--diff",
    "--offline",
    "--out",
    "--force",
    "--help",
    "EXIT CODES",
  ])
    expect(out).toContain(text);
  expect(await run(["openapi", "-h"])).toEqual({ code: 0, out, error: "" });
});

test.each([
  [
    ["--dry"],
    "Unknown option '--dry'. The options are --dry-run, --diff, --offline, --out, --force and --help.",
  ],
  [["--dry-run=yes"], "--dry-run"],
  [["one", "two"], "`migrate` takes one directory; got one two."],
  [[".", "--out", "src"], "--out is no option of `migrate`."],
  [["openapi"], "`migrate openapi` takes one document"],
  [["openapi", "a.yaml"], "--out is missing"],
  [["openapi", "a.yaml", "--out"], "--out"],
  [
    ["openapi", "a.yaml", "--out", "x", "--dry-run"],
    "--dry-run is no option of `migrate openapi`.",
  ],
])("%j is refused with 2", async (args, message) => {
  const { code, out, error } = await run(args);
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(error).toMatch(/^migrate: .+\n$/);
  expect(error).toContain(message);
});

test("a directory without a TypeScript project is refused with 1", async () => {
  writeFiles(directory, { "plain/package.json": "{}", "bare/tsconfig.json": "{}" });
  const { code, error } = await run(["plain"]);
  expect(code).toBe(1);
  expect(error).toContain("plain is not a TypeScript project: there is no tsconfig.json.");
  expect((await run(["bare"])).error).toContain("bare has no package.json");
  writeFiles(directory, { "bare/package.json": "{" });
  expect((await run(["bare"])).error).toContain("package.json is not valid JSON");
  writeFiles(directory, { "bare/package.json": "{}", "bare/src/index.ts": "export {};" });
  expect((await run(["bare"])).error).toContain("does not use express-zod-api");
});

test("--dry-run prints the report of a run, and writes nothing", async () => {
  const path = copyApp("v26", directory);
  const file = join(path, "src/app.ts");
  const before = readText(file);
  const manifest = readText(join(path, "package.json"));
  const planned = await run(["--dry-run", "--offline"], path);
  expect(planned.code).toBe(0);
  expect(planned.out).toContain("places in 3 files would be rewritten.");
  expect(readText(file)).toBe(before);
  expect(readText(join(path, "package.json"))).toBe(manifest);
  const done = await run(["v26", "--offline", "--force"]);
  expect(done.out).toBe(planned.out.replace("would be rewritten", "rewritten"));
  expect(readText(file)).toContain('from "sallyport"');
  expect(JSON.parse(readText(join(path, "package.json")))).toMatchObject({
    dependencies: { sallyport: "^0.1.0" },
  });
});

test("openapi writes to the directory of --out", async () => {
  writeFiles(directory, {
    "api.yaml": `openapi: 3.0.3
info: { title: Small, version: "1" }
paths:
  /things/{id}:
    get:
      parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
      responses: { "204": { description: Nothing } }
`,
  });
  const { code, out } = await run(["openapi", "api.yaml", "--out", "stubs"]);
  expect(code).toBe(0);
  expect(out)
    .toBe(`Written to stubs: endpoints/endpoints.ts, factories.ts, documents.ts, api.ts, replies.ts, override.ts, NOTES.md

Marked for you (0)
  none

Needed: npm install sallyport zod express http-errors swagger-ui-dist
        npm install --save-dev @sallyport/contract

Locked: api.lock.json holds what the document promises. To compare the endpoints with it:
        npx sallyport lock --check stubs/api.ts

Compared with the document: 1 operations, 0 marked, 0 differing and not marked
`);
  expect(readText(join(directory, "stubs/endpoints/endpoints.ts")))
    .toBe(`import { factory } from "../factories.js";
import createHttpError from "http-errors";
import { z } from "zod";

export const getThingsById = factory.buildVoid({
  method: "get",
  input: z.object({
    id: z.string(),
  }),
  statusCode: 204,
  handler: async () => {
    throw createHttpError(501, "Not implemented yet");
  },
});
`);
  expect(existsSync(join(directory, "stubs/schemas.ts"))).toBe(false);
});
