// npm run bench:stack: what a request costs with all that production needs, on sallyport and its peers.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { assertValgrind, readTotal, startCounted } from "./callgrind.mjs";
import { openStreams, send, sendOne } from "./client.mjs";
import { median, readCpu, startServer, versionOf } from "./measure.mjs";
import { findNode } from "./peers.mjs";
import { expectedFields, priceBounds, priceWorkloads, stackWorkloads } from "./stack-parts.mjs";

const servers = {
  sallyport: { file: "servers/stack.mjs" },
  base: { file: "servers/stack.mjs", isBase: true },
  hook: { file: "servers/stack.mjs", args: ["hook"] },
  plain: { file: "servers/stack.mjs", args: ["plain"] },
  fastify: { file: "peers/stack-fastify.mjs" },
  express: { file: "peers/stack-express.mjs" },
  hono: { file: "peers/stack-hono.mjs" },
  "express-zod-api": { file: "peers/stack-express-zod-api.mjs" },
};

const { values } = parseArgs({
  options: {
    servers: { type: "string", default: "fastify,sallyport" },
    workload: { type: "string", default: "get,list,post,400,401" },
    root: { type: "string" },
    prices: { type: "boolean", default: false },
    features: { type: "string", default: Object.keys(priceWorkloads).join() },
    rounds: { type: "string", default: "0" },
    warmup: { type: "string", default: "40000" },
    windows: { type: "string", default: "3" },
    requests: { type: "string", default: "4000" },
    connections: { type: "string", default: "16" },
    node: { type: "string", default: "24" },
    help: { type: "boolean", default: false },
  },
});

const help = `
Usage: npm run bench:stack -- [options]

Counts the user-space instructions per request, with callgrind, on servers with helmet, CORS, request ids, a log line, a
rate limit, authentication, a tenant, 200 routes and validation.

  --servers NAMES    ${Object.keys(servers).join()} (fastify,sallyport);
                     hook has helmet in a hook, plain has \`shortcuts: false\`
  --workload NAMES   ${Object.keys(stackWorkloads).join()}
                     (get,list,post,400,401); event is one event for one of 500 streams of a topic, published on sallyport,
                     Fastify or Express
  --root FOLDER      the built checkout that the server base runs, or whose prices are counted
  --prices           instead, what each feature adds to a bare endpoint of sallyport; exits with 1 if that is over its bound
  --features NAMES   ${Object.keys(priceWorkloads).join()}
  --rounds 8         instead of counting, measures the CPU time in rounds in which the servers take turns
  --warmup 40000     requests before counting starts
  --windows 3        counted windows, the lowest of which is printed
  --requests 4000    requests per window or round
  --connections 16   connections that send at once; with more, a busy machine takes less time
  --node 24|current
`;

/** One event reaches many streams, so fewer are sent. */
const requestsPerEvent = 40;

const folder = fileURLToPath(new URL(".", import.meta.url));

/** Copies the servers to where the packages of another checkout are found. */
const createBase = () => {
  const copy = mkdtempSync(`${tmpdir()}/sallyport-stack-`);
  execFileSync(
    "cp",
    ["-r", "servers", "stack-parts.mjs", "client.mjs", "workloads.mjs", "package.json", copy],
    {
      cwd: folder,
    },
  );
  symlinkSync(`${values.root}/node_modules`, `${copy}/node_modules`);
  return `${copy}/`;
};

/** Throws if a response is not the expected one. */
const check = async (name, port, workload) => {
  const { status = 200, expected, words = [] } = stackWorkloads[workload];
  const text = await sendOne(port, stackWorkloads[workload]);
  const [head, body] = text.split("\r\n\r\n");
  const lines = head.replaceAll(/^[\w-]+:/gm, (field) => field.toLowerCase()).replaceAll("\r", "");
  const missing = expectedFields.filter((pattern) => !pattern.test(lines));
  const isRight = expected
    ? body === JSON.stringify(expected)
    : body.startsWith('{"status":"error","error":{"message":"') &&
      words.every((word) => body.includes(word));
  if (!head.startsWith(`HTTP/1.1 ${status} `) || !isRight || missing.length > 0)
    throw new Error(`${name}, ${workload}: without ${missing.join(" ")}\n${text.slice(0, 3000)}`);
};

