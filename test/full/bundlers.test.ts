import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { transformSync } from "esbuild";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { findFreePort } from "../free-port.ts";
import { askBundle, createBundleFolder, fromWholeBundle, startProgram } from "../package/bundle.ts";
import { readPage, root } from "../package/guide.ts";
import { pack, run } from "../package/pack.ts";
import { ensureBuilt } from "./harness.ts";
import { ensureNode } from "./node-versions.ts";

let folder = "";
let project = "";
/** The folder of each bundle, by the name of its tool. */
const bundles = new Map<string, string>();

const packages = [
  ...["express@5", "zod@4", "rollup@4", "@rollup/plugin-commonjs@29", "@rollup/plugin-json@6"],
  ...["@rollup/plugin-node-resolve@16", "webpack@5", "bun@1", "@vercel/nft@1"],
  ...["next@16", "react@19", "react-dom@19"],
];

/** Programs that bundle `server.mjs` into the folder that they are called with. */
const programs = {
  "rollup.mjs": `
    import commonjs from "@rollup/plugin-commonjs";
    import json from "@rollup/plugin-json";
    import { nodeResolve } from "@rollup/plugin-node-resolve";
    import { rollup } from "rollup";
    const plugins = [nodeResolve({ exportConditions: ["node"] }), commonjs(), json()];
    const [, , dir, format, inlineDynamicImports] = process.argv;
    const bundle = await rollup({ input: "server.mjs", plugins, onwarn: () => undefined });
    await bundle.write({ dir, format, inlineDynamicImports: inlineDynamicImports === "one", entryFileNames: "[name].mjs" });
  `,
  "webpack.mjs": `
    import webpack from "webpack";
    const output = { path: process.argv[2], filename: "server.cjs" };
    webpack({ entry: "./server.mjs", target: "node", mode: "production", output }, (error, stats) => {
      if (error || stats.hasErrors()) throw error ?? new Error(stats.toString("errors-only"));
    });
  `,
  "nft.mjs": `
    import { nodeFileTrace } from "@vercel/nft";
    const conditions = ["node", "module-sync"];
    const { fileList } = await nodeFileTrace(["server.mjs"], { conditions });
    console.log(JSON.stringify([...fileList]));
  `,
  "next.config.mjs": `export default { output: "standalone", outputFileTracingRoot: import.meta.dirname };`,
};

const writeNextProject = (): void => {
  const [, route = ""] =
    /```ts fragment\n(\/\/ pages\/api\/[\s\S]*?)```/.exec(readPage("docs/production.md")) ?? [];
  mkdirSync(join(project, "pages/api"), { recursive: true });
  // JavaScript, because Next.js would install the packages that TypeScript needs
  const code = transformSync(route, { loader: "ts" })
    .code.replace("../../api", "../../api.mjs")
    .replace("{ cors: false, upload: true }", "{ cors: false, cookies: true, upload: true }");
  writeFileSync(join(project, "pages/api/[[...path]].js"), code);
  writeFileSync(join(project, "pages/index.js"), "export default () => null;");
};

const runInProject = (node: string, ...args: readonly string[]): string =>
  run(node, args, project, {
    ...process.env,
    ...{ NODE_ENV: "production", NEXT_TELEMETRY_DISABLED: "1", NODE_NO_WARNINGS: "1" },
  });

const createFolder = (name: string): string => {
  const path = createBundleFolder(folder);
  bundles.set(name, path);
  return path;
};

let traced: readonly string[] = [];

