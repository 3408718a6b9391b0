import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { ensureBuilt } from "./harness.ts";
import { ensureNodes } from "./node-versions.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const packages: readonly string[] = [
  ...["@fastify/busboy", "@types/node", "cookie", "express", "http-errors"],
  ...["swagger-ui-dist", "yaml", "zod"],
];
const folders: string[] = [];
let plain = "";
let withTsx = "";

/** Creates a directory with the example and the package, as if they were installed. */
const install = (names: readonly string[]): string => {
  const folder = mkdtempSync(join(tmpdir(), "sallyport-versions-"));
  folders.push(folder);
  cpSync(join(root, "test/fixtures/users-api"), folder, { recursive: true });
  const modules = join(folder, "node_modules");
  for (const name of ["dist", "package.json"])
    cpSync(join(root, name), join(modules, "sallyport", name), { recursive: true });
  for (const name of names) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(root, "node_modules", name), join(modules, name));
  }
  return folder;
};

beforeAll(() => {
  ensureBuilt();
  plain = install(packages);
  withTsx = install([...packages, "tsx"]);
});

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const env = { ...process.env, NODE_OPTIONS: "", VITEST: "", NODE_ENV: "development", PORT: "0" };

const run = (node: string, cwd: string, ...args: readonly string[]) => {
  const command = join(cwd, "node_modules/sallyport/dist/cli/main.js");
  const options = { cwd, encoding: "utf8", env: { ...env, NODE_NO_WARNINGS: "1" } } as const;
  const { status, stdout, stderr } = spawnSync(node, [command, ...args], options);
  return { status, stdout, stderr };
};

const nodes = [...ensureNodes()];
const check = ["openapi", "--out", "openapi.yaml", "--check"];

describe.each(nodes)("on Node.js %s", (version, node) => {
  test("the openapi command reads TypeScript with tsx, and finds the document up to date", () => {
    expect(run(node, withTsx, ...check)).toEqual({ status: 0, stdout: "", stderr: "" });
    const { stdout } = run(node, withTsx, "routes", "--json");
    expect((JSON.parse(stdout) as unknown[]).length).toBeGreaterThan(5);
    expect(JSON.parse(stdout)).toHaveProperty(
      "0.at",
      expect.stringMatching(/^src\/users-endpoints\.ts:\d+$/),
    );
  });

  test("the openapi command runs without tsx if Node.js can read TypeScript, and otherwise says what to install", () => {
    const { status, stderr } = run(node, plain, ...check);
    const isOld = version.startsWith("20");
    expect([status, stderr.includes("--save-dev tsx")]).toEqual([isOld ? 1 : 0, isOld]);
  });

  test("the example serves its documentation page and its document", async () => {
    const main = ["--import", "tsx", "src/main.ts"];
    const child = spawn(node, main, { cwd: withTsx, env, stdio: ["ignore", "pipe", "inherit"] });
    try {
      let printed = "";
      child.stdout.on("data", (chunk: Buffer) => (printed += chunk.toString()));
      await expect.poll(() => printed, { timeout: 30_000 }).toContain("/docs.");
      const [url = ""] = /http:\S+(?=\/docs\.)/.exec(printed) ?? [];
      const page = await fetch(`${url}/docs`);
      expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
      const assets = [...(await page.text()).matchAll(/(?:src|href)="([^"]+)"/g)];
      expect(assets.length).toBeGreaterThan(2);
      for (const [, asset = ""] of assets)
        expect((await fetch(new URL(asset, `${url}/docs`))).status).toBe(200);
      const json = await fetch(`${url}/docs/openapi.json`);
      const committed: unknown = parse(
        readFileSync(join(root, "test/fixtures/users-api/openapi.yaml"), "utf8"),
      );
      expect(await json.json()).toEqual(committed);
      const etag = json.headers.get("etag") ?? "";
      // without `cache`, fetch would ask for a whole response
      const again = { headers: { "if-none-match": etag }, cache: "no-cache" } as const;
      expect((await fetch(`${url}/docs/openapi.json`, again)).status).toBe(304);
    } finally {
      child.kill();
      await once(child, "exit");
    }
  });
});
