import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, normalize } from "node:path";
import { build } from "esbuild";
import { rolldown } from "rolldown";
import { defaultEndpointsFactory } from "sallyport";
import { generateClient } from "sallyport/generate-client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { root } from "./guide.ts";
import { createConsumer, pack, run } from "./pack.ts";

let folder = "";
let tarball = "";
let files: readonly string[] = [];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "sallyport-consumer-"));
  tarball = pack(folder);
  files = run("tar", ["-tzf", tarball], folder)
    .trim()
    .split("\n")
    .map((file) => file.replace("package/", ""));
  createConsumer(folder, tarball);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const read = (file: string): string =>
  readFileSync(join(folder, "node_modules/sallyport", file), "utf8");

describe("the package, packed and installed in an empty folder,", () => {
  test("contains all files that users need, and at most 330", () => {
    expect(files).toContain("dist/index.js");
    expect(files).toContain("dist/index.d.ts");
    const others = files.filter(
      (file) => !/^dist\/|^docs\/(?:internals\/|how-to\/)?[\w-]+\.(?:md|png|svg)$/.test(file),
    );
    const expected = ["CHANGELOG.md", "LICENSE", "README.md", "package.json"];
    expect(others.toSorted()).toEqual(expected);
    expect(files.filter((file) => file.includes(".test"))).toEqual([]);
    expect(files.length).toBeLessThanOrEqual(330);
  });

  test("has source maps that contain their sources, and no declaration maps", () => {
    const maps = files.filter((file) => file.endsWith(".map"));
    expect(maps.filter((file) => !file.endsWith(".js.map"))).toEqual([]);
    expect(maps.length).toBeGreaterThan(20);
    for (const file of maps) {
      const { sources, sourcesContent } = JSON.parse(read(file)) as Record<string, string[]>;
      expect([file, sourcesContent?.length]).toEqual([file, sources?.length]);
      expect(sourcesContent?.every((text) => text.length > 0)).toBe(true);
    }
    const declarations = files.filter((file) => file.endsWith(".d.ts")).map(read);
    expect(declarations.filter((text) => text.includes("sourceMappingURL"))).toEqual([]);
  });

  test("has the URL of the repository, and omits files that only the repository uses", () => {
    const manifest = JSON.parse(read("package.json")) as Record<string, unknown>;
    const address = "https://github.com/sallyport/sallyport";
    expect(manifest).toMatchObject({
      repository: { type: "git", url: `git+${address}.git` },
      homepage: "https://sallyport.github.io/sallyport/",
      bugs: `${address}/issues`,
    });
    for (const name of ["workspaces", "scripts", "devDependencies"])
      expect(manifest).not.toHaveProperty(name);
  });

  const withoutCode = (text: string): string => text.replaceAll(/^ *```[^]*?^ *```$/gm, "");

  test("has pages without broken links to its own files or to the repository", () => {
    const repository = /^https:\/\/github\.com\/sallyport\/sallyport\/(?:blob|tree)\/main\/(.*)$/;
    const pages = files.filter((file) => file.endsWith(".md"));
    expect(pages.length).toBeGreaterThan(8);
    const links = pages.flatMap((page) =>
      [...withoutCode(read(page)).matchAll(/\]\(([^)#\s]+)[^)]*\)/g)].map(([, link = ""]) => ({
        page,
        link,
      })),
    );
    expect(links.length).toBeGreaterThan(20);
    const broken = links.filter(({ page, link }) => {
      const [, own] = repository.exec(link) ?? [];
      if (own !== undefined) return !existsSync(join(root, own));
      return !/^https?:/.test(link) && !files.includes(normalize(join(dirname(page), link)));
    });
    expect(broken).toEqual([]);
  });

  test("has a client that can be bundled for browsers, without any Node.js code", async () => {
    const { metafile } = await build({
      stdin: { contents: 'export * from "sallyport/client"', resolveDir: folder },
      ...{ bundle: true, write: false, metafile: true, format: "esm", platform: "browser" },
    });
    const inputs = Object.keys(metafile.inputs);
    expect(inputs.length).toBeGreaterThan(1);
    expect(inputs.filter((name) => !/^<stdin>$|sallyport\/dist\//.test(name))).toEqual([]);
  });

  test("can be bundled into one file", async () => {
    const file = join(folder, "server.mjs");
    writeFileSync(file, 'import { createServer, ez } from "sallyport"; createServer({}, ez);');
    const bundle = await rolldown({ input: file, platform: "node", logLevel: "silent" });
    const { output } = await bundle.generate({ codeSplitting: false });
    expect(output.map(({ fileName }) => fileName)).toEqual(["server.js"]);
  });

  test("responds to requests when it is imported as an ES module", () => {
    expect(run(process.execPath, ["import.mjs"], folder)).toBe(
      '{"status":"success","data":{"hello":"world"}}\n',
    );
  });

  test("exports the documented names when required from CommonJS", () => {
    expect(run(process.execPath, ["require.cjs"], folder).trim().split(" ")).toEqual([
      "ApiError",
      "ConfigError",
      "DefinitionError",
      "EndpointsFactory",
      "EventStreamFactory",
      "InputValidationError",
      "Middleware",
      "OutputValidationError",
      "RequestError",
      "ResultHandler",
      "RoutingError",
      "ServeStatic",
      "ServerFault",
      "arrayEndpointsFactory",
      "arrayResultHandler",
      "attachRouting",
      "createConfig",
      "createServer",
      "defaultEndpointsFactory",
      "defaultResultHandler",
      "ensureHttpError",
      "ez",
      "getMessageFromError",
      "getRawBody",
      "problemEndpointsFactory",
      "problemResultHandler",
      "toPublicMessage",
    ]);
  });

  test("can be turned into CommonJS, as Jest does it", async () => {
    const copy = join(folder, "as-jest/node_modules/sallyport");
    cpSync(join(folder, "node_modules/sallyport"), copy, { recursive: true });
    // the command has a top-level await, and is not loaded by tests
    rmSync(join(copy, "dist/cli"), { recursive: true });
    const manifest = JSON.parse(read("package.json")) as object;
    writeFileSync(join(copy, "package.json"), JSON.stringify({ ...manifest, type: "commonjs" }));
    await build({
      entryPoints: [join(copy, "dist/**/*.js")],
      ...{ outdir: join(copy, "dist"), allowOverwrite: true, logLevel: "silent" },
      ...{ format: "cjs", platform: "node", supported: { "dynamic-import": false } },
    });
    const names = Object.keys((manifest as { readonly exports: object }).exports)
      .filter((name) => !/package|tanstack|rate-limit|opentelemetry/.test(name))
      .map((name) => name.replace(".", "sallyport"));
    const program = `
      for (const name of ${JSON.stringify(names)}) require(name);
      const { defaultEndpointsFactory: factory } = require("sallyport");
      const endpoint = factory.build({ handler: async ({ response }) => response.redirect("/a") });
      const tested = require("sallyport/testing").testEndpoint({ endpoint });
      tested.then(({ responseMock }) => console.log(responseMock._getRedirectUrl()));
    `;
    expect(run(process.execPath, ["-e", program], join(folder, "as-jest"))).toBe("/a\n");
  });

  test("type-checks under strict, and all inferred types can be named", () => {
    const compiler = join(root, "node_modules/typescript/bin/tsc");
    run(process.execPath, [compiler, "--outDir", "out"], folder);
    expect(readdirSync(join(folder, "out"))).toContain("index.d.ts");
  });

  test("has a command that generates the same client as the source does", () => {
    const api = `
      import { defaultEndpointsFactory as factory } from "sallyport";
      export const routing = { hello: factory.build({ handler: () => ({}) }) };
    `;
    writeFileSync(join(folder, "api.mjs"), api);
    const command = join(folder, "node_modules/sallyport/dist/cli/main.js");
    run(process.execPath, [command, "client", "api.mjs", "--out", "generated/hello.ts"], folder);
    const written = readFileSync(join(folder, "generated/hello.ts"), "utf8");
    const routing = { hello: defaultEndpointsFactory.build({ handler: () => ({}) }) };
    expect(written).toBe(generateClient({ routing }));
  });

  test("has a valid package.json", () => {
    const bin = (name: string): string => join(root, "node_modules/.bin", name);
    run(bin("publint"), ["--strict", join(folder, "node_modules/sallyport")], folder);
    // the modules are ESM only; their types are also found by the resolution of older compilers
    run(bin("attw"), [tarball, "--ignore-rules", "cjs-resolves-to-esm", "--no-emoji"], folder);
  });
});
