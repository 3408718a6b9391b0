import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { listRoutes } from "../src/ts-rest/load-contracts.ts";
import { toEndpoints } from "../src/ts-rest/to-endpoints.ts";
import { runMain } from "../src/run-main.ts";
import {
  compile,
  compileTimeout,
  createDirectory,
  readText,
  removeDirectory,
  writeFiles,
} from "./compile.ts";

const directory = createDirectory();
afterAll(() => removeDirectory(directory));

const run = async (...args: readonly string[]) => {
  const printed = { out: "", error: "" };
  const code = await runMain(["ts-rest", ...args], {
    directory,
    write: (text) => void (printed.out += text),
    writeError: (text) => void (printed.error += text),
  });
  return { code, ...printed };
};

// what ts-rest has made of a contract: its own functions return what they are given, or symbols
const contract = `
import { z } from "zod";
const post = z.object({ id: z.string(), title: z.string() });
const message = z.object({ message: z.string() });
const types: any = Symbol("ContractPlainType");
const nothing: any = Symbol("ContractNoBody");
export const contract = {
  posts: {
    list: { method: "GET", path: "/api/posts", query: z.object({ take: z.coerce.number() }), responses: { 200: z.array(post) }, headers: {} },
    create: {
      method: "POST", path: "/api/posts", summary: "Adds a post", body: post.omit({ id: true }), query: z.object({ dry: z.stringbool().optional() }),
      headers: z.object({ "x-key": z.string() }), responses: { 201: post, 409: message },
    },
    update: { method: "PATCH", path: "/api/posts/:id", body: post.omit({ id: true }).partial().refine(() => true), responses: { 200: post, 404: z.null(), 500: message } },
    remove: { method: "DELETE", path: "/api/posts/:id", pathParams: post.pick({ id: true }), body: nothing, responses: { 204: nothing }, deprecated: true },
  },
  "odd name": { method: "GET", path: "/odd/:from/:to", headers: { "x-key": z.string() }, responses: { 200: message } },
} as const;
export const typed = {
  typed: { method: "POST", path: "/typed", body: types, metadata: { role: "admin" }, responses: { 200: types, 202: message, 404: types } },
} as const;
`;

describe("migrate ts-rest", () => {
  test(
    "writes endpoints that compile, and marks what is not expressed",
    async () => {
      writeFiles(directory, { "shared/contract.ts": contract });
      const { code, out, error } = await run("shared/contract.ts", "--out", "src");
      expect([error, code]).toEqual(["", 0]);
      const endpoints = readText(join(directory, "src/endpoints.ts"));
      expect(endpoints).toContain('import { contract } from "../shared/contract.js"');
      expect(endpoints).toContain(`export const postsList = listFactory.build({
  input: contract.posts.list.query,
  output: z.object({ items: contract.posts.list.responses[200] }),
`);
      expect(endpoints).toContain(`export const postsCreate = factory.build({
  shortDescription: "Adds a post",
  inputSources: ["query", "body", "params"],
  input: z.object({
    ...contract.posts.create.query.shape,
    ...contract.posts.create.body.shape,
  }),
  headers: contract.posts.create.headers,
  output: contract.posts.create.responses[201],
  statusCode: 201,
  errors: {
    409: { description: "Conflict", schema: contract.posts.create.responses[409] },
  },
`);
      // a refinement would be lost with the shape
      expect(endpoints).toContain(".and(contract.posts.update.body)");
      expect(endpoints).toContain("schema: contract.posts.update.responses[500].optional()");
      expect(endpoints).toContain(`export const postsRemove = factory.buildVoid({
  deprecated: true,
  input: contract.posts.remove.pathParams,
  statusCode: 204,
`);
      expect(endpoints).toContain(`"x-key": contract["odd name"].headers["x-key"]`);
      expect(readText(join(directory, "src/routing.ts"))).toContain(
        `"patch /api/posts/:id": postsUpdate,`,
      );
      const marks = [...out.matchAll(/^ {2}src\/endpoints\.ts:\d+ (.*)$/gm)].map(
        ([, text]) => text,
      );
      expect(marks).toEqual([
        "Only a type says what `body` has: write a schema.",
        "It may also succeed with 202.",
        "Only a type says what it returns: add a schema as `output`.",
        "No schema says what a 404 has in its body.",
        "Its metadata is not used.",
      ]);
      expect(out).toContain("Marked for you (5)");
      expect(out).toContain("6 routes, 0 of them not served");
      expect(await compile(directory)).toEqual([]);
      const again = await run("shared/contract.ts", "--out", "src");
      expect([again.code, again.error]).toEqual([
        1,
        expect.stringContaining("factory.ts exists: choose another --out"),
      ]);
    },
    compileTimeout,
  );

  test("exits with 1 if a route is not served", async () => {
    const odd = `export const contract = { a: { method: "GET", path: "/a/:id?", responses: {} }, b: { method: "GET", path: "/b", responses: {} } };`;
    writeFiles(directory, { "odd.js": odd });
    const { code, out } = await run("odd.js", "--out", "odd");
    expect([code, out.split("\n").at(-2)]).toEqual([1, "2 routes, 1 of them not served"]);
    expect(out).toContain("GET /a/:id? is not served.");
    expect(readText(join(directory, "odd/routing.ts"))).toContain(`"get /b": b,`);
  });

  test.each([
    ["missing.ts", "does not exist"],
    ["broken.js", "cannot be loaded"],
    ["empty.js", "exports no contract"],
    ["zod-3.js", "Run: npm install zod@4"],
  ])("refuses %s", async (name, text) => {
    writeFiles(directory, {
      "broken.js": "throw new Error('no database');",
      "empty.js": "export const contract = { a: 1 };",
      "zod-3.js": `export const contract = { a: { method: "GET", path: "/a", query: { _def: { typeName: "ZodObject" } }, responses: {} } };`,
    });
    const { code, error } = await run(name, "--out", "refused");
    expect([code, error]).toEqual([1, expect.stringContaining(text)]);
  });

  test("writes text of a contract as text", async () => {
    const text = '*/ `${x}` \u2028"); process.exit(3); //\n';
    const route = {
      method: "GET",
      path: `/a\n/${text}`,
      summary: text,
      responses: { 200: z.object() },
    };
    const { files, skipped } = await toEndpoints(
      listRoutes({ [`c`]: { [text]: route } }),
      "./c.js",
    );
    expect(skipped).toHaveLength(1);
    const code = [...files.values()].join("\n");
    expect(code).not.toMatch(/^\s*process\.exit/m);
    expect(code).toContain(
      "output: c['*/ `${x}` \\u2028\"); process.exit(3); //\\n'].responses[200],",
    );
  });

  test("writes the factory that docs/from-ts-rest.md shows", () => {
    const page = readText(new URL("../../../docs/from-ts-rest.md", import.meta.url).pathname);
    const [, shown] = /```ts file=factory\.ts\n([\s\S]*?)```/.exec(page) ?? [];
    expect(shown).toBe(readText(join(import.meta.dirname, "../templates/ts-rest-factory.ts")));
  });
});
