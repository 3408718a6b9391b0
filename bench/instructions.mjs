// npm run bench:instructions: counts the instructions per request with callgrind. The counts vary by less than 1.5 %, whatever else the machine does.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { assertValgrind, readTotal, startCounted } from "./callgrind.mjs";
import { send } from "./client.mjs";
import { versionOf } from "./measure.mjs";
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
const listFunctions = (dump, count, requests, pid) => {
  const findCompiled = readCompiled(pid);
  const names = new Map();
  const sums = new Map();
  let name = "";
  let address = 0;
  let isCall = false;
  for (const line of dump.split("\n")) {
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

/** The request that `servers/middlewares.mjs` serves. */
const one = { path: "/v1/one/7" };

/** Counts the instructions that a server executes: per request after each warm-up, or in thousands for its start. */
const count = async (node, name, workloadName, layout) => {
  const workload = workloadName === "one" ? one : workloads[workloadName];
  const [server, ...args] = name.split(":");
  const requests = Number(values.requests) * (workloadName === "list" ? 2 : 1);
  const file = ["servers", "peers"]
    .map((room) => join(values.root, "bench", room, `${server}.mjs`))
    .find((path) => existsSync(path));
  if (!file) throw new Error(`Unknown server ${name}: it is not in bench/servers or bench/peers.`);
  const lists = Number(values.functions) > 0;
  const started = await startCounted({
    node,
    file,
    args,
    flags: [
      ...(layout > 0
        ? [`--import=data:text/javascript,${encodeURIComponent(fillMemory(layout))}`]
        : []),
      ...(lists ? ["--perf-basic-prof"] : []),
    ],
    options: lists ? ["--dump-instr=yes"] : [],
  });
  const { pid, port } = started;
  try {
    if (!workload) return [readTotal(started.dump()) / 1000];
    const counts = [];
    let sent = 0;
    for (const warmup of values.warmup.split(",").map(Number)) {
      await send(port, workload, warmup - sent);
      started.reset();
      await send(port, workload, requests);
      sent = warmup + requests;
      const dump = started.dump();
      counts.push(readTotal(dump) / requests);
      if (lists)
        for (const line of listFunctions(dump, Number(values.functions), requests, pid))
          process.stdout.write(`    ${line}\n`);
    }
    return counts;
  } finally {
    started.stop();
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
  assertValgrind();
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
