// npm run bench:instructions: counts the instructions per request with callgrind. The counts vary by less than 1.5 %, whatever else the machine does.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { untilServing, versionOf } from "./measure.mjs";
import { findNode } from "./peers.mjs";
import { workloads } from "./workloads.mjs";

const { values } = parseArgs({
  options: {
    server: { type: "string", default: "bare,bare-compiled,fastify,sallyport" },
    workload: { type: "string", default: Object.keys(workloads).join() },
    warmup: { type: "string", default: "12000" },
    requests: { type: "string", default: "4000" },
    node: { type: "string", default: "24" },
    root: { type: "string", default: fileURLToPath(new URL("..", import.meta.url)) },
    layouts: { type: "string", default: "1" },
    functions: { type: "string", default: "0" },
    help: { type: "boolean", default: false },
  },
});

const help = `Counts the user-space instructions per request with callgrind, including garbage collection.

  --server NAMES     servers in bench/servers and bench/peers (bare,bare-compiled,fastify,sallyport); sallyport:plain is
                     sallyport with \`shortcuts: false\`
  --workload NAMES   get,list,post (default); start (with --server thousand-bare,thousand): from the start of the
                     process to the first response, in millions; one (with --server middlewares:1:async): GET /v1/one/7
  --warmup COUNT     requests before counting starts (12000)
  --requests COUNT   counted requests (4000; twice as many for list)
  --node 24|current
  --layouts COUNT    starts each server that many times (1), with other strings in memory first, and prints the lowest
                     counts. JSON.stringify finds keys by their addresses in a table of 64 entries, so two keys may share
                     an entry by chance, which costs the workload list 4 % a pair.
  --root FOLDER      a built checkout whose servers are run instead of these
  --functions COUNT  also lists the functions with the most instructions
`;

const connections = 16;

/** Sends the given number of requests over kept-alive connections. */
const send = async (port, { path, method = "GET", body = "" }, total) => {
  const bytes = Buffer.from(
    [
      `${method} ${path} HTTP/1.1`,
      `Host: 127.0.0.1:${port}`,
      ...(body ? ["Content-Type: application/json", `Content-Length: ${body.length}`] : []),
      "",
      body,
    ].join("\r\n"),
  );
  const sockets = await Promise.all(
    Array.from({ length: connections }, async () => {
      const socket = connect(port, "127.0.0.1").setNoDelay(true);
      await once(socket, "connect");
      return socket;
    }),
  );
  // sends on all connections at once, so that each turn of the server's event loop gets equally many requests, even if the
  // machine is busy
  for (let sent = 0; sent < total; sent += connections)
    await Promise.all(
      sockets.map((socket) => {
        socket.write(bytes);
        return readReply(socket);
      }),
    );
  for (const socket of sockets) socket.destroy();
};

const readReply = (socket) =>
  new Promise((resolve, reject) => {
    let text = "";
    const onData = (data) => {
      text += data.toString("latin1");
      const end = text.indexOf("\r\n\r\n");
      if (end < 0) return;
      const length = /^content-length: (\d+)/im.exec(text.slice(0, end));
      const isComplete = length
        ? text.length >= end + 4 + Number(length[1])
        : text.endsWith("\r\n0\r\n\r\n");
      if (!isComplete) return;
      socket.off("data", onData);
      if (/^HTTP\/1.1 2/.test(text)) resolve();
      else reject(new Error(text.slice(0, 200)));
    };
    socket.on("data", onData);
    socket.off("error", socket.fail ?? reject).once("error", (socket.fail = reject));
  });

/** Waits until a server listens: under valgrind, its start takes half a minute. */
const untilListening = async (port, turns = 20) => {
  try {
    await untilServing(port);
  } catch (error) {
    if (turns === 1) throw error;
    await untilListening(port, turns - 1);
  }
};

const control = (option, pid) =>
  execFileSync("callgrind_control", [option, String(pid)], { stdio: "ignore" });

/** Returns the total in the only dump since the counters were reset. */
const readDump = (folder) => {
  const file = readdirSync(folder).find((name) => /^out\.\d+$/.test(name));
  const text = readFileSync(join(folder, file), "utf8");
  return Number(/^(?:totals|summary): (\d+)/m.exec(text)[1]);
};

const clearDumps = (folder) => {
  for (const name of readdirSync(folder)) rmSync(join(folder, name));
};

/** Returns the functions that V8 has compiled, as listed by `--perf-basic-prof`; at each address, the last one counts. */
const readCompiled = (pid) => {
  const byStart = new Map();
  for (const line of readFileSync(`/tmp/perf-${pid}.map`, "utf8").split("\n")) {
    const [, start, size, name] = /^([\da-f]+) ([\da-f]+) (.+)$/.exec(line) ?? [];
    if (name) byStart.set(Number(`0x${start}`), { size: Number(`0x${size}`), name });
  }
  const starts = [...byStart.keys()].toSorted((a, b) => a - b);
  return (address) => {
    let [low, high] = [0, starts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (starts[middle] <= address) low = middle + 1;
      else high = middle;
    }
    const start = starts[low - 1];
    const found = byStart.get(start);
    return found && address < start + found.size ? found.name : undefined;
  };
};

