// npm run bench:import: measures how much longer Node.js takes to start when it imports the main entry of each framework.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { median, versionOf } from "./measure.mjs";
import { findNode } from "./peers.mjs";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "15" },
    node: { type: "string", default: "24" },
    help: { type: "boolean", default: false },
  },
});

const here = fileURLToPath(new URL(".", import.meta.url));
const entries = {
  "bare node": ["", here],
  zod: ['import "zod"', here],
  sallyport: ['import "sallyport"', here],
  "sallyport/testing": ['import "sallyport/testing"', here],
  fastify: ['import "fastify"', `${here}peers`],
  hono: ['import "hono"; import "@hono/node-server"; import "zod"', `${here}peers`],
  "express-zod-api": ['import "express-zod-api"', `${here}peers`],
};

const main = () => {
  if (values.help) {
    process.stdout.write(
      "Measures the time to import the main entry of each framework, in addition to the start of Node.js itself.\n\n  --rounds 15  --node 24\n",
    );
    return;
  }
  const node = findNode(values.node);
  const results = Object.entries(entries).map(([name, [code, cwd]]) => ({
    name,
    code,
    cwd,
    times: [],
  }));
  for (let round = 0; round <= Number(values.rounds); round++)
    for (const { code, cwd, times } of results) {
      const begin = performance.now();
      execFileSync(node, ["--input-type=module", "-e", code], { cwd, stdio: "ignore" });
      if (round > 0) times.push(performance.now() - begin);
    }
  const [bare] = results;
  process.stdout.write(`Node.js ${versionOf(node)}, medians of ${values.rounds} starts\n\n`);
  for (const { name, times } of results)
    process.stdout.write(
      `${name.padEnd(20)} ${median(times).toFixed(1).padStart(6)} ms  +${(median(times) - median(bare.times)).toFixed(1)}\n`,
    );
};

main();
