import { mkdtemp, open, readFile, rm, type FileHandle } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Spool } from "./spool.ts";

let directory = "";
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "sallyport-spool-"));
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(directory, { recursive: true });
});

test("gathers small chunks into one write to disk", async () => {
  const handle = await open(join(directory, "probe"), "w");
  const write = vi.spyOn(Object.getPrototypeOf(handle) as FileHandle, "appendFile");
  await handle.close();
  const spool = new Spool({ limit: 0, used: 0 }, directory);
  for (let count = 0; count < 150; count++) {
    spool.take(Buffer.alloc(1000, "a"));
    await spool.settle();
  }
  // the first write happens as soon as the file is open; later chunks are gathered
  expect(write).toHaveBeenCalledTimes(1);
  spool.take(Buffer.alloc(50_000, "a"));
  await spool.settle();
  expect(write).toHaveBeenCalledTimes(2);
  spool.take(Buffer.from("end"));
  spool.isEnded = true;
  await spool.settle();
  expect(write).toHaveBeenCalledTimes(3);
  expect(await readFile(spool.path ?? "", "utf8")).toBe(`${"a".repeat(200_000)}end`);
  expect(spool.size).toBe(200_003);
});
