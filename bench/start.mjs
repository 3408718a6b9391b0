// npm run bench:start: measures the time from the start of a process with 1,000 endpoints to its first response, and
// the size of the heap.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { median, untilServing, versionOf } from "./measure.mjs";
import { findNode } from "./peers.mjs";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "9" },
    node: { type: "string", default: "24" },
    help: { type: "boolean", default: false },
  },
});

const servers = {
  "bare node:http + Zod": "servers/thousand-bare.mjs",
  sallyport: "servers/thousand.mjs",
};

const ask = async (port, path) => {
  const response = await fetch(`http://127.0.0.1:${port}${path}`);
  return response.json();
};

const measure = async (node, file, port) => {
  const begin = performance.now();
  const child = spawn(node, ["--expose-gc", file, String(port)], {
    cwd: fileURLToPath(new URL(".", import.meta.url)),
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, NODE_ENV: "production", NODE_NO_WARNINGS: "1" },
  });
  try {
    await untilServing(port, "/v1/things0/7");
    const time = performance.now() - begin;
    const first = (await ask(port, "/heap")).data.used;
    for (let index = 0; index < 1000; index++) await ask(port, `/v1/things${index}/7`);
    const all = (await ask(port, "/heap")).data.used;
    return { time, first, all };
  } finally {
    child.kill("SIGKILL");
  }
};

const main = async () => {
  if (values.help) {
    process.stdout.write(
      "Measures the time from the start of a process with 1,000 endpoints to its first response, and the size of the heap.\n\n  --rounds 9  --node 24\n",
    );
    return;
  }
  const node = findNode(values.node);
  process.stdout.write(`1,000 endpoints, Node.js ${versionOf(node)}\n\n`);
  const results = Object.keys(servers).map((name) => ({ name, rounds: [] }));
  for (let round = 0; round <= Number(values.rounds); round++)
    for (const [index, { name, rounds }] of results.entries()) {
      const result = await measure(node, servers[name], 9300 + index + 2 * round);
      if (round > 0) rounds.push(result);
    }
  const [bare] = results;
  for (const { name, rounds } of results) {
    const ratio = median(rounds.map(({ time }, round) => time / bare.rounds[round].time));
    const toMegabytes = (key) => (median(rounds.map((one) => one[key])) / 1e6).toFixed(1);
    process.stdout.write(
      `${name.padEnd(22)} ${median(rounds.map(({ time }) => time)).toFixed(0)} ms to the first response (${ratio.toFixed(2)} of bare), heap ${toMegabytes("first")} MB after that, ${toMegabytes("all")} MB after all endpoints have been called\n`,
    );
  }
};

await main();