/** Returns what sends requests to a server; it resolves to how many were sent or, with streams, how many events were received. */
const openLoad = async (name, port, workload) => {
  const request = stackWorkloads[workload] ?? priceWorkloads[name];
  if (!request.followers)
    return async (total) => {
      await send(port, request, total, Number(values.connections));
      return total;
    };
  const publish = await openStreams(port, request);
  return async (total) => {
    const events = Math.ceil(total / requestsPerEvent);
    await publish(events);
    return events * request.followers;
  };
};

/** Counts the instructions per request on a server of its own; returns the lowest count of the windows. */
const count = async (node, { name, file, args, workload }) => {
  const server = await startCounted({ node, file, args, counts: false });
  try {
    if (workload) await check(name, server.port, workload);
    const run = await openLoad(name, server.port, workload);
    await run(Number(values.warmup));
    server.setCounting(true);
    const counts = [];
    for (let left = Number(values.windows); left > 0; left--) {
      server.reset();
      const requests = await run(Number(values.requests));
      counts.push(readTotal(server.dump()) / requests);
    }
    return Math.min(...counts) / 1000;
  } finally {
    server.stop();
  }
};

/** Measures the microseconds of CPU time per request, in rounds in which the servers take turns. */
const time = async (node, rows) => {
  const running = [];
  try {
    for (const [index, { name, file, args, workload }] of rows.entries()) {
      const server = await startServer({ file, args, node, port: 9600 + index });
      running.push({ server, costs: [] });
      await check(name, server.port, workload);
      running[index].run = await openLoad(name, server.port, workload);
      await running[index].run(Number(values.warmup));
    }
    for (let round = Number(values.rounds); round > 0; round--)
      for (const { server, run, costs } of running) {
        const before = readCpu(server.pid);
        const requests = await run(Number(values.requests));
        costs.push((readCpu(server.pid) - before) / requests);
      }
    return running.map(({ costs }) => median(costs));
  } finally {
    for (const { server } of running) await server.stop();
  }
};

const print = (...cells) => process.stdout.write(`${cells.join(" ")}\n`);
const toCell = (cost, digits = 1) => cost.toFixed(digits).padStart(8);

const printStack = async (node, toFile) => {
  for (const workload of values.workload.split(",")) {
    const rows = values.servers.split(",").map((name) => {
      const { file, args, isBase } = servers[name];
      return { name, file: toFile(file, isBase), args, workload };
    });
    const times = Number(values.rounds) > 0 ? await time(node, rows) : undefined;
    let first;
    for (const [index, row] of rows.entries()) {
      const cost = times?.[index] ?? (await count(node, row));
      first ??= cost;
      print(workload.padEnd(5), row.name.padEnd(16), toCell(cost), toCell(cost / first, 3));
    }
  }
};

const printPrices = async (node, toFile) => {
  const bare = {};
  for (const name of values.features.split(",")) {
    const file = toFile("servers/prices.mjs", values.root !== undefined);
    const cost = await count(node, { name, file, args: [name] });
    const { method = "GET" } = priceWorkloads[name];
    bare[method] ??= cost;
    const price = cost - bare[method];
    const isOver = price > (priceBounds[name] ?? Infinity);
    print(method.padEnd(4), name.padEnd(16), toCell(cost), toCell(price), isOver ? "over" : "");
    if (isOver) process.exitCode = 1;
  }
};

const main = async () => {
  if (values.help) {
    process.stdout.write(help.trimStart());
    return;
  }
  if (Number(values.rounds) === 0) assertValgrind();
  const node = findNode(values.node);
  const base = values.root === undefined ? undefined : createBase();
  const toFile = (file, isBase) => `${isBase ? base : folder}${file}`;
  const unit = Number(values.rounds) > 0 ? "microseconds of CPU time" : "thousands of instructions";
  print(`Node.js ${versionOf(node)}, ${unit} per request, and`);
  print(values.prices ? "the difference from the first line" : "the ratio to the first server");
  try {
    await (values.prices ? printPrices : printStack)(node, toFile);
  } finally {
    if (base) rmSync(base, { recursive: true, force: true });
  }
};

try {
  await main();
  process.exit();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
