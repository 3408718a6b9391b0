// npm run bench:cluster: measures requests per second with one and with two processes behind one port. The load generator
// shares the cores with them.
import { parseArgs } from "node:util";
import { assertTools, median, readCpuOfAll, runWrk, startServer, versionOf } from "./measure.mjs";
import { findNode } from "./peers.mjs";
import { workloads } from "./workloads.mjs";

const { values } = parseArgs({
  options: {
    workers: { type: "string", default: "1,2" },
    workload: { type: "string", default: "get" },
    rounds: { type: "string", default: "7" },
    seconds: { type: "string", default: "2" },
    node: { type: "string", default: "24" },
    help: { type: "boolean", default: false },
  },
});

const main = async () => {
  if (values.help) {
    process.stdout.write(
      "Measures requests per second with several processes behind one port. The load generator shares the cores with them.\n\n  --workers 1,2  --workload get  --rounds 7  --seconds 2  --node 24\n",
    );
    return;
  }
  assertTools();
  const node = findNode(values.node);
  const running = [];
  try {
    for (const [index, workers] of values.workers.split(",").entries())
      running.push({
        ...{ workers, rates: [], costs: [] },
        ...(await startServer({
          ...{ file: "servers/cluster.mjs", node, port: 9600 + index },
          ...{ args: [workers], cpus: "0-1" },
        })),
      });
    for (let round = 0; round <= Number(values.rounds); round++)
      for (const { pid, port, rates, costs } of running) {
        const before = readCpuOfAll(pid);
        const { requests, rate } = runWrk(port, workloads[values.workload], values.seconds, "0-1");
        if (round === 0) continue;
        rates.push(rate);
        costs.push((readCpuOfAll(pid) - before) / requests);
      }
    process.stdout.write(`Node.js ${versionOf(node)}, ${values.workload}, 2 cores\n\n`);
    const [first] = running;
    for (const { workers, rates, costs } of running) {
      const ratio = median(rates.map((rate, round) => rate / first.rates[round]));
      process.stdout.write(
        `${workers} workers   ${median(rates).toFixed(0).padStart(7)} requests per second (${ratio.toFixed(2)} times the first line)   ${median(costs).toFixed(1)} µs each\n`,
      );
    }
  } finally {
    for (const { stop } of running) await stop();
  }
};

await main();
