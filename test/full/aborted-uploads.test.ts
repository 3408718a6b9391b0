import { existsSync, readdirSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { defaultEndpointsFactory as factory, ez } from "sallyport";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { z } from "zod";
import { start } from "../http/harness.ts";
import { doAll, report, sleep } from "./harness.ts";

const uploads = 2000;

let directory = "";
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "sallyport-aborted-"));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const toPart = (disposition: string, content: string | Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(`--b\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n`),
    Buffer.from(content),
    Buffer.from("\r\n"),
  ]);

const body = Buffer.concat([
  toPart('name="title"', "x".repeat(300)),
  toPart('name="file"; filename="small"', Buffer.alloc(500, "s")),
  toPart('name="file"; filename="large"', Buffer.alloc(150_000, "l")),
  toPart('name="file"; filename="last"', Buffer.alloc(60_000, "e")),
  Buffer.from("--b--\r\n"),
]);
const head = Buffer.from(
  `POST /up HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: ${body.length}\r\n\r\n`,
);
const whole = Buffer.concat([head, body]);

/** Sends some bytes of an upload, waits, and ends the connection with a FIN or a reset. */
const abort = (port: number, bytes: number, delay: number, isReset: boolean): Promise<void> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => undefined).on("close", () => resolve());
    socket.resume();
    socket.write(whole.subarray(0, bytes), () => {
      setTimeout(() => (isReset ? socket.resetAndDestroy() : socket.destroy()), delay);
    });
  });

const countDescriptors = (): number => readdirSync("/proc/self/fd").length;

test.skipIf(!existsSync("/proc/self/fd"))(
  `U1: ${uploads} uploads aborted at random bytes leave no file or descriptor, and run no handler`,
  async () => {
    const handler = vi.fn(() => ({}));
    const beforeUpload = vi.fn();
    const endpoint = factory.build({
      method: "post",
      input: z.object({ title: z.string(), file: z.array(ez.upload()) }),
      handler,
    });
    const server = await start(
      { up: endpoint },
      { upload: { limits: { memory: 1000 }, tempFileDir: directory, beforeUpload } },
    );
    const sendWhole = (): Promise<{ readonly status: number }> =>
      server.send("/up", {
        method: "POST",
        headers: { "content-type": "multipart/form-data; boundary=b" },
        body,
      });
    expect((await sendWhole()).status).toBe(200);
    expect(handler).toHaveBeenCalledOnce();
    await expect.poll(() => readdir(directory)).toEqual([]);
    await sleep(100);
    const before = countDescriptors();

    const plans = fc.sample(
      fc.record({
        // a third of the uploads are aborted in the head or in the first parts
        bytes: fc.oneof(
          { weight: 1, arbitrary: fc.integer({ min: 1, max: head.length + 1200 }) },
          { weight: 2, arbitrary: fc.integer({ min: head.length, max: whole.length - 1 }) },
        ),
        delay: fc.integer({ min: 0, max: 10 }),
        isReset: fc.boolean(),
      }),
      { seed: 20_261_121, numRuns: uploads },
    );
    let [mostFiles, mostDescriptors] = [0, 0];
    const sampling = setInterval(() => {
      mostFiles = Math.max(mostFiles, readdirSync(directory).length);
      mostDescriptors = Math.max(mostDescriptors, countDescriptors());
    }, 5);
    await doAll(uploads, 16, async (index) => {
      const { bytes = 1, delay = 0, isReset = false } = plans[index] ?? {};
      await abort(server.port, bytes, delay, isReset);
    });
    clearInterval(sampling);

    const begin = performance.now();
    const isBack = (): boolean =>
      readdirSync(directory).length === 0 && countDescriptors() <= before;
    while (!isBack() && performance.now() - begin < 5000) await sleep(10);
    report(
      `${uploads} aborted uploads, ${beforeUpload.mock.calls.length - 1} of them begun: temporary files ${mostFiles} at most, ${readdirSync(directory).length} at the end; descriptors ${before} before, ${mostDescriptors} at most, ${countDescriptors()} at the end (after ${(performance.now() - begin).toFixed(0)} ms); error lines ${server.linesOf("error").length}`,
    );
    expect(readdirSync(directory)).toEqual([]);
    expect(countDescriptors()).toBeLessThanOrEqual(before);
    expect(handler).toHaveBeenCalledOnce();
    expect(server.linesOf("error")).toEqual([]);
    // 0 would mean that no upload was aborted while a file was being written
    expect(mostFiles).toBeGreaterThan(0);
    expect((await sendWhole()).status).toBe(200);
  },
);
