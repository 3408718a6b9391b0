import { once } from "node:events";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createGuideFolder, findPort, readFiles, typescript, type GuideFolder } from "./guide.ts";

let folder: GuideFolder;
let port = "";

beforeAll(async () => {
  port = await findPort();
  folder = createGuideFolder(readFiles("docs/cluster.md"));
});

afterAll(() => folder.remove());

/** Sends a request without keep-alive, so that each one may reach a different worker. */
const ask = async (): Promise<string> => {
  const response = await fetch(`http://127.0.0.1:${port}/who`, {
    headers: { connection: "close" },
    signal: AbortSignal.timeout(10_000),
  });
  const { data } = (await response.json()) as { readonly data: { readonly worker: string } };
  return data.worker;
};

test("the workers in docs/cluster.md are replaced one by one without a refused request, and end together", async () => {
  const child = folder.start([...typescript, "cluster.ts"], { PORT: port, WORKERS: "2" });
  let printed = "";
  child.stdout?.on("data", (chunk: Buffer) => (printed += chunk.toString()));
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
