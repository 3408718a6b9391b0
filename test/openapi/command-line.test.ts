import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import {
  api,
  example,
  root,
  run,
  runProcess,
  source,
  startProcess,
  toFolder,
} from "./command-line-harness.ts";

describe("sallyport routes", () => {
  test("sends what the loaded module prints to standard error", () => {
    const cwd = toFolder({
      "api.ts": api('console.log("injected env"); process.stdout.write("x");'),
    });
    const { stdout, stderr } = runProcess(cwd, "routes", "--json");
    expect(JSON.parse(stdout)).toHaveLength(2);
    expect(stderr).toContain("injected env\nx");
  });

  test("lists the routes of the example, with their locations in the code", () => {
    const { status, stdout } = runProcess(example, "routes");
    expect(status).toBe(0);
    const [heading, ...lines] = stdout.trim().split("\n");
    expect(heading).toMatch(/^METHOD +PATH +SOURCES +STATUSES +ACCESS +TAGS +MIDDLEWARES +AT$/);
    expect(lines).toHaveLength(9);
    expect(lines[1]).toMatch(
      /^POST +\/v1\/users +body params files +201 400 401 409 413 415 500 +header x-api-key +users +src\/factories.ts:\d+ src\/factories.ts:\d+ +src\/users-endpoints.ts:\d+$/,
    );
  });

  test("prints the routes as JSON, for a module found by convention", async () => {
    const folder = toFolder({ "src/routing.ts": api() });
    const { stdout } = await run(folder, "routes", "--json");
    const [hello, other] = JSON.parse(stdout) as readonly object[];
    expect(hello).toEqual({
      ...{ method: "get", path: "/hello", sources: ["query", "params"] },
      ...{ middlewares: ["src/routing.ts:3"], security: ["basic"], tags: ["a"] },
      ...{ access: "protected", scopes: [] },
      ...{ statuses: [200, 401, 500], operationId: "getHello", at: "src/routing.ts:4" },
    });
    expect(other).toMatchObject({
      method: "post",
      path: "/:id",
      statuses: [200, 400, 413, 415, 500],
    });
  });

  test("shows who may call a route, and fails with --check if that is undecided", async () => {
    const files = {
      "src/routing.ts": api(
        'export const config = { cors: false, health: true, http: { listen: 0 } }; Object.assign(routing, { "get /open": factory.build({ access: "public", handler: () => ({}) }), "get /scoped": factory.build({ security: { type: "bearer" }, scope: "read", handler: () => ({}) }) });',
      ),
    };
    const { stdout } = await run(toFolder(files), "routes");
    const columns = stdout.split("\n").map((line) => line.split(/ {2,}/));
    expect(columns.map(([, path, , , access]) => [path, access])).toEqual([
      ["PATH", "ACCESS"],
      ["/hello", "basic"],
      ["/:id", "undecided"],
      ["/open", "public"],
      ["/scoped", "bearer [read]"],
      [undefined, undefined],
    ]);
    const checked = await run(toFolder(files), "routes", "--check");
    expect(checked.status).toBe(1);
    expect(checked.stdout).toBe("POST /:id  src/routing.ts:5\nGET /livez  -\nGET /readyz  -\n");
    expect(checked.stderr).toContain("3 routes are neither public nor protected. Set `access:");
    const decided = toFolder({
      "src/routing.ts": `import { defaultEndpointsFactory as factory } from ${JSON.stringify(source)};
export const routing = { "get /a": factory.withAccess("public").build({ handler: () => ({}) }) };`,
    });
    expect(await run(decided, "routes", "--check")).toEqual({ status: 0, stdout: "", stderr: "" });
  });

  test("lists a QUERY", async () => {
    const code = 'export const routing = { "query /a": factory.build({ handler: () => ({}) }) };';
    const folder = toFolder({
      "src/routing.ts": `import { defaultEndpointsFactory as factory } from ${JSON.stringify(source)};\n${code}`,
    });
    expect((await run(folder, "routes")).stdout).toMatch(/^QUERY +\/a +body params +200 400/m);
    await run(folder, "openapi", "--openapi", "3.2", "--out", "api.json");
    const document = JSON.parse(readFileSync(join(folder, "api.json"), "utf8")) as object;
    expect(document).toHaveProperty(["paths", "/a", "query", "operationId"], "queryA");
  });

  test("uses the entry named in package.json, and the module's default export", async () => {
    const folder = toFolder({
      "package.json": '{ "sallyport": { "entry": "lib/main.ts" } }',
      "lib/main.ts": api("export default { routing, config: { inputSources: { get: [] } } };"),
      "src/routing.ts": "export const routing = 5;",
    });
    const { stdout } = await run(folder, "routes", "--json");
    expect(JSON.parse(stdout)).toHaveProperty("0.sources", []);
  });
});