beforeAll(() => {
  ensureBuilt();
  folder = realpathSync(mkdtempSync(join(tmpdir(), "sallyport-bundlers-")));
  project = join(folder, "project");
  cpSync(join(root, "test/fixtures/bundles"), project, { recursive: true });
  writeFileSync(join(project, "package.json"), '{ "private": true, "type": "module" }');
  const options = ["--no-audit", "--no-fund", "--loglevel=error", "--prefer-offline"];
  run("npm", ["install", ...options, pack(folder), ...packages], project);
  for (const [name, code] of Object.entries(programs)) writeFileSync(join(project, name), code);
  writeNextProject();

  runInProject(process.execPath, "rollup.mjs", createFolder("Rollup"), "es");
  runInProject(process.execPath, "rollup.mjs", createFolder("Rollup, one file"), "es", "one");
  runInProject(process.execPath, "webpack.mjs", createFolder("webpack"));
  const bun = join(project, "node_modules/.bin/bun");
  const toBun = ["build", "server.mjs", "--target=node", "--outfile"];
  run(bun, [...toBun, join(createFolder("bun build"), "server.mjs")], project);
  const toProgram = ["build", "server.mjs", "--compile", "--outfile"];
  run(bun, [...toProgram, join(createFolder("bun build --compile"), "server")], project);

  traced = JSON.parse(runInProject(process.execPath, "nft.mjs")) as readonly string[];
  const copy = createFolder("@vercel/nft");
  for (const file of traced) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(project, file), join(copy, file));
  }
  // on Node.js 20, the tracer of Next.js misses a dependency of Express, too
  const node = ensureNode("24");
  const next = join(project, "node_modules/next/dist/bin/next");
  for (const option of ["--turbopack", "--webpack"]) {
    runInProject(node, next, "build", option);
    cpSync(join(project, ".next/standalone"), createFolder(`Next.js ${option}`), {
      recursive: true,
      verbatimSymlinks: true,
    });
  }
  // some tools write paths of the project into a bundle, which do not exist where it is deployed
  renameSync(project, join(folder, "moved"));
}, 1_800_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const ending: (() => Promise<unknown>)[] = [];
afterEach(() => Promise.all(ending.splice(0).map((end) => end())));

describe("a bundled server, in a folder without packages,", () => {
  test.each([
    ["Rollup", [process.execPath, "server.mjs"]],
    ["Rollup, one file", [process.execPath, "server.mjs"]],
    ["webpack", [process.execPath, "server.cjs"]],
    ["bun build", [process.execPath, "server.mjs"]],
    ["bun build --compile", ["./server"]],
    ["@vercel/nft", [process.execPath, "server.mjs"]],
  ] as const)("answers each request: %s", async (name, [command, ...args]) => {
    const { line, stop } = await startProgram(command, args, bundles.get(name) ?? "");
    ending.push(stop);
    expect(await askBundle(line)).toEqual(fromWholeBundle);
  });

  test.each(["--turbopack", "--webpack"])(
    "answers each request: a standalone build of Next.js with %s",
    async (option) => {
      const port = String(await findFreePort());
      const child = spawn(ensureNode("24"), ["server.js"], {
        cwd: bundles.get(`Next.js ${option}`),
        env: { ...process.env, NODE_ENV: "production", PORT: port, HOSTNAME: "127.0.0.1" },
        stdio: ["ignore", "ignore", "inherit"],
      });
      ending.push(() => {
        child.kill("SIGKILL");
        return once(child, "exit");
      });
      const url = `http://127.0.0.1:${port}/api`;
      await expect.poll(() => fetch(url).then(() => "", String), { timeout: 60_000 }).toBe("");
      // Next.js gives the response its own `redirect`
      const expected = { ...fromWholeBundle, moved: fromWholeBundle.moved.replace("302", "307") };
      expect(await askBundle(url)).toEqual(expected);
    },
  );
});

test("@vercel/nft lists each package, with its own dependencies", () => {
  const names = new Set(
    traced.map((file) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? ""),
  );
  expect([...names]).toEqual(
    expect.arrayContaining([
      ...["sallyport", "zod", "express", "http-errors", "@fastify/busboy", "yaml", "cookie"],
      ...["body-parser", "statuses", "send", "qs", "router"],
    ]),
  );
});
