// npm run bench: measures the three workloads on sallyport, its peers, and bare node:http.
import { readFileSync } from "node:fs";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { assertTools, load, median, startServer, versionOf } from "./measure.mjs";
import { findNode } from "./peers.mjs";
import { writeReport } from "./report.mjs";
import { workloads } from "./workloads.mjs";

const help = `
Usage: npm run bench -- [options]

Measures the server's CPU time per request, in turn with bare node:http (the limit) and the peers.

  --workload get,list,post   the workloads to measure
  --servers sallyport,hono   the servers to measure; bare is always included
  --rounds 8                 counted rounds, after a warm-up round
  --seconds 2                how long each server is loaded in a round
  --node 24                  24 (installed beside the peers) or current, this Node.js
  --write                    writes docs/internals/performance.md and docs/internals/performance.svg (always after a full run on 24)
`;

/** The servers, in the order in which they run and are shown. */
const servers = {
  bare: { file: "servers/bare.mjs", title: "bare node:http, no validation (the limit)" },
  "bare-zod": { file: "servers/bare-zod.mjs", title: "bare node:http + Zod safeParse" },
  sallyport: { file: "servers/sallyport.mjs", title: "sallyport", package: "sallyport" },
  fastify: {
    file: "peers/fastify.mjs",
    title: "Fastify + fastify-type-provider-zod",
    package: "fastify",
  },
  hono: {
    file: "peers/hono.mjs",
    title: "Hono + @hono/node-server + zod-validator",
    package: "hono",
  },
  express: { file: "peers/express.mjs", title: "Zod by hand on Express", package: "express" },
  "express-zod-api": {
    file: "peers/express-zod-api.mjs",
    title: "express-zod-api",
    package: "express-zod-api",
    needs: 22,
  },
};

const { values } = parseArgs({
  options: {
    workload: { type: "string", default: Object.keys(workloads).join() },
    servers: { type: "string", default: Object.keys(servers).join() },
    rounds: { type: "string", default: "8" },
    seconds: { type: "string", default: "2" },
    node: { type: "string", default: "24" },
    write: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

const choose = (option, known) => {
  const chosen = values[option].split(",");
  const wrong = chosen.find((name) => !known.includes(name));
  if (wrong !== undefined)
    throw new Error(`--${option}: unknown value ${wrong}; the values are ${known.join(", ")}.`);
  return known.filter((name) => chosen.includes(name));
};

const folder = fileURLToPath(new URL(".", import.meta.url));

const main = async () => {
  if (values.help) {
    process.stdout.write(help.trimStart());
    return;
  }
  assertTools();
  const chosenWorkloads = choose("workload", Object.keys(workloads));
  const chosenServers = choose("servers", Object.keys(servers));
  const names = chosenServers.includes("bare") ? chosenServers : ["bare", ...chosenServers];
  const node = findNode(values.node);
  const version = versionOf(node);
  const major = Number(/^v(\d+)/.exec(version)[1]);
  const fit = names.filter((name) => (servers[name].needs ?? 0) <= major);

  const running = [];
  try {
    for (const [index, name] of fit.entries())
      running.push({
        name,
        ...(await startServer({ ...servers[name], node, port: 9100 + index })),
      });
    for (const workload of chosenWorkloads) for (const one of running) await check(one, workload);
    const results = {};
    for (const workload of chosenWorkloads) {
      results[workload] = measure(running, workloads[workload]);
      print(workload, results[workload]);
    }
    const isFull = fit.length === Object.keys(servers).length && major >= 24;
    if (values.write || isFull)
      writeReport({ results, titles: toTitles(fit), version, cpu: cpus()[0].model, ...counts() });
  } finally {
    for (const { stop } of running) await stop();
  }
};

const counts = () => ({ rounds: Number(values.rounds), seconds: Number(values.seconds) });

/** Throws if a server responds differently from the others. */
const check = async ({ name, port }, workload) => {
  const { path, method = "GET", body, expected } = workloads[workload];
  const headers = body === undefined ? {} : { "content-type": "application/json" };
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, body, headers });
  const text = await response.text();
  if (text !== JSON.stringify(expected))
    throw new Error(`${name} responds to ${workload} with ${text}`);
};

/**
 * Measures each server in turn, in rounds; returns the microseconds per request, and the speed as a fraction of the
 * limit's.
 */
const measure = (running, workload) => {
  const rounds = running.map(({ name }) => ({ name, costs: [] }));
  for (let round = 0; round <= Number(values.rounds); round++)
    for (const [index, one] of running.entries()) {
      const cost = load(one, workload, Number(values.seconds));
      // the first round is a warm-up
      if (round > 0) rounds[index].costs.push(cost);
    }
  const [limit] = rounds;
  return rounds.map(({ name, costs }) => ({
    name,
    cost: median(costs),
    share: median(costs.map((cost, round) => limit.costs[round] / cost)),
  }));
};

const print = (workload, results) => {
  process.stdout.write(`\n${workload}\n`);
  for (const { name, cost, share } of results)
    process.stdout.write(
      `  ${name.padEnd(16)} ${cost.toFixed(1).padStart(6)} µs   ${share.toFixed(3)} of the limit\n`,
    );
};

const toTitles = (names) =>
  Object.fromEntries(
    names.map((name) => {
      const { title, package: own, file } = servers[name];
      return [name, own === undefined ? title : `${title} ${readVersion(own, file)}`];
    }),
  );

const readVersion = (name, file) => {
  const base = file.startsWith("peers/") ? `${folder}peers/node_modules/${name}` : `${folder}..`;
  return JSON.parse(readFileSync(`${base}/package.json`, "utf8")).version;
};

await main();