/** Lists the functions with the most instructions of their own; an inlined function counts as part of its caller. */
const listFunctions = (folder, count, requests, pid) => {
  const file = readdirSync(folder).find((name) => /^out\.\d+$/.test(name));
  const findCompiled = readCompiled(pid);
  const names = new Map();
  const sums = new Map();
  let name = "";
  let address = 0;
  let isCall = false;
  for (const line of readFileSync(join(folder, file), "utf8").split("\n")) {
    const [, callee, id, given] = /^(c)?fn=(\(\d+\))(?: (.*))?$/.exec(line) ?? [];
    if (id) {
      if (given) names.set(id, given);
      if (!callee) name = names.get(id) ?? id;
    } else if (line.startsWith("calls=")) isCall = true;
    else {
      const [, at, cost] = /^(\*|[+-]\d+|0x[\da-f]+) \S+ (\d+)$/.exec(line) ?? [];
      if (!at) continue;
      if (at !== "*") address = at.startsWith("0x") ? Number(at) : address + Number(at);
      if (!isCall) {
        const key = findCompiled(address) ?? name;
        sums.set(key, (sums.get(key) ?? 0) + Number(cost));
      }
      isCall = false;
    }
  }
  return [...sums]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, count)
    .map(([key, sum]) => `${String(Math.round(sum / requests)).padStart(7)}  ${key.slice(0, 140)}`);
};

/** A program that creates strings, so that the keys of later objects have other addresses. */
const fillMemory = (layout) =>
  `globalThis.filling = Object.fromEntries(Array.from({ length: ${layout * 5} }, (_, at) => ["filling" + at, at]))`;

let nextPort = 20_000 + (process.pid % 20_000);

/** The request that `servers/middlewares.mjs` serves. */
const one = { path: "/v1/one/7" };

/** Counts the instructions that a server executes: per request after each warm-up, or in thousands for its start. */
const count = async (node, name, workloadName, layout) => {
  const workload = workloadName === "one" ? one : workloads[workloadName];
  const [server, ...args] = name.split(":");
  const requests = Number(values.requests) * (workloadName === "list" ? 2 : 1);
  const port = nextPort++;
  const folder = mkdtempSync(join(tmpdir(), "sallyport-instructions-"));
  const file = ["servers", "peers"]
    .map((room) => join(values.root, "bench", room, `${server}.mjs`))
    .find((path) => existsSync(path));
  if (!file) throw new Error(`Unknown server ${name}: it is not in bench/servers or bench/peers.`);
  const flags = [
    // callgrind makes node so slow that V8 takes it for idle, and shrinks the young generation in the middle
    "--no-memory-reducer",
    ...(layout > 0
      ? [`--import=data:text/javascript,${encodeURIComponent(fillMemory(layout))}`]
      : []),
    ...(Number(values.functions) > 0 ? ["--perf-basic-prof"] : []),
  ];
  const child = spawn(
    "valgrind",
    [
      ...[
        "--tool=callgrind",
        "--smc-check=all-non-file",
        "--fair-sched=yes",
        "--log-file=/dev/null",
      ],
      ...(Number(values.functions) > 0 ? ["--dump-instr=yes"] : []),
      `--callgrind-out-file=${join(folder, "out")}`,
      ...[node, ...flags, file, String(port), ...args],
    ],
    {
      stdio: ["ignore", "ignore", "inherit"],
      env: {
        ...process.env,
        NODE_ENV: "production",
        NODE_NO_WARNINGS: "1",
        UV_THREADPOOL_SIZE: "1",
      },
    },
  );
  try {
    await untilListening(port);
    if (!workload) {
      control("-d", child.pid);
      return [readDump(folder) / 1000];
    }
    const counts = [];
    let sent = 0;
    for (const warmup of values.warmup.split(",").map(Number)) {
      await send(port, workload, warmup - sent);
      control("-z", child.pid);
      await send(port, workload, requests);
      sent = warmup + requests;
      control("-d", child.pid);
      counts.push(readDump(folder) / requests);
      if (Number(values.functions) > 0)
        for (const line of listFunctions(folder, Number(values.functions), requests, child.pid))
          process.stdout.write(`    ${line}\n`);
      clearDumps(folder);
    }
    return counts;
  } finally {
    child.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  }
};

/** Returns the lowest count of each window over all layouts. */
const countLowest = async (node, name, workloadName) => {
  let lowest = [];
  for (let layout = 0; layout < Number(values.layouts); layout++) {
    const counts = await count(node, name, workloadName, layout);
    lowest = counts.map((one, at) => Math.min(one, lowest[at] ?? one));
  }
  return lowest;
};

const main = async () => {
  if (values.help) {
    process.stdout.write(help);
    return;
  }
  const node = findNode(values.node);
  try {
    execFileSync("valgrind", ["--version"], { stdio: "ignore" });
  } catch {
    throw new Error(
      "The benchmark needs valgrind: `apt-get install valgrind` on Debian and Ubuntu.",
    );
  }
  process.stdout.write(
    `Node.js ${versionOf(node)}, thousands of instructions per request, after ${values.warmup} requests\n`,
  );
  for (const workload of values.workload.split(","))
    for (const server of values.server.split(",")) {
      const counts = await countLowest(node, server, workload);
      process.stdout.write(
        `${workload.padEnd(5)} ${server.padEnd(18)} ${counts.map((one) => (one / 1000).toFixed(1).padStart(6)).join("")}\n`,
      );
    }
};

try {
  await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
