import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const compiler = join(root, "node_modules/typescript/bin/tsc");

const api = `
import { defaultEndpointsFactory as factory, EventStreamFactory, ez, type Routing } from "sallyport";
import { z } from "zod";
const user = z.object({ id: z.string(), name: z.string(), createdAt: z.date() });
const give = async () => ({ id: "", name: "", createdAt: new Date() });
const getUser = factory.build({ method: "get", input: z.object({ id: z.string() }), output: user, handler: give });
const createUser = factory.build({
  method: "post", input: z.object({ name: z.string(), age: z.number().optional() }), output: user, handler: give,
});
const page = ez.paginated({ style: "offset", itemSchema: user });
const listUsers = factory.build({ ...page, handler: async () => ({ items: [], total: 0, limit: 1, offset: 0 }) });
const tenants = factory.build({
  ...page, method: "post", headers: z.object({ "x-tenant": z.string() }), handler: async () => ({ items: [], total: 0, limit: 1, offset: 0 }),
});
const upload = factory.build({ method: "post", input: z.object({ file: ez.upload(), since: ez.dateIn() }), handler: async () => ({}) });
const clock = new EventStreamFactory({ time: z.number() }).build({ handler: async () => undefined });
const fields = z.object({ "x-tenant": z.string(), "x-trace": z.string().optional() });
const rename = factory.build({
  method: "patch", ifMatch: "required", headers: fields, version: () => "", current: () => "",
  input: z.object({ id: z.string(), name: z.string() }), handler: async () => ({}),
});
const touch = factory.build({ method: "put", ifMatch: "required", version: () => "", current: () => "", handler: async () => ({}) });
export const routing = { v1: { users: { get: listUsers, post: createUser, ":id": { get: getUser, patch: rename, put: touch } }, tenants, upload }, clock } satisfies Routing;
export const forgotten: Routing = routing;
export const partly = { v1: forgotten };
`;

/** Lines that do not compile, each with the compiler's message. */
const wrong: readonly (readonly [line: string, message: string])[] = [
  [
    'client.provide("get /v1/userz")',
    `Argument of type '"get /v1/userz"' is not assignable to parameter of type '"get /v1/users"'.`,
  ],
  [
    'client.provide("delete /v2")',
    `Argument of type '"delete /v2"' is not assignable to parameter of type '"There is no route delete /v2"'.`,
  ],
  [
    'client.provide("get /v2/users")',
    `Argument of type '"get /v2/users"' is not assignable to parameter of type '"get /clock" | "get /v1/"'.`,
  ],
  [
    'client.provide("v1/users")',
    `Argument of type '"v1/users"' is not assignable to parameter of type '"delete /" | "get /" | "patch /" | "post /" | "put /" | "query /"'.`,
  ],
  [
    'client.provide("get /v1/users/:id", {})',
    "Property 'id' is missing in type '{}' but required in type '{ id: string; }'.",
  ],
  [
    'client.provide("get /v1/users/:id")',
    `Argument of type 'string' is not assignable to parameter of type 'MissingInput<{ id: string; }>'.`,
  ],
  [
    'client.request("post /v1/users")',
    `Argument of type 'string' is not assignable to parameter of type 'MissingInput<{ name: string; age?: number | undefined; }>'.`,
  ],
  [
    'client.provide("post /v1/users", { nam: "x" })',
    "Object literal may only specify known properties, but 'nam' does not exist in type '{ name: string; age?: number | undefined; }'. Did you mean to write 'name'?",
  ],
  [
    'client.provide("post /v1/users", { name: "x", city: "y" })',
    "Object literal may only specify known properties, and 'city' does not exist in type '{ name: string; age?: number | undefined; }'.",
  ],
  [
    'client.provide("post /v1/users", { name: 5 })',
    "Type 'number' is not assignable to type 'string'.",
  ],
  [
    'client.provide("post /v1/upload", { file: "x", since: new Date() })',
    "Type 'string' is not assignable to type 'Blob'.",
  ],
  [
    'client.provide("get /v1/users/:id", { id: "1" }, { retries: 3 })',
    "Object literal may only specify known properties, and 'retries' does not exist in type 'CallOptions'.",
  ],
  [
    'client.request("patch /v1/users/:id", { id: "1", name: "x" })',
    `Argument of type 'string' is not assignable to parameter of type 'MissingInput<{ readonly headers: { readonly "if-match": string; "x-tenant": string; }; }>'.`,
  ],
  [
    'client.provide("put /v1/users/:id", { id: "1" })',
    `Argument of type 'string' is not assignable to parameter of type 'MissingInput<{ readonly headers: { readonly "if-match": string; }; }>'.`,
  ],
  [
    'client.provide("put /v1/users/:id")',
    `Argument of type 'string' is not assignable to parameter of type 'MissingInput<{ readonly headers: { readonly "if-match": string; }; }>'.`,
  ],
  [
    'client.provide("put /v1/users/:id", { id: 1n, x: 1 }, { headers: { "if-match": "1" } })',
    "Object literal may only specify known properties, and 'x' does not exist in type 'Shown<{ readonly id: PathValue; }>'.",
  ],
  [
    'mutationOptions(client, "patch /v1/users/:id")',
    `Argument of type 'string' is not assignable to parameter of type 'MissingInput<{ readonly headers: { readonly "if-match": string; "x-tenant": string; }; }>'.`,
  ],
  [
    'queryOptions(client, "put /v1/users/:id", { id: "1" })',
    `Argument of type 'string' is not assignable to parameter of type 'MissingInput<{ readonly headers: { readonly "if-match": string; }; }>'.`,
  ],
  [
    'queryOptions(client, "get /v1/users/:id")',
    `Argument of type 'string' is not assignable to parameter of type 'MissingInput<{ id: string; }>'.`,
  ],
  [
    'infiniteQueryOptions(client, "post /v1/tenants")',
    `Argument of type 'string' is not assignable to parameter of type 'MissingInput<{ readonly headers: { "x-tenant": string; }; }>'.`,
  ],
  [
    'infiniteQueryOptions(client, "post /v1/tenants", { limit: 1 })',
    `Argument of type 'string' is not assignable to parameter of type 'MissingInput<{ readonly headers: { "x-tenant": string; }; }>'.`,
  ],
  [
    'queryOptions(client, "get /v1/userz")',
    `Argument of type '"get /v1/userz"' is not assignable to parameter of type '"get /v1/users"'.`,
  ],
  [
    'queryOptions(client, "get /v1/users/:id", { id: "1" }, { replay: true })',
    "No overload matches this call.\n  The last overload gave the following error.\n    Object literal may only specify known properties, but 'replay' does not exist in type 'RouteCallOptions<false>'. Did you mean to write 'reply'?",
  ],
  [
    'client.iterate("get /v1/users/:id", { id: "1" })',
    `Argument of type '"get /v1/users/:id"' is not assignable to parameter of type '"get /v1/users/:id returns no pages"'.`,
  ],
  [
    'client.subscribe("get /v1/users")',
    `Argument of type '"get /v1/users"' is not assignable to parameter of type '"get /v1/users is not an event stream"'.`,
  ],
  [
    'createClient<typeof forgotten>({ baseUrl: "" }).provide("get /v1/users")',
    `Argument of type '"get /v1/users"' is not assignable to parameter of type '"This routing is declared \`: Routing\`, which loses its keys: use \`satisfies Routing\`"'.`,
  ],
  [
    'createClient<typeof partly>({ baseUrl: "" }).provide("get /v1/users")',
    `Argument of type '"get /v1/users"' is not assignable to parameter of type '"get /v1/... is declared \`: Routing\`, which loses its keys: use \`satisfies Routing\`"'.`,
  ],
  [
    'createClient<typeof routing>({ baseURL: "" })',
    "No overload matches this call.\n  The last overload gave the following error.\n    Object literal may only specify known properties, but 'baseURL' does not exist in type 'ClientOptions'. Did you mean to write 'baseUrl'?",
  ],
];

