import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generateClient } from "sallyport/generate-client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { defaultEndpointsFactory as factory, problemEndpointsFactory } from "sallyport";
import { idempotency, memoryStore } from "sallyport/idempotency";
import { z } from "zod";
import { tortureConfig, tortureRouting } from "../openapi/torture/routing.ts";
import { compiler, root } from "./compile.ts";

const renamed = factory.build({
  ...{ method: "put", ifMatch: "required", current: () => "", handler: async () => ({}) },
  headers: z.object({ "x-trace": z.string().optional() }),
});
const paid = factory
  .addMiddleware(idempotency({ store: memoryStore(), scope: () => "all", required: true }))
  .build({ method: ["post", "put"], handler: async () => ({}) });
const coded = {
  errors: {
    wrongCode: { status: 400, description: "Wrong", schema: z.object({ left: z.int() }) },
    gone: { status: 410, description: "Gone", schema: z.object({ at: z.date() }) },
  },
  handler: () => ({}),
} as const;
const envelope = factory.build(coded);
const problem = problemEndpointsFactory.build(coded);
const routing = { ...tortureRouting, renamed, paid, envelope, problem };

let folder = "";
beforeAll(() => {
  mkdirSync(join(root, "node_modules/.cache"), { recursive: true });
  folder = mkdtempSync(join(root, "node_modules/.cache/generated-client-"));
  const api = { routing, config: tortureConfig };
  writeFileSync(join(folder, "client.ts"), generateClient(api));
  writeFileSync(join(folder, "api.d.ts"), generateClient({ ...api, types: true }));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Compiler options that enable every additional check. */
const strict = {
  ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
  ...{ noUnusedLocals: true, noUnusedParameters: true, noImplicitOverride: true },
  ...{ noPropertyAccessFromIndexSignature: true, noImplicitReturns: true },
  ...{ noFallthroughCasesInSwitch: true, isolatedModules: true, erasableSyntaxOnly: true },
};

const compile = (files: readonly string[], options: object): string => {
  const compilerOptions = {
    ...{ ...strict, noEmit: true, target: "es2020", lib: ["es2020", "dom", "dom.iterable"] },
    ...{ types: [], skipLibCheck: false, ...options },
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
  return spawnSync(process.execPath, [compiler, "--pretty", "false"], {
    cwd: folder,
    encoding: "utf8",
  }).stdout;
};

test.each<[string, object]>([
  ["for a bundler", { module: "esnext", moduleResolution: "bundler", verbatimModuleSyntax: true }],
  ["for Node.js", { module: "nodenext", lib: ["es2020"], types: ["node"] }],
  ["as CommonJS", { module: "commonjs", moduleResolution: "bundler" }],
])("the client of the torture routing compiles under every strict option: %s", (_name, options) => {
  expect(compile(["client.ts"], options)).toBe("");
});

const calls = `
import { infiniteQueryOptions, mutationOptions, queryOptions } from "sallyport/tanstack-query";
export const queries = async (): Promise<void> => {
  const context = { signal: new AbortController().signal };
  const page = await queryOptions(client, "get /pages", { limit: 2 }).queryFn(context);
  page.items[0]?.id satisfies number | undefined;
  const names = await infiniteQueryOptions(client, "get /cursors").queryFn({ ...context, pageParam: {} });
  names.names satisfies string[];
  (await mutationOptions(client, "post /created").mutationFn({ name: "a" })).name satisfies string;
};
export const codes = async (): Promise<void> => {
  const body = await client.provide("get /envelope");
  if (body.status === "error" && body.error.code === "wrongCode") body.error.data.left satisfies number;
  const reply = await client.request("get /problem");
  if (reply.ok || reply.status === "unexpected") return;
  if (reply.body.code === "gone") reply.body.data.at satisfies string;
  else if (reply.body.code === "SLP_INPUT_INVALID") reply.body.code satisfies string;
  else reply.body satisfies { code?: "wrongCode" | \`SLP_\${string}\` | undefined };
};
export const main = async (): Promise<void> => {
  const created = await client.request("post /created", { name: "a" });
  if (created.ok) created.body.data.name satisfies string;
  else if (created.status === 409) created.body.error.data.suggestion satisfies string;
  else if (created.status === "unexpected") created.actualStatus satisfies number;
  else created.body.error.message satisfies string;
  for await (const item of client.iterate("get /pages", { limit: 2 })) item.id satisfies number;
  for await (const name of client.iterate("get /cursors")) name satisfies string;
  for await (const event of client.subscribe("get /stream"))
    if (event.event === "time") event.data.now satisfies number;
    else event.data satisfies string;
  (await client.provide("get /png")) satisfies Blob | { message: string };
  await client.provide("post /upload", { avatar: new Blob([]), title: "a" });
  await client.provide("put /raw/:name", { raw: new Uint8Array(1), name: "a" });
  await client.provide("post /kinds/date", { value: new Date() });
  await client.provide("put /renamed", {}, { headers: { "if-match": "a" } });
  await client.provide("post /paid", {}, { headers: { "idempotency-key": "a" } });
  await createClient KEYED.provide("post /paid");
};
`;
const missing = (name: string): string =>
  `Argument of type 'string' is not assignable to parameter of type 'MissingInput<{ readonly headers: { "${name}": string; }; }>'.`;
const wrong: readonly (readonly [line: string, message: string])[] = [
  [
    'client.provide("get /userz")',
    `Argument of type '"get /userz"' is not assignable to parameter of type `,
  ],
  [
    'client.provide("post /created", { nam: "a" })',
    "Object literal may only specify known properties, but 'nam' does not exist in type 'PostCreatedInput'. Did you mean to write 'name'?",
  ],
  [
    'client.provide("post /created")',
    `Argument of type 'string' is not assignable to parameter of type 'MissingInput<PostCreatedInput>'.`,
  ],
  ['client.provide("put /renamed", {})', missing("if-match")],
  ['client.provide("put /renamed")', missing("if-match")],
  ['client.provide("post /paid", {})', missing("idempotency-key")],
  ['createClient KEYED.provide("put /paid")', missing("idempotency-key")],
  [
    'client.iterate("get /png")',
    `Argument of type '"get /png"' is not assignable to parameter of type '"get /png returns no pages"'.`,
  ],
  [
    'import("sallyport/tanstack-query").then((own) => own.infiniteQueryOptions(client, "get /png"))',
    `Argument of type '"get /png"' is not assignable to parameter of type '"get /png returns no pages"'.`,
  ],
  [
    'client.subscribe("get /png")',
    `Argument of type '"get /png"' is not assignable to parameter of type '"get /png is not an event stream"'.`,
  ],
];

test.each<[string, string, string]>([
  [
    "generated",
    '({ baseUrl: "", idempotency: true })',
    'import { createClient } from "./client.js"; const client = createClient({ baseUrl: "" });',
  ],
  [
    "inferred, but with the generated types",
    '<typeof routing>({ baseUrl: "", idempotency: true })',
    'import { createClient } from "sallyport/client"; import type { routing } from "./api.js"; const client = createClient<typeof routing>({ baseUrl: "" });',
  ],
])("checks the calls of a client that is %s", (_name, keyed, head) => {
  const lines = [head, ...wrong.map(([line]) => `void ${line};`), calls];
  writeFileSync(join(folder, "calls.ts"), lines.join("\n").replaceAll(" KEYED", keyed));
  const printed = compile(["calls.ts"], {
    ...{ module: "nodenext", lib: ["es2023"], types: ["node"], skipLibCheck: true },
    ...{ allowImportingTsExtensions: true, noPropertyAccessFromIndexSignature: false },
    paths: {
      "sallyport/client": [join(root, "src/describe/client/index.ts")],
      "sallyport/tanstack-query": [join(root, "src/describe/tanstack-query/index.ts")],
    },
  })
    .trim()
    .split("\n")
    .map((line) => line.replace(/^calls\.ts\((\d+),\d+\): error TS\d+: /, "$1 "));
  expect(printed).toEqual(
    wrong.map(([, message], at) => expect.stringContaining(`${at + 2} ${message}`) as string),
  );
});
