import { execFileSync, fork, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  connectionCases,
  toExpected,
  type ConnectionCase,
  type Expected,
} from "./connection-cases.ts";
import { doAll, ensureBuilt, report, sleep, toCount } from "./harness.ts";
import { ensureNodes } from "./node-versions.ts";

const cases = toCount("SALLYPORT_CONNECTIONS", 10_000);
const seed = toCount("SALLYPORT_SEED", 20_261_121);
const batchSize = 100;

interface State {
  readonly connections: number;
  readonly running: number;
  readonly descriptors: number;
  readonly files: number;
  readonly timers: number;
  readonly heap: number;
  readonly faults: readonly string[];
}

let home = "";
const hasTls = spawnSync("openssl", ["version"]).status === 0;
beforeAll(async () => {
  ensureBuilt();
  home = await mkdtemp(join(tmpdir(), "sallyport-connections-"));
  if (!hasTls) return;
  const flags = "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -keyout - -out -";
  const pem = execFileSync("openssl", flags.split(" "), { stdio: ["ignore", "pipe", "ignore"] });
  const [key = "", cert = ""] = pem.toString().split(/(?=-----BEGIN CERTIFICATE)/);
  await writeFile(join(home, "key.pem"), key);
  await writeFile(join(home, "cert.pem"), cert);
});
afterAll(() => rm(home, { recursive: true, force: true }));

