import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Change } from "@sallyport/contract";
import { generateOpenApi, type OpenApiOptions } from "sallyport/openapi";
import { afterAll, describe, expect, test } from "vitest";
import { runCommand } from "../../contract/test/run-command.ts";
import { readDocument } from "../src/openapi/document.ts";
import { writeStubs } from "../src/openapi/write-stubs.ts";
import {
  compile,
  compileTimeout as timeout,
  createDirectory,
  readText,
  removeDirectory,
  writeFiles,
} from "./compile.ts";
import { toOperations } from "./normal-form.ts";

const documents = fileURLToPath(new URL("fixtures/documents/", import.meta.url));
const directory = createDirectory();
afterAll(() => removeDirectory(directory));

interface Api {
  readonly routing: OpenApiOptions["routing"];
  readonly config: NonNullable<OpenApiOptions["config"]>;
  readonly description: Pick<OpenApiOptions, "info">;
}

/** Returns what breaks clients, as `sallyport lock --check` tells. */
const compareWithLock = async (lock: string, document: object): Promise<readonly string[]> => {
  const head = `${lock}.head.json`;
  writeFileSync(head, JSON.stringify(document));
  const args = ["--check", "--lock", lock, "--head", head, "--format", "json"];
  const { out } = await runCommand("lock", ...args);
  const { changes } = JSON.parse(out) as { readonly changes: readonly Change[] };
  return changes
    .filter(({ level }) => level === "breaking")
    .map(({ path, text: words }) => `${path}: ${words}`);
};

const apis = await Promise.all(
  readdirSync(documents).map(async (file) => {
    const name = file.replace(/\.\w+$/, "");
    const out = join(directory, name);
    const options = { isForced: false, directory: out };
    const report = await writeStubs(join(documents, file), out, options);
    const api = (await import(join(out, "api.ts"))) as Api;
    const given = readDocument(join(documents, file)).root;
    const openapi = String(given["openapi"]).startsWith("3.0") ? "3.0" : "3.1";
    const written = generateOpenApi({
      routing: api.routing,
      config: api.config,
      ...api.description,
      openapi,
    });
    return {
      ...{ name, out, report, document: written },
      ...{ given: toOperations(given), written: toOperations({ ...written }) },
    };
  }),
);

/** Statuses that the framework adds to what a document declares. */
const ownStatuses = new Set(["400", "401", "413", "415", "500"]);

/** The parts of operations of which marks say that the document cannot be the same. */
const inexpressible: Readonly<Record<string, readonly string[]>> = {
  "get /search": ["statuses"],
  "post /search": ["parameters", "body", "statuses", "successes"],
  "put /names": ["body", "successes"],
  "put /items/{item_id}": ["successes"],
};

describe.each(apis)("the stubs of $name", ({ given, written }) => {
  test("have the same operations", () => {
    expect(Object.keys(written).sort()).toEqual(Object.keys(given).sort());
  });

  for (const [key, operation] of Object.entries(given)) {
    test(`describe ${key} as the document does`, () => {
      const other = inexpressible[key] ?? [];
      const pick = (all: object) =>
        Object.fromEntries(Object.entries(all).filter(([name]) => !other.includes(name)));
      const { statuses, operationId, ...rest } = operation;
      const { statuses: all = [], operationId: id, ...own } = written[key] ?? {};
      expect(pick(own)).toEqual(pick(rest));
      if (other.includes("statuses")) return;
      expect(operationId === undefined ? undefined : id).toBe(operationId);
      expect(all.filter((status) => !ownStatuses.has(status))).toEqual(
        statuses.filter((status) => !ownStatuses.has(status)),
      );
      expect(all).toEqual(expect.arrayContaining(statuses));
    });
  }
});

test("the lock proves what the stubs take and give, and names what they cannot", async () => {
  const broken: Record<string, readonly string[]> = {};
  for (const { name, out, document } of apis)
    broken[name] = await compareWithLock(join(out, "api.lock.json"), document);
  expect(broken).toEqual({
    fastapi: [
      "GET /items/: the operation was removed",
      "POST /files/: the operation was removed",
      "POST /token response 422 application/problem+json .detail: the type was changed from array to string",
    ],
    handwritten: [
      "GET /search query parameter fields: how the parameter is written was changed from form to form, exploded",
      "POST /search request: the body was removed",
      "POST /search response 207: the successful response was removed",
      "PUT /names response 200: the type was widened from integer to any",
    ],
    hono: ["PUT /users/{id} request: the body became required"],
    nest: [],
    springdoc: [],
    tsoa: [
      "POST /customers response 422 application/problem+json .details: the property was removed, which had always been there",
      "POST /customers response 422 application/problem+json .message: the property was removed, which had always been there",
    ],
  });
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
    "endpoints/endpoints.ts:6 The elements of fields are repeated names",
    "The response default (Any error) has no counterpart.",
    "Documents put these fields into the query",
    "The field dry is in the body and in another part of the request",
    "It also responds with 207",
    "`uniqueItems` is not checked.",
    "The body is no object: parse `input.raw`, of type array.",
    "The bodies of 422 are problem details",
    "Requests to /items/ are answered as well; the path in documents has no slash at its end.",
    "The body is required, because some of its fields are.",
  ])
    expect(reports).toContain(text);
  expect(apis.find(({ name }) => name === "nest")?.report).toContain("Marked for you (0)\n  none");
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
    /schemas\.ts exists: choose another --out, or replace files with --force\./,
  );
  const report = await writeStubs(file, out, { isForced: true, directory: out });
  expect(report).toContain("api.lock.json exists, and was left as it is.");
  expect(readText(join(out, "api.lock.json"))).toBe(`${locked}\n`);
});

test.each([
  ["nothing.yaml", undefined, "Cannot read"],
  ["broken.yaml", "a: [", "is neither YAML nor JSON"],
  ["swagger.yaml", 'swagger: "2.0"', "its member `openapi` is missing"],
  ["empty.yaml", "openapi: 3.1.0\npaths: {}", "The document has no operations"],
  [
    "other.yaml",
    "openapi: 3.1.0\npaths: { /a: { $ref: other.yaml } }",
    "bundle the document first",
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
