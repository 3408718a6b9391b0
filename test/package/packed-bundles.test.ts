import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build, type BuildOptions } from "esbuild";
import { rolldown } from "rolldown";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { askBundle, createBundleFolder, fromWholeBundle, startProgram } from "./bundle.ts";
import { readPage, root } from "./guide.ts";
import { pack, run } from "./pack.ts";

let folder = "";
let project = "";

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "sallyport-bundles-")));
  project = join(folder, "project");
  cpSync(join(root, "test/fixtures/bundles"), project, { recursive: true });
  const options = ["--no-audit", "--no-fund", "--loglevel=error", "--prefer-offline"];
  run("npm", ["install", ...options, pack(folder), "express@5", "zod@4"], project);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const started: (() => Promise<void>)[] = [];
afterEach(() => Promise.all(started.splice(0).map((stop) => stop())));

/** Starts a bundle in its folder, and returns the first line that it prints: its URL, or the message of an error. */
const start = async (path: string, name: string): Promise<string> => {
  const { line, stop } = await startProgram(process.execPath, [name], path);
  started.push(stop);
  return line;
};

const [, banner = ""] = /--banner:js="(.*)"/.exec(readPage("docs/production.md")) ?? [];
const esm: BuildOptions = { format: "esm", banner: { js: banner } };

const bundle = async (options: BuildOptions, entry = "server.mjs"): Promise<string> => {
  const path = createBundleFolder(folder);
  const { warnings } = await build({
    ...{ absWorkingDir: project, entryPoints: [entry], bundle: true, platform: "node" },
    ...{ outdir: path, outExtension: { ".js": ".mjs" }, logLevel: "silent", ...options },
  });
  expect(warnings).toEqual([]);
  return path;
};

describe("a server that esbuild has bundled, in a folder without packages,", () => {
  test.each<[string, BuildOptions]>([
    ["an ES module", esm],
    ["a minified ES module", { ...esm, minify: true }],
    ["ES modules", { ...esm, splitting: true }],
  ])("answers each request as %s", async (_name, options) => {
    const path = await bundle(options);
    expect(await askBundle(await start(path, "server.mjs"))).toEqual(fromWholeBundle);
  });

  test.each<[string, BuildOptions]>([
    ["CommonJS", {}],
    ["minified CommonJS", { minify: true }],
  ])("answers each request as %s", async (_name, options) => {
    const path = await bundle({ ...options, format: "cjs", outExtension: { ".js": ".cjs" } });
    expect(await askBundle(await start(path, "server.cjs"))).toEqual(fromWholeBundle);
  });

  test("uses its own packages, not what is installed beside it", async () => {
    const path = await bundle({ format: "cjs", outExtension: { ".js": ".cjs" } });
    mkdirSync(join(path, "node_modules/express"), { recursive: true });
    writeFileSync(join(path, "node_modules/express/index.js"), 'throw new Error("another one")');
    expect(await askBundle(await start(path, "server.cjs"))).toEqual(fromWholeBundle);
  });

  test("says what it lacks, and what is not installed if it is not bundled", async () => {
    expect(run(process.execPath, ["options.mjs"], project).trim().split("; ")[0]).toBe(
      "The `compression` option needs the package compression, which is not installed. Run: npm install compression.",
    );
    const path = await bundle(esm, "options.mjs");
    expect((await start(path, "options.mjs")).split("; ")).toEqual([
      "The `compression` option needs the package compression, which is neither in this bundle nor installed beside it. Run npm install compression where it is bundled, and bundle it again.",
      "The `docs` option needs the files of the package swagger-ui-dist, which is not installed where the server runs. Run: npm install --save-prod swagger-ui-dist, so that it is in `dependencies` and not in `devDependencies`.",
    ]);
    const without = await bundle({ format: "esm" });
    expect(await start(without, "server.mjs")).toMatch(
      /^A server needs the package express, which cannot be loaded: Dynamic require of "\w+" is not supported\.$/,
    );
    const outside = await bundle({ ...esm, external: ["express"] });
    expect(await start(outside, "server.mjs")).toBe(
      "A server needs the package express, which is neither in this bundle nor installed beside it. Run npm install express where it is bundled, and bundle it again.",
    );
  });
});

test("a server that Rolldown has bundled answers each request in a folder without packages", async () => {
  const path = createBundleFolder(folder);
  const input = join(project, "server.mjs");
  const bundled = await rolldown({ input, platform: "node", logLevel: "silent" });
  await bundled.write({ dir: path, entryFileNames: "[name].mjs", chunkFileNames: "[name].mjs" });
  expect(await askBundle(await start(path, "server.mjs"))).toEqual(fromWholeBundle);
});
