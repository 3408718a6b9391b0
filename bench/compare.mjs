// npm run bench:compare -- REV: compares the speed of this tree with that of another revision, in pairs.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { assertTools, load, median, startServer } from "./measure.mjs";
import { findNode } from "./peers.mjs";
import { workloads } from "./workloads.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    workload: { type: "string", default: Object.keys(workloads).join() },
    rounds: { type: "string", default: "9" },
    seconds: { type: "string", default: "2" },
    node: { type: "string", default: "24" },
    help: { type: "boolean", default: false },
  },
});

const root = fileURLToPath(new URL("..", import.meta.url));

/** Builds a revision in its own directory, with this tree's dependencies; `sallyport` resolves to the revision there. */
const build = (folder, revision) => {
  const run = (command, ...args) => execFileSync(command, args, { cwd: folder, stdio: "inherit" });
  run("git", "clone", "--quiet", root, ".");
  run("git", "checkout", "--quiet", revision);
  symlinkSync(`${root}node_modules`, `${folder}/node_modules`);
  run("node", "scripts/build.js");
};

const main = async () => {
  const [revision] = positionals;
  if (values.help || revision === undefined) {
    process.stdout.write(
      "npm run bench:compare -- REV: compares the CPU time per request on this tree and on another revision, in pairs. A ratio above 1 means that this tree is slower.\n\n  --workload get,list,post  --rounds 9  --seconds 2  --node 24\n",
    );
    return;
  }
  assertTools();
  const node = findNode(values.node);
  const folder = mkdtempSync(`${tmpdir()}/sallyport-compare-`);
  const running = [];
  try {
    build(folder, revision);
    const file = "servers/sallyport.mjs";
    running.push(await startServer({ file, node, port: 9500 }));
    // the same server, with the other revision's package
    execFileSync("cp", ["-r", `${root}bench/servers`, `${root}bench/workloads.mjs`, folder]);
    running.push(await startServer({ file: `${folder}/servers/sallyport.mjs`, node, port: 9501 }));
    for (const name of values.workload.split(",")) {
      const [own, other] = running.map(() => []);
      for (let round = 0; round <= Number(values.rounds); round++)
        for (const [index, costs] of [own, other].entries()) {
          const cost = load(running[index], workloads[name], Number(values.seconds));
          if (round > 0) costs.push(cost);
        }
      process.stdout.write(
        `${name.padEnd(6)} ${median(own).toFixed(1)} µs here, ${median(other).toFixed(1)} µs at ${revision}; ratio ${median(own.map((cost, round) => cost / other[round])).toFixed(3)}\n`,
      );
    }
  } finally {
    for (const { stop } of running) await stop();
    rmSync(folder, { recursive: true, force: true });
  }
};

await main();