let folder = "";
beforeAll(() => {
  mkdirSync(join(root, "node_modules/.cache"), { recursive: true });
  folder = mkdtempSync(join(root, "node_modules/.cache/client-messages-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("the error for a wrong call names the key or the field", () => {
  writeFileSync(join(folder, "api.ts"), api);
  writeFileSync(
    join(folder, "client.ts"),
    [
      'import { createClient } from "sallyport/client"; import { infiniteQueryOptions, mutationOptions, queryOptions } from "sallyport/tanstack-query"; import type { forgotten, partly, routing } from "./api.ts"; const client = createClient<typeof routing>({ baseUrl: "" });',
      ...wrong.map(([line]) => `void ${line};`),
      "void ({} as typeof forgotten);",
    ].join("\n"),
  );
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({
      extends: join(root, "tsconfig.json"),
      compilerOptions: {
        allowImportingTsExtensions: true,
        rewriteRelativeImportExtensions: false,
        paths: {
          sallyport: [join(root, "src/index.ts")],
          "sallyport/client": [join(root, "src/describe/client/index.ts")],
          "sallyport/tanstack-query": [join(root, "src/describe/tanstack-query/index.ts")],
        },
      },
      files: ["client.ts"],
      include: [],
    }),
  );
  const { stdout } = spawnSync(process.execPath, [compiler, "-p", folder, "--pretty", "false"], {
    encoding: "utf8",
    cwd: folder,
  });
  const printed = stdout
    .trim()
    .split("\n")
    .map((line) => line.replace(/^client\.ts\((\d+),\d+\): error TS\d+: /, "$1 "));
  expect(printed).toEqual(
    wrong.flatMap(([, message], index) => `${index + 2} ${message}`.split("\n")),
  );
});

describe("the bundle of a client", () => {
  const bundle = async (contents: string) =>
    build({
      stdin: { contents, resolveDir: root, loader: "ts" },
      alias: { "sallyport/client": join(root, "src/describe/client/index.ts") },
      ...{ bundle: true, minify: true, write: false, metafile: true },
      ...{ format: "esm", target: "es2022", platform: "browser" },
    });

  test("is under 7,500 bytes gzipped, and contains nothing from the server, Zod or Node.js", async () => {
    const { outputFiles, metafile } = await bundle('export * from "sallyport/client"');
    const [file] = outputFiles;
    expect(gzipSync(file?.contents ?? "", { level: 9 }).length).toBeLessThan(7500);
    const inputs = Object.keys(metafile.inputs).filter(
      (name) => !name.startsWith("src/describe/client/"),
    );
    expect(inputs).toEqual(["<stdin>"]);
    expect(file?.text).not.toMatch(/\bprocess\.|\bBuffer\b|require\(|node:/);
  });

  test("contains nothing from the routing that provides its type", async () => {
    const { metafile } = await bundle(
      'import { createClient } from "sallyport/client"; import type { routing } from "./test/fixtures/users-api/src/routing.ts"; export const client = createClient<typeof routing>({ baseUrl: "/" });',
    );
    const inputs = Object.keys(metafile.inputs).filter(
      (name) => !name.startsWith("src/describe/client/"),
    );
    expect(inputs).toEqual(["<stdin>"]);
  });
});
