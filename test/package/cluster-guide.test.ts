import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const guide = readFileSync(join(root, "docs/cluster.md"), "utf8");
const port = "18095";
let folder = "";
let primary: ChildProcess | undefined;
let printed = "";

beforeAll(() => {
  folder = mkdtempSync(join(root, "node_modules", ".cluster-guide-"));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  for (const [, name = "", code = ""] of guide.matchAll(/```ts file=(\S+)\n([\s\S]*?)```/g))
    writeFileSync(join(folder, name), code);
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
});

afterAll(async () => {
  if (primary && primary.exitCode === null) {
    primary.kill("SIGKILL");
    await once(primary, "exit");
  }
  rmSync(folder, { recursive: true, force: true });
});

/** Asks without keeping the connection, so that each request may reach another worker. */
const ask = async (): Promise<string> => {
  const response = await fetch(`http://127.0.0.1:${port}/who`, {
    headers: { connection: "close" },
    signal: AbortSignal.timeout(10_000),
  });
  const { data } = (await response.json()) as { readonly data: { readonly worker: string } };
  return data.worker;
};

test("docs/cluster.md compiles under strict", () => {
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const options =
    "--outDir out --ignoreConfig --module nodenext --target es2023 --strict --types node";
  const { stdout, status } = spawnSync(
    process.execPath,
    [tsc, ...options.split(" "), "cluster.ts", "server.ts"],
    { cwd: folder, encoding: "utf8" },
  );
  expect(stdout).toBe("");
  expect(status).toBe(0);
});

test("several workers serve, are replaced one by one without a refused request, and end together", async () => {
  const child = spawn(process.execPath, [join(folder, "out/cluster.js")], {
    env: { ...process.env, PORT: port, WORKERS: "2", NODE_NO_WARNINGS: "1" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  primary = child;
  child.stdout.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  await expect.poll(() => printed, { timeout: 20_000 }).toContain("2 workers serve");
  const first = new Set<string>();
  for (let turn = 0; turn < 20; turn++) first.add(await ask());
  expect([...first].toSorted()).toEqual(["worker 1", "worker 2"]);

  child.kill("SIGHUP");
  const seen = new Set<string>();
  while (!printed.includes("All workers are replaced")) seen.add(await ask());
  for (let turn = 0; turn < 20; turn++) seen.add(await ask());
  expect([...seen]).toEqual(expect.arrayContaining(["worker 3", "worker 4"]));

  child.kill("SIGTERM");
  const [code] = (await once(child, "exit")) as [number];
  expect(code).toBe(0);
  await expect(ask()).rejects.toThrow("fetch failed");
});
