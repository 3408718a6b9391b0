import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import zlib from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ensureBuilt, report, sleep } from "./harness.ts";

let directory = "";
beforeAll(async () => {
  ensureBuilt();
  directory = await mkdtemp(join(tmpdir(), "sallyport-worst-"));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const mebi = 1_048_576;
const head = (line: string, fields: readonly string[]): Buffer =>
  Buffer.from([`${line} HTTP/1.1`, "Host: a", ...fields, "", ""].join("\r\n"));
const post = (
  path: string,
  body: string | Buffer,
  fields: readonly string[] = ["Content-Type: application/json"],
): Buffer[] => {
  const bytes = Buffer.from(body as string);
  return [head(`POST ${path}`, [...fields, `Content-Length: ${bytes.length}`]), bytes];
};
/** Repeats an element until a string has the maximum size of a body. */
const fill = (start: string, element: string, end: string): string =>
  start + element.repeat(Math.floor((mebi - start.length - end.length) / element.length)) + end;
const keys = (): string => {
  const parts: string[] = [];
  for (let length = 0, index = 0; length < mebi - 20; index++) {
    const part = `"k${index}":1`;
    parts.push(part);
    length += part.length + 1;
  }
  return `{${parts.join(",")}}`;
};
/** Repeats an element until a body has the maximum number of values; `each` is the number that an element adds. */
const list = (element: string, each = 1): string =>
  `{"ids":[${Array.from({ length: Math.floor(19_999 / each) }, () => element).join(",")}]}`;
const wrong = list('""');
const record = (): string =>
  `{"ids":{${Array.from({ length: 19_999 }, (_, index) => `"k${index}":""`).join(",")}}}`;
const part = (disposition: string, content: string): string =>
  `--b\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${content}\r\n`;
const multipart = "Content-Type: multipart/form-data; boundary=b";
const inBytes = (bytes: Buffer): Buffer => {
  const chunked = Buffer.alloc(bytes.length * 6);
  for (let index = 0; index < bytes.length; index++) {
    chunked.write("1\r\n", index * 6);
    chunked[index * 6 + 3] = bytes[index] as number;
    chunked.write("\r\n", index * 6 + 4);
  }
  return Buffer.concat([chunked, Buffer.from("0\r\n\r\n")]);
};
const jsonChunked = ["Content-Type: application/json", "Transfer-Encoding: chunked"];

/** The kinds of requests, each with a function that creates the bytes of its worst case. */
const kinds: Readonly<Record<string, () => Buffer[]>> = {
  "JSON: numbers": () => post("/loose", fill('{"a":[', "1,", "1]}")),
  "JSON: empty objects": () => post("/loose", fill('{"a":[', "{},", "{}]}")),
  "JSON: empty objects beside an escape": () =>
    post("/loose", fill('{"b":"\\u0041","a":[', "{},", "{}]}")),
  "JSON: keys": () => post("/loose", keys()),
  "JSON: keys that a strict schema rejects": () => post("/strict", keys()),
  "JSON: depth": () => post("/loose", fill('{"a":', "[", "")),
  "JSON: a string of escapes": () => post("/loose", fill('{"a":"', "\\u00e9", '"}')),
  "JSON: wrong elements": () => post("/list", wrong),
  "JSON: wrong elements under a union": () => post("/union", wrong),
  "JSON: caught elements": () => post("/caught", wrong),
  "JSON: caught elements of a union": () => post("/unions", wrong),
  "JSON: wrong keys of a record": () => post("/record", record()),
  "JSON: wrong emails": () => post("/emails", list(`"${"a".repeat(48)}"`)),
  "JSON: wrong elements of a set": () =>
    post("/set", `{"ids":[${Array.from({ length: 19_999 }, (_, at) => `"${at}"`).join(",")}]}`),
  "JSON: defaults in wrong elements": () => post("/defaults", list("{}")),
  "JSON: wrong elements of an asynchronous refinement": () => post("/refined", wrong),
  "JSON: elements that lack 20 fields": () => post("/fields", list("{}")),
  "JSON: elements that fit none of 10 types": () => post("/types", list("{}")),
  "JSON: wrong elements of 100 tagged types": () => post("/tagged", list('{"kind":"k99"}', 2)),
  "JSON in chunks of one byte": () => [
    head("POST /loose", jsonChunked),
    inBytes(Buffer.from(fill('{"a":[', "1,", "1]}"))),
  ],
  "gzip of 1 GiB": () => {
    const encoded = zlib.gzipSync(Buffer.alloc(64 * mebi, 32));
    const body = Buffer.concat(Array.from({ length: 16 }, () => encoded));
    return post("/loose", body, ["Content-Type: application/json", "Content-Encoding: gzip"]);
  },
  "empty gzip members": () => {
    const empty = zlib.gzipSync("");
    const body = Buffer.concat(
      Array.from({ length: Math.floor(mebi / empty.length) }, () => empty),
    );
    return post("/loose", body, ["Content-Type: application/json", "Content-Encoding: gzip"]);
  },
  "br of 1 GiB": () => {
    const encoded = zlib.brotliCompressSync(Buffer.alloc(64 * mebi, 32));
    return post("/loose", encoded, ["Content-Type: application/json", "Content-Encoding: br"]);
  },
  "form: fields": () =>
    post(
      "/form",
      Array.from({ length: 1000 }, (_, index) => `k${index}=${"%41".repeat(340)}`).join("&"),
      ["Content-Type: application/x-www-form-urlencoded"],
    ),
  "form: plus signs": () =>
    post("/form", fill("a=", "+", ""), ["Content-Type: application/x-www-form-urlencoded"]),
  raw: () => post("/raw", Buffer.alloc(mebi, 1), ["Content-Type: application/octet-stream"]),
  "multipart: fields": () =>
    post(
      "/upload",
      `${Array.from({ length: 900 }, (_, index) => part(`name="k${index}"`, "x".repeat(2300))).join("")}--b--\r\n`,
      [multipart],
    ),
  "multipart: ten files of 10 MiB": () =>
    post(
      "/upload",
      `${Array.from({ length: 10 }, () => part('name="file"; filename="f"', "x".repeat(10 * mebi))).join("")}--b--\r\n`,
      [multipart],
    ),
  "multipart: a file in chunks of one byte": () => [
    head("POST /upload", [multipart, "Transfer-Encoding: chunked"]),
    inBytes(Buffer.from(`${part('name="file"; filename="f"', "x".repeat(mebi))}--b--\r\n`)),
  ],
  "multipart: parts without a name": () =>
    post("/upload", `${"--b\r\nX: y\r\n\r\n\r\n".repeat(999)}--b--\r\n`, [multipart]),
  "a query of 8 KiB": () => [head(`GET /query?${"a=%41&".repeat(999)}${"%".repeat(2000)}`, [])],
  "cookies of 16 KiB": () => [
    head("GET /query", [
      `Cookie: ${Array.from({ length: 1300 }, (_, index) => `${index.toString(36)}=s:a.b`).join(";")}`,
    ]),
  ],
  "a content type of 15 KiB": () =>
    post("/loose", "{}", [`Content-Type: application/json;${" ".repeat(15_000)}x`]),
  "20,000 pipelined requests": () => [
    Buffer.concat([
      ...Array.from({ length: 20_000 }, () => head("GET /query", [])),
      head("GET /query", ["Connection: close"]),
    ]),
  ],
};

/** The documented limits for memory, in MiB, and for stall time, in milliseconds. */
const documented = (): ReadonlyMap<string, readonly [memory: number, stall: number]> => {
  const text = readFileSync(
    new URL("../../docs/internals/reliability.md", import.meta.url),
    "utf8",
  );
  const rows = [...text.matchAll(/^\| ([^|]+?) +\| +(\d+) MiB +\| +(\d+) ms +\|$/gm)];
  return new Map(
    rows.map(([, name = "", memory, stall]) => [name, [Number(memory), Number(stall)]]),
  );
};

interface Measured {
  readonly stall: number;
  readonly peak: number;
  readonly now: number;
}
const ask = async (child: ChildProcess): Promise<Measured> => {
  child.send("measure");
  return ((await once(child, "message")) as [Measured])[0];
};

const measure = async (
  bytes: readonly Buffer[],
): Promise<{ memory: number; stall: number; status: number }> => {
  const path = fileURLToPath(new URL("worst-cases-program.mjs", import.meta.url));
  const child = fork(path, [directory], {
    execArgv: ["--disable-warning=SLP_WARN_RUNTIME"],
    env: { ...process.env, NODE_ENV: "production" },
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const [{ port }] = (await once(child, "message")) as [{ port: number }];
  const send = async (pieces: readonly Buffer[]): Promise<number> => {
    const socket = connect(port, "127.0.0.1");
    let text = "";
    const answered = new Promise<void>((resolve) => {
      socket.on("data", (piece: Buffer) => {
        text = (text + piece.toString("latin1")).slice(0, 2000);
        if (!text.includes("HTTP/1.1 1")) resolve();
      });
      socket.on("error", () => undefined).on("close", () => resolve());
    });
    for (const piece of pieces) socket.write(piece);
    await answered;
    if (pieces.length === 1) await Promise.race([once(socket, "close"), sleep(3000)]);
    socket.destroy();
    return Number(/HTTP\/1\.1 (\d+)/.exec(text)?.[1]);
  };
  // modules that are loaded on first use are not part of a request's cost
  const [route = ""] = /\/[a-z]+/.exec(bytes[0]?.toString("latin1") ?? "") ?? [];
  for (let count = 0; count < 10; count++) {
    if (route === "/query") await send([head("GET /query", ["Connection: close"])]);
    else if (route === "/upload")
      await send(post(route, `${part('name="file"; filename="f"', "x")}--b--\r\n`, [multipart]));
    else if (route === "/form")
      await send(post(route, "a=b", ["Content-Type: application/x-www-form-urlencoded"]));
    else await send(post(route, '{"ids":["x"],"b":1}'));
  }
  await sleep(200);
  const before = await ask(child);
  const status = await send(bytes);
  await sleep(100);
  const after = await ask(child);
  child.kill();
  return {
    memory: Math.max(0, after.peak - Math.max(before.peak, before.now)) / mebi,
    stall: after.stall,
    status,
  };
};

test.skipIf(!existsSync("/proc/self/status"))(
  "B22 and S7: one request of each kind costs at most twice the memory, and five times the time, that docs/internals/reliability.md states",
  async () => {
    const bounds = documented();
    const lines: string[] = [];
    const faults: string[] = [];
    for (const [name, make] of Object.entries(kinds)) {
      const { memory, stall, status } = await measure(make());
      const [maxMemory = Number.NaN, maxStall = Number.NaN] = bounds.get(name) ?? [];
      lines.push(
        `${name}: ${status}, ${memory.toFixed(1)} MiB of ${maxMemory}, ${stall.toFixed(0)} ms of ${maxStall}`,
      );
      // machines differ more in time than in memory
      if (!(memory <= 2 * maxMemory && stall <= 5 * maxStall)) faults.push(lines.at(-1) as string);
    }
    report(lines.join("\n  "));
    expect(faults).toEqual([]);
  },
);
