import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  compileFiles,
  createGuideFolder,
  findPort,
  readFiles,
  typescript,
  type GuideFolder,
} from "./guide.ts";

let folder: GuideFolder;
let port = "";

beforeAll(async () => {
  port = await findPort();
  folder = createGuideFolder(readFiles("docs/cluster.md"));
});

afterAll(() => folder.remove());

/**
 * Sends a request over a connection of its own, so that each one may reach a different worker: `fetch` may choose one on
 * which a stream has just ended.
 */
const ask = async (): Promise<string> => {
  const signal = AbortSignal.timeout(10_000);
  const request = get({ port, host: "127.0.0.1", path: "/who", agent: false, signal });
  const [response] = (await once(request, "response")) as [IncomingMessage];
  const { data } = JSON.parse(await text(response)) as {
    readonly data: { readonly worker: string };
  };
  return data.worker;
};

/** Opens an event stream, and resolves to how it ends. */
const openStream = async (): Promise<{ readonly text: Promise<string> }> => {
  const response = await fetch(`http://127.0.0.1:${port}/clock`);
  expect(response.status).toBe(200);
  return { text: response.text() };
};

test("the files in docs/cluster.md compile", () => {
  expect(compileFiles(folder, ["cluster.ts", "server.ts"])).toEqual({ status: 0, output: "" });
});

test("the workers in docs/cluster.md are replaced one by one, and end together, while streams are open", async () => {
  const child = folder.start([...typescript, "cluster.ts"], { PORT: port, WORKERS: "2" });
  let printed = "";
  child.stdout?.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  await expect.poll(() => printed, { timeout: 20_000 }).toContain("All workers serve");
  const first = new Set<string>();
  for (let turn = 0; turn < 20; turn++) first.add(await ask());
  expect([...first].toSorted()).toEqual(["worker 1", "worker 2"]);
  const streams = [await openStream(), await openStream()];

  child.kill("SIGHUP");
  const seen = new Set<string>();
  while (!printed.includes("All workers are replaced")) seen.add(await ask());
  for (let turn = 0; turn < 20; turn++) seen.add(await ask());
  expect([...seen]).toEqual(expect.arrayContaining(["worker 3", "worker 4"]));
  // neither rejects, so both have been ended as a stream ends
  for (const stream of streams) expect(await stream.text).toContain("event: time");

  const last = await openStream();
  child.kill("SIGTERM");
  const [code] = (await once(child, "exit")) as [number];
  expect(code).toBe(0);
  expect(await last.text).toContain("event: time");
  await expect(ask()).rejects.toThrow("ECONNREFUSED");
});
