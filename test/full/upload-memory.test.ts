import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ensureBuilt, report, sleep, startProgram } from "./harness.ts";

const mebibyte = 1024 * 1024;
const fileSize = 500 * mebibyte;

let directory = "";
beforeAll(async () => {
  ensureBuilt();
  directory = await mkdtemp(join(tmpdir(), "sallyport-memory-"));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** Returns the current or the peak resident memory of a process, in MiB. */
const readMemory = (pid: number, field: "VmRSS" | "VmHWM"): number => {
  const text = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(text)?.[1]) / 1024;
};

/** Sends a file of the given size without holding it in memory, and no faster than the server reads. */
const upload = async (port: number, size: number): Promise<{ status: number; text: string }> => {
  const head = Buffer.from(
    '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\nContent-Type: application/octet-stream\r\n\r\n',
  );
  const tail = Buffer.from("\r\n--b--\r\n");
  const request = httpRequest({
    host: "127.0.0.1",
    port,
    path: "/upload",
    method: "POST",
    agent: false,
    headers: {
      "content-type": "multipart/form-data; boundary=b",
      "content-length": head.length + size + tail.length,
    },
  });
  const answered = once(request, "response") as Promise<[IncomingMessage]>;
  request.write(head);
  const piece = Buffer.alloc(64 * 1024, "0123456789abcdef");
  for (let sent = 0; sent < size; sent += piece.length)
    if (!request.write(piece.subarray(0, size - sent))) await once(request, "drain");
  request.end(tail);
  const [response] = await answered;
  let text = "";
  for await (const chunk of response as AsyncIterable<Buffer>) text += chunk.toString();
  return { status: response.statusCode ?? 0, text };
};

test.skipIf(!existsSync("/proc/self/status"))(
  "an upload of 500 MB that is moved to disk grows the server's memory by at most 45 MB",
  async () => {
    const { child, port, ended } = await startProgram(
      "upload-memory-program.mjs",
      [directory],
      300_000,
    );
    const pid = child.pid ?? 0;
    // loads the code and moves a file to disk once, before anything is measured
    expect((await upload(port, 2 * mebibyte)).status).toBe(200);
    await sleep(500);
    const before = readMemory(pid, "VmRSS");
    let highest = before;
    const sampling = setInterval(() => {
      highest = Math.max(highest, readMemory(pid, "VmRSS"));
    }, 20);
    const begin = performance.now();
    const { status, text } = await upload(port, fileSize);
    const seconds = (performance.now() - begin) / 1000;
    clearInterval(sampling);
    const peak = Math.max(highest, readMemory(pid, "VmHWM"));
    const growth = peak - before;
    report(
      `upload of ${fileSize / mebibyte} MiB in ${seconds.toFixed(1)} s: resident memory ${before.toFixed(1)} MiB before, ${highest.toFixed(1)} MiB at most when sampled, ${peak.toFixed(1)} MiB at its peak (VmHWM): growth ${growth.toFixed(1)} MiB`,
    );
    child.kill("SIGTERM");
    expect(await ended).toBe(0);

    expect(status).toBe(200);
    const { data } = JSON.parse(text) as { data: { size: number; path: string } };
    expect(data.size).toBe(fileSize);
    expect((await stat(data.path)).size).toBe(fileSize);
    expect((await readdir(directory)).filter((name) => !name.startsWith("moved-"))).toEqual([]);
    expect(growth).toBeLessThanOrEqual(45);
  },
);
