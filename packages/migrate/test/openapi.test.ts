import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { generateOpenApi, type OpenApiOptions } from "sallyport/openapi";
import { afterAll, expect, test } from "vitest";
import { writeStubs } from "../src/openapi/write-stubs.ts";
import {
  compile,
  compileTimeout as timeout,
  createDirectory,
  readText,
  removeDirectory,
  writeFiles,
} from "./compile.ts";

const documents = fileURLToPath(new URL("fixtures/documents/", import.meta.url));
const directory = createDirectory();
afterAll(() => removeDirectory(directory));

interface Api {
  readonly routing: OpenApiOptions["routing"];
  readonly config: NonNullable<OpenApiOptions["config"]>;
  readonly description: Pick<OpenApiOptions, "info">;
}

const apis = await Promise.all(
  readdirSync(documents).map(async (file) => {
    const name = file.replace(/\.\w+$/, "");
    const out = join(directory, name);
    const options = { isForced: false, directory: out };
    const { text: report, isProven } = await writeStubs(join(documents, file), out, options);
    const api = (await import(join(out, "api.ts"))) as Api;
    const { routing, config, description } = api;
    const document = generateOpenApi({ routing, config, ...description });
    return { name, out, report, isProven, document };
  }),
);

test.each(apis)("the stubs of $name differ from the document only where it is marked", (api) => {
  expect(api.isProven).toBe(true);
  expect(api.report).toContain("0 differing and not marked");
});

test("stubs compile, without any", { timeout }, async () => {
  expect(await compile(directory, { noUnusedLocals: true })).toEqual([]);
  const texts = apis.flatMap(({ out }) =>
    readdirSync(out, { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts"))
      .map((file) => readText(join(out, file))),
  );
  expect(texts.join("\n")).not.toMatch(/: any\b|<any\b|\bas any\b/);
});

test("what has no counterpart is marked, and listed", () => {
  const reports = apis.map(({ report }) => report).join("\n");
  for (const text of [
    "The field dry is in the body and in another part of the request",
    "The path in documents has no slash at its end.",
    "The body is required, because some of its fields are.",
  ])
    expect(reports).toContain(text);
  expect(readText(join(directory, "fastapi/NOTES.md"))).toMatch(
    /^# What cannot be expressed\n\n## /,
  );
});

test("a handler responds with 501, and a middleware before it", async () => {
  const { testServer } = await import("sallyport/testing");
  const { routing } = (await import(join(directory, "tsoa/api.ts"))) as Api;
  const { fetch, close } = await testServer({}, routing);
  const list = await fetch("/customers?ids=1&ids=2&status=active");
  expect(list.status).toBe(501);
  expect(await list.json()).toMatchObject({ status: 501, title: "Not Implemented" });
  expect((await fetch("/customers?limit=200")).status).toBe(400);
  expect((await fetch("/customers/1")).status).toBe(501);
  await close();
});

test("a path parameter whose name no route can have gets another one", async () => {
  const folder = join(directory, "kebab");
  const text = `openapi: 3.1.0
info: { title: Users, version: 1.0.0 }
paths:
  /users/{user-id}/posts/{post_id}:
    get:
      parameters:
        - { name: user-id, in: path, required: true, schema: { type: integer } }
        - { name: post_id, in: path, required: true, schema: { type: string } }
        - { name: user-id, in: query, schema: { type: string } }
      responses: { 204: { description: Read } }
`;
  writeFiles(folder, { "api.yaml": text });
  const out = join(folder, "out");
  await writeStubs(join(folder, "api.yaml"), out, { isForced: false, directory: folder });
  const { testServer } = await import("sallyport/testing");
  const { routing } = (await import(join(out, "api.ts"))) as Api;
  const { fetch, close } = await testServer({}, routing);
  expect((await fetch("/users/12/posts/a?user-id=b")).status).toBe(501);
  expect((await fetch("/users/ada/posts/a")).status).toBe(400);
  await close();
});

test("existing files are kept", async () => {
  const file = join(documents, "tsoa.yaml");
  const out = join(directory, "tsoa");
  const locked = readText(join(out, "api.lock.json"));
  writeFiles(out, { "api.lock.json": `${locked}\n` });
  await expect(writeStubs(file, out, { isForced: false, directory: out })).rejects.toThrow(
    /\.ts exists: choose another --out, or replace files with --force\./,
  );
  const { text } = await writeStubs(file, out, { isForced: true, directory: out });
  expect(text).toContain("api.lock.json exists, and was left as it is.");
  expect(readText(join(out, "api.lock.json"))).toBe(`${locked}\n`);
});

test.each([
  ["nothing.yaml", undefined, "no such file"],
  ["broken.yaml", "a: [", "cannot be read"],
  ["swagger.yaml", 'swagger: "2.0"', "is a document of Swagger 2.0"],
  ["empty.yaml", "openapi: 3.1.0\npaths: {}", "The document has no operations"],
  [
    "other.yaml",
    "openapi: 3.1.0\npaths: { /a: { $ref: other.yaml } }",
    "The document has no operations",
  ],
  ["lost.yaml", "openapi: 3.1.0\npaths: { /a: { $ref: '#/components/a' } }", "leads nowhere"],
])("%s is refused", async (name, text, message) => {
  const folder = join(directory, "refused");
  writeFiles(folder, text === undefined ? {} : { [name]: text });
  const out = join(folder, "out");
  await expect(writeStubs(join(folder, name), out, { isForced: false, directory })).rejects.toThrow(
    message,
  );
});