const startServer = async (version: string, node: string) => {
  const directory = join(home, version);
  await mkdir(join(directory, "temporary"), { recursive: true });
  await mkdir(join(directory, "static"), { recursive: true });
  const path = fileURLToPath(new URL("connections-program.mjs", import.meta.url));
  const certificate = hasTls ? [join(home, "key.pem"), join(home, "cert.pem")] : [];
  const child = fork(path, [directory, ...certificate], {
    execPath: node,
    execArgv: ["--expose-gc", "--disable-warning=SLP_WARN_RUNTIME"],
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const [{ ports }] = (await once(child, "message")) as [{ ports: number[] }];
  return { child, ports };
};

const askState = async (child: ChildProcess): Promise<State> => {
  child.send("state");
  const [state] = (await once(child, "message")) as [State];
  return state;
};

/** Parses the responses on a connection; omits interim and partial ones. */
const readReplies = (text: string, methods: readonly string[]) => {
  const replies: { status: number; body: string }[] = [];
  for (let at = 0; at < text.length;) {
    const end = text.indexOf("\r\n\r\n", at);
    if (end < 0) break;
    const head = text.slice(at, end).toLowerCase();
    const status = Number(/^http\/1\.1 (\d+)/.exec(head)?.[1] ?? Number.NaN);
    at = end + 4;
    if (status < 200) continue;
    const length = /\r\ncontent-length: (\d+)/.exec(head)?.[1];
    let body = "";
    if (methods[replies.length] === "HEAD") {
      // it has no body
    } else if (length !== undefined) {
      body = text.slice(at, at + Number(length));
      if (body.length < Number(length)) break;
      at += body.length;
    } else if (head.includes("transfer-encoding: chunked")) {
      for (;;) {
        const line = text.indexOf("\r\n", at);
        const size = Number.parseInt(text.slice(at, line), 16);
        if (line < 0 || text.length < line + size + 4) return replies;
        body += text.slice(line + 2, line + 2 + size);
        at = line + size + 4;
        if (size === 0) break;
      }
    }
    replies.push({ status, body });
  }
  return replies;
};

const open = async (ports: readonly number[], isTls: boolean): Promise<Socket> => {
  const [port, tlsPort] = ports as [number, number | undefined];
  if (!isTls || tlsPort === undefined) {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => undefined);
    await once(socket, "connect");
    return socket;
  }
  const socket = connectTls({ port: tlsPort, host: "127.0.0.1", rejectUnauthorized: false });
  socket.on("error", () => undefined);
  await once(socket, "secureConnect");
  return socket;
};

/** Runs a case; returns a description of wrong responses, or undefined if there are none. */
const play = async (ports: readonly number[], one: ConnectionCase): Promise<object | undefined> => {
  const socket = await open(ports, one.isTls);
  let text = "";
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  let onData = (): void => undefined;
  socket.on("data", (piece: Buffer) => {
    text += piece.toString("latin1");
    onData();
  });
  const bytes = Buffer.concat(one.requests.map((sent) => sent.bytes));
  const end = one.abort ? Math.floor(bytes.length * one.abort.share) : bytes.length;
  let at = 0;
  for (const [share, pause] of one.splits.toSorted(([a], [b]) => a - b)) {
    const next = Math.min(end, Math.floor(bytes.length * share));
    if (next > at && !socket.destroyed) socket.write(bytes.subarray(at, next));
    at = Math.max(at, next);
    if (pause > 0) await sleep(pause);
  }
  if (at < end && !socket.destroyed) socket.write(bytes.subarray(at, end));
  if (one.abort) {
    await sleep(one.abort.pause);
    if (one.abort.isReset) socket.resetAndDestroy();
    else socket.destroy();
    await closed;
    return undefined;
  }
  const expected = toExpected(one);
  const methods = expected.map((sent) => sent.bytes.toString("latin1", 0, 10).split(" ")[0] ?? "");
  const isEnded = expected.at(-1)?.isLast === true;
  let timer: NodeJS.Timeout | undefined;
  await new Promise<void>((resolve) => {
    timer = setTimeout(resolve, 8000);
    void closed.then(resolve);
    onData = () => {
      if (!isEnded && readReplies(text, methods).length >= expected.length) resolve();
    };
    onData();
  });
  clearTimeout(timer);
  socket.destroy();
  const replies = readReplies(text, methods);
  const isRight =
    (replies.length === expected.length || expected[replies.length - 1]?.mayBeLast === true) &&
    replies.every(({ status, body }, index) => {
      const { status: wanted, text: content = "" } = expected[index] as Expected;
      return status === wanted && body.includes(content);
    });
  if (isRight) return undefined;
  return {
    isTls: one.isTls,
    expected: expected.map(({ status }) => status),
    got: replies.map(({ status }) => status),
    requests: one.requests.map(
      (sent) => `${sent.bytes.length} ${sent.bytes.toString("latin1", 0, 60)}`,
    ),
    splits: one.splits,
  };
};

test.skipIf(!existsSync("/proc/self/fd"))(
  `W26, W27, W28: ${cases} connections with pipelined requests, split and aborted at random, get correct responses on four versions of Node.js`,
  async () => {
    const nodes = ensureNodes();
    const lines: string[] = [];
    for (const [version, node] of nodes) {
      const { child, ports } = await startServer(version, node);
      const count = Math.ceil(cases / nodes.size);
      const faults: unknown[] = [];
      let baseline: State | undefined;
      let state: State | undefined;
      for (let first = 0; first < count && faults.length < 5; first += batchSize) {
        const batch = fc.sample(connectionCases, {
          numRuns: Math.min(batchSize, count - first),
          seed: seed + first,
        });
        await doAll(batch.length, 8, async (index) => {
          const fault = await play(ports, {
            ...(batch[index] as ConnectionCase),
            ...(hasTls ? {} : { isTls: false }),
          });
          if (fault) faults.push({ version, case: first + index, ...fault });
        });
        // the lingering close of an abandoned connection ends within half a second
        for (let tries = 0; tries < 40; tries++) {
          state = await askState(child);
          const isQuiet = state.connections === 0 && state.running === 0 && state.files === 0;
          if (isQuiet && (!baseline || state.descriptors <= baseline.descriptors)) break;
          await sleep(100);
        }
        if (!state) break;
        const { connections, running, files, descriptors } = state;
        const left = { connections, running, files };
        if (connections + running + files > 0)
          faults.push({ version, after: first + batchSize, left });
        if (baseline && descriptors > baseline.descriptors)
          faults.push({
            version,
            after: first + batchSize,
            descriptors,
            before: baseline.descriptors,
          });
        faults.push(...state.faults);
        if (first >= 4 * batchSize || first + batchSize >= count) baseline ??= state;
      }
      child.kill();
      expect(faults).toEqual([]);
      const grown = ((state?.heap ?? 0) - (baseline?.heap ?? 0)) / 1024;
      lines.push(
        `Node ${version}: ${count} connections, heap ${grown.toFixed(0)} KiB more than after the first 500`,
      );
      expect(grown).toBeLessThan(4096);
      expect(state?.timers).toBeLessThanOrEqual(baseline?.timers ?? 0);
    }
    report(lines.join("\n  "));
  },
);