describe("sallyport openapi", () => {
  test("prints the committed document for the example", async () => {
    const { status, stderr } = await run(example, "openapi", "--out", "openapi.yaml", "--check");
    expect([stderr, status]).toEqual(["", 0]);
  });

  test("prints the committed document and client of the book shop", async () => {
    const shop = `${root}example`;
    for (const args of [
      ["openapi", "--out", "openapi.yaml", "--check"],
      ["client", "--out", "generated/client.ts", "--check"],
    ]) {
      const { status, stderr } = await run(shop, ...args);
      expect([stderr, status]).toEqual(["", 0]);
    }
  });

  test("prints JSON or YAML, in the requested version", async () => {
    const json = await run(example, "openapi", "--openapi", "3.0");
    expect(JSON.parse(json.stdout)).toMatchObject({ openapi: "3.0.4", info: { title: "Users" } });
    const yaml = await run(example, "openapi", "src/api.ts", "--format", "yaml");
    expect(parse(yaml.stdout)).toMatchObject({ openapi: "3.1.2" });
  });

  test("writes a file, and shows the first difference if an existing file is out of date", async () => {
    const folder = toFolder({
      "package.json": '{ "name": "own", "version": "1.2.3" }',
      "api.ts": api(),
    });
    expect(await run(folder, "openapi", "--out", "a/b.json", "--check")).toMatchObject({
      status: 1,
      stderr: "a/b.json does not exist. Run the command without --check to write it.\n",
    });
    expect((await run(folder, "openapi", "--out", "a/b.json")).status).toBe(0);
    const file = join(folder, "a/b.json");
    const written = readFileSync(file, "utf8");
    expect(JSON.parse(written)).toMatchObject({ info: { title: "own", version: "1.2.3" } });
    expect((await run(folder, "openapi", "--out", "a/b.json", "--check")).status).toBe(0);
    writeFileSync(file, written.replace('"getHello"', '"getOther"'));
    const { status, stderr } = await run(folder, "openapi", "--out", "a/b.json", "--check");
    expect(status).toBe(1);
    expect(stderr).toContain("a/b.json is out of date.");
    expect(stderr).toMatch(/- +"operationId": "getOther",\n\+ +"operationId": "getHello",\n$/);
  });
});

test("sallyport openapi writes one of several documents", async () => {
  const docs = `docs: [{ path: "/docs/hello", routes: "/hello" }, { routes: ({ tags }) => tags.length === 0 }]`;
  const folder = toFolder({ "api.ts": api(`export const config = { ${docs} };`) });
  const pathsOf = async (...args: readonly string[]) => {
    const { stdout } = await run(folder, "openapi", ...args);
    return Object.keys((JSON.parse(stdout) as { readonly paths: object }).paths);
  };
  expect(await pathsOf("--docs", "/docs/hello")).toEqual(["/hello"]);
  expect(await pathsOf("--docs", "/docs")).toEqual(["/{id}"]);
  expect(await run(folder, "openapi")).toMatchObject({
    status: 2,
    stderr: expect.stringContaining(
      "--docs is missing. Pass the path of one of the documents in `config.docs`: /docs/hello, /docs.",
    ) as string,
  });
  expect((await run(folder, "openapi", "--docs", "/other")).stderr).toContain(
    "--docs must be the path of a document in `config.docs`, /docs/hello, /docs; got /other.",
  );
});

