import { mkdtemp, open, rm, type FileHandle } from "node:fs/promises";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defaultEndpointsFactory as factory, ez } from "sallyport";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { z } from "zod";
import { start, successEnvelope } from "../harness.ts";

let directory = "";
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "sallyport-slow-"));
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(directory, { recursive: true });
});

/** Blocks the disk, and returns a function that unblocks it. */
const blockDisk = async (): Promise<() => void> => {
  const handle = await open(join(directory, "probe"), "w");
  const prototype = Object.getPrototypeOf(handle) as FileHandle;
  await handle.close();
  let unblock: () => void = () => undefined;
  const unblocked = new Promise<void>((resolve) => (unblock = resolve));
  const write = Reflect.get(prototype, "appendFile") as (...args: unknown[]) => Promise<never>;
  async function writeLater(this: FileHandle, ...args: unknown[]): Promise<never> {
    await unblocked;
    return write.apply(this, args);
  }
  vi.spyOn(prototype, "appendFile").mockImplementation(writeLater);
  return unblock;
};

test("an upload that is faster than the disk waits in the network, not in memory", async () => {
  const unblock = await blockDisk();
  const endpoint = factory.build({
    method: "post",
    input: z.object({ file: ez.upload() }),
    handler: ({ input }) => ({ size: input.file.size }),
  });
  const server = await start({ up: endpoint }, { upload: { tempFileDir: directory } });
  let connection: Socket | undefined;
  server.servers[0]?.once("connection", (socket: Socket) => (connection = socket));
  const size = 8 * 1024 * 1024;
  const answer = server.send("/up", {
    method: "POST",
    headers: { "content-type": "multipart/form-data; boundary=b" },
    body: Buffer.concat([
      Buffer.from('--b\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n'),
      Buffer.alloc(size),
      Buffer.from("\r\n--b--\r\n"),
    ]),
  });
  let seen = -1;
  // waits until nothing more is read
  while (seen !== connection?.bytesRead || seen < 1_000_000) {
    seen = connection?.bytesRead ?? 0;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  // a megabyte in memory, plus the bytes being written and those that the socket has read ahead
  expect(seen).toBeLessThan(size / 2);
  unblock();
  expect((await answer).json()).toEqual(successEnvelope({ size }));
});
