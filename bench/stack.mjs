// npm run bench:stack: what a request costs with all that production needs, on sallyport and its peers.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { assertValgrind, readTotal, send, sendOne, startCounted } from "./callgrind.mjs";
import { versionOf } from "./measure.mjs";
import { findNode } from "./peers.mjs";
import { expectedFields, stackWorkloads } from "./stack-parts.mjs";

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
    warmup: { type: "string", default: "40000" },
    windows: { type: "string", default: "3" },
    requests: { type: "string", default: "4000" },
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
  --workload NAMES   ${Object.keys(stackWorkloads).join()} (all but large)
  --root FOLDER      the built checkout that the server base runs
  --warmup 40000     requests before counting starts
  --windows 3        counted windows, the lowest of which is printed
  --requests 4000    requests per window
  --node 24|current
`;

const connections = 64;

const folder = fileURLToPath(new URL(".", import.meta.url));

/** Copies the servers to where the packages of another checkout are found. */
const createBase = () => {
  if (!values.root) throw new Error("The server base needs --root.");
  const copy = mkdtempSync(`${tmpdir()}/sallyport-stack-`);
  execFileSync("cp", ["-r", "servers", "stack-parts.mjs", "workloads.mjs", "package.json", copy], {
    cwd: folder,
  });
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

const count = async (node, name, base, workload) => {
  const { file, args, isBase } = servers[name];
  const server = await startCounted({
    node,
    file: `${isBase ? base : folder}${file}`,
    args,
    counts: false,
  });
  try {
    await check(name, server.port, workload);
    const counts = [];
    const requests = Number(values.requests);
    await send(server.port, stackWorkloads[workload], Number(values.warmup), connections);
    server.setCounting(true);
    for (let left = Number(values.windows); left > 0; left--) {
      server.reset();
      await send(server.port, stackWorkloads[workload], requests, connections);
      counts.push(readTotal(server.dump()) / requests);
    }
    return Math.min(...counts);
  } finally {
    server.stop();
  }
};

const main = async () => {
  if (values.help) {
    process.stdout.write(help.trimStart());
    return;
  }
  assertValgrind();
  const node = findNode(values.node);
  const names = values.servers.split(",");
  const base = names.some((name) => servers[name].isBase) ? createBase() : undefined;
  process.stdout.write(
    `Node.js ${versionOf(node)}, thousands of instructions per request, and the ratio to the first server\n`,
  );
  try {
    for (const workload of values.workload.split(",")) {
      let first;
      for (const name of names) {
        const cost = await count(node, name, base, workload);
        first ??= cost;
        process.stdout.write(
          `${workload.padEnd(5)} ${name.padEnd(16)} ${(cost / 1000).toFixed(1).padStart(7)} ${(cost / first).toFixed(3)}\n`,
        );
      }
    }
  } finally {
    if (base) rmSync(base, { recursive: true, force: true });
  }
};

try {
  await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