test("the process exits with the code of the command", () => {
  const folder = toFolder({ "api.ts": api() });
  expect(runProcess(folder, "openapi", "--out", "a.json", "--check").status).toBe(1);
  expect(runProcess(folder, "opnapi").status).toBe(2);
});

test("the module is loaded by the process that signals reach", async () => {
  const code =
    "process.stderr.write(`${process.pid}\\n`); await new Promise((end) => setInterval(end, 1e9));";
  const child = startProcess(toFolder({ "api.ts": code }), "openapi");
  const [line] = (await once(createInterface(child.stderr), "line")) as [string];
  child.kill();
  expect(await once(child, "close")).toEqual([null, "SIGTERM"]);
  expect(Number(line)).toBe(child.pid);
});

test.each(["process.exit(0);", "await new Promise(() => {});"])(
  "a module that never finishes loading fails the command: %s",
  (text) => {
    const folder = toFolder({ "api.ts": api(text) });
    const { status, stderr } = runProcess(folder, "openapi", "--out", "a.json", "--check");
    expect([status, stderr]).toEqual([1, expect.stringContaining("api.ts ended the process, or")]);
  },
);

describe("sallyport client", () => {
  test("writes a file, and shows the first difference if an existing file is out of date", async () => {
    const folder = toFolder({ "api.ts": api() });
    expect((await run(folder, "client", "--out", "a/client.ts")).status).toBe(0);
    const file = join(folder, "a/client.ts");
    const written = readFileSync(file, "utf8");
    expect(written).toMatch(/^ {2}"get \/hello": \{$/m);
    expect(written).toContain("export const createClient = (");
    expect((await run(folder, "client", "--out", "a/client.ts", "--check")).status).toBe(0);
    writeFileSync(file, written.replaceAll("/hello", "/other"));
    const { status, stderr } = await run(folder, "client", "--out", "a/client.ts", "--check");
    expect(status).toBe(1);
    expect(stderr).toContain("a/client.ts is out of date.");
    expect(stderr).toMatch(/@@ line \d+ @@\n(?: {2}.*\n){2}- .*\/other.*\n\+ .*\/hello.*\n$/);
    writeFileSync(file, written.slice(0, written.lastIndexOf("\n", written.length - 2) + 1));
    const { stderr: shorter } = await run(folder, "client", "--out", "a/client.ts", "--check");
    expect(shorter).toMatch(/\n- \n\+ export .*\n$/);
  });

  test("writes the types of the inferred client", async () => {
    const folder = toFolder({ "api.ts": api() });
    expect((await run(folder, "client", "--types", "--out", "api.d.ts")).status).toBe(0);
    const written = readFileSync(join(folder, "api.d.ts"), "utf8");
    expect(written).toContain('export declare const routing: { readonly "~client": Client };');
    expect(written).not.toContain("createPlainClient");
  });
});

describe("the command reports mistakes without a stack trace", () => {
  test.each<[string, readonly string[], Readonly<Record<string, string>>, number, string]>([
    [
      "an unknown command",
      ["opnapi"],
      {},
      2,
      "There is no command `opnapi`. Did you mean `openapi`?",
    ],
    [
      "an unknown option",
      ["openapi", "--chek"],
      {},
      2,
      "openapi: there is no option `--chek`. Did you mean `--check`?",
    ],
    [
      "an unsupported format",
      ["openapi", "--format", "xml"],
      {},
      2,
      "--format must be json or yaml; got xml.",
    ],
    [
      "an unsupported version",
      ["openapi", "--openapi", "2.0"],
      {},
      2,
      "--openapi must be one of 3.0, 3.1, 3.2; got 2.0.",
    ],
    ["a check without an output file", ["openapi", "--check"], {}, 2, "--check needs --out"],
    [
      "a client without an output file",
      ["client"],
      {},
      2,
      "--out is missing. Pass the file to write",
    ],
    [
      "an option as the output file",
      ["openapi", "a.ts", "--out", "--check"],
      { "a.ts": api() },
      2,
      "--out needs a value, as in `--out <file>`.",
    ],
    ["an option without its value", ["client", "a.ts", "--out"], {}, 2, "--out needs a value"],
    ["an option with an empty value", ["client", "a.ts", "--out="], {}, 2, "--out needs a value"],
    [
      "a directory as the output file",
      ["openapi", "a.ts", "--out", "."],
      { "a.ts": api() },
      2,
      "--out: cannot write .: EISDIR",
    ],
    [
      "a directory as the file to check",
      ["openapi", "a.ts", "--check", "--out", "."],
      { "a.ts": api() },
      2,
      "--out: cannot read .: EISDIR",
    ],
    [
      "a value of an option without one",
      ["openapi", "--check=no"],
      {},
      2,
      "--check takes no value",
    ],
    ["two entries", ["routes", "a.ts", "b.ts"], {}, 2, "takes one entry; got a.ts b.ts."],
    ["no module", ["routes"], {}, 1, "None of src/api.ts, src/api.js, src/routing.ts"],
    ["a missing module", ["routes", "a.ts"], {}, 1, "There is no file a.ts."],
    [
      "a module without routing",
      ["routes", "a.ts"],
      { "a.ts": "export const rooting = {};" },
      1,
      "does not export `routing`.",
    ],
    [
      "a configuration that no server accepts",
      ["routes", "a.ts"],
      { "a.ts": api('export const config = { inputSources: { get: ["querry"] } };') },
      1,
      "The `inputSources.get` option must be an array of query, ",
    ],
    [
      "a module that throws",
      ["routes", "a.ts"],
      { "a.ts": 'throw new Error("Oh");' },
      1,
      "a.ts cannot be loaded: Oh (a.ts:1)",
    ],
    [
      "a module that imports one that throws",
      ["routes", "a.ts"],
      {
        "a.ts": 'export { routing } from "./lib/b.ts";',
        "lib/b.ts": "const x = undefined;\nx.boom;\nexport const routing = {};",
      },
      1,
      "a.ts cannot be loaded: Cannot read properties of undefined (reading 'boom') (lib/b.ts:2)",
    ],
    [
      "a module that imports one with a syntax error",
      ["routes", "a.ts"],
      { "a.ts": 'export { routing } from "./b.ts";', "b.ts": "\nexport const a = {;" },
      1,
      "b.ts:2:18: ERROR",
    ],
    [
      "a module that starts a server",
      ["openapi", "a.ts"],
      {
        "a.ts": api(
          `import { createServer } from ${JSON.stringify(source)}; void createServer({ http: { listen: 0 }, cors: false }, routing);`,
        ),
      },
      1,
      "starts a server, or imports a module that does. Move `routing` and `config` to a module that starts nothing",
    ],
    [
      "an invalid routing",
      ["routes", "a.ts"],
      { "a.ts": "export const routing = { a: 5 };" },
      1,
      'The routing at "/a" is 5',
    ],
  ])("%s", async (_name, args, files, status, message) => {
    const result = await run(toFolder(files), ...args);
    expect(result.stderr).toContain(message);
    expect(result.stderr).not.toMatch(/\n +at |\.\.$/m);
    expect([result.status, result.stdout]).toEqual([status, ""]);
  });

  test("lists the commands if none is given", async () => {
    const { status, stdout } = await run(example);
    expect(status).toBe(2);
    expect(stdout).toMatch(/openapi.*\n.*routes/);
    expect(await run(example, "--help")).toMatchObject({ status: 0, stdout });
    expect((await run(example, "routes", "--help")).stdout).toContain("--json");
    expect((await run(example, "--version")).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});
