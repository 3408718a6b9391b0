// npm run bench:routes and bench:middlewares: measures how the cost of a request grows with the number of routes or middlewares.
import { parseArgs } from "node:util";
import { assertTools, load, median, startServer, versionOf } from "./measure.mjs";
import { findNode } from "./peers.mjs";

const kinds = {
  routes: {
    file: "servers/routes.mjs",
    counts: "1,10,100,1000,5000",
    toPath: (count) => `/v1/r${count - 1}/7`,
    help: "Measures the CPU time of a request to the last of many routes, which should not depend on their number.",
  },
  middlewares: {
    file: "servers/middlewares.mjs",
    counts: "0,1,5,10,20",
    toPath: () => "/v1/one/7",
    help: "Measures the CPU time of a request with middlewares that do nothing; the last column is the cost of one middleware.",
  },
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    counts: { type: "string" },
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "2" },
    node: { type: "string", default: "24" },
    help: { type: "boolean", default: false },
  },
});

const main = async () => {
  const { file, counts, toPath, help } = kinds[positionals[0]];
  if (values.help) {
    process.stdout.write(`${help}\n\n  --counts ${counts}  --rounds 5  --seconds 2  --node 24\n`);
    return;
  }
  assertTools();
  const node = findNode(values.node);
  process.stdout.write(`${help}\nNode.js ${versionOf(node)}\n\n`);
  const running = [];
  try {
    for (const [index, count] of (values.counts ?? counts).split(",").map(Number).entries())
      running.push({
        count,
        costs: [],
        ...(await startServer({ file, node, port: 9200 + index, args: [String(count)] })),
      });
    for (let round = 0; round <= Number(values.rounds); round++)
      for (const one of running) {
        const cost = load(one, { path: toPath(one.count) }, Number(values.seconds));
        if (round > 0) one.costs.push(cost);
      }
  } finally {
    for (const { stop } of running) await stop();
  }
  const [first] = running;
  for (const { count, costs } of running) {
    const ratio = median(costs.map((cost, round) => cost / first.costs[round]));
    const each =
      count > first.count && positionals[0] === "middlewares"
        ? `  ${median(costs.map((cost, round) => (cost - first.costs[round]) / (count - first.count))).toFixed(2)} µs each`
        : "";
    process.stdout.write(
      `${String(count).padStart(6)}  ${median(costs).toFixed(1).padStart(6)} µs   ${ratio.toFixed(3)} times the first line${each}\n`,
    );
  }
};

await main();
