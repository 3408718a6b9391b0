// npm run bench:walk: measures what a request costs in JavaScript and V8 alone, without the kernel. Results vary by less than 2 %, even on a busy machine.
import { execFileSync } from "node:child_process";
import { Server } from "node:net";
import { Duplex } from "node:stream";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { assertTools, versionOf } from "./measure.mjs";
import { findNode } from "./peers.mjs";
import { workloads } from "./workloads.mjs";

const { values } = parseArgs({
  options: {
    workload: { type: "string", default: Object.keys(workloads).join() },
    rounds: { type: "string", default: "6" },
    node: { type: "string", default: "24" },
    /** The server to measure; set only in the measuring processes. */
    server: { type: "string" },
    help: { type: "boolean", default: false },
  },
});

const servers = ["bare", "bare-zod", "sallyport"];
const connections = 64;
const requestsOfSlice = 8 * connections;
const slices = 500;

/** A connection in memory, which counts the replies written to it and discards them. */
class MemorySocket extends Duplex {
  static replies = 0;
  remoteAddress = "127.0.0.1";
  _read() {}
  _write(_chunk, _encoding, callback) {
    MemorySocket.replies++;
    callback();
  }
  _writev(_chunks, callback) {
    MemorySocket.replies++;
    callback();
  }
  setTimeout() {
    return this;
  }
  setNoDelay() {
    return this;
  }
  setKeepAlive() {
    return this;
  }
  destroySoon() {
    this.destroy();
  }
}

/** Loads a server program, but keeps it from listening. */
const loadServer = (name) =>
  new Promise((resolve, reject) => {
    Server.prototype.listen = function listen(...args) {
      process.nextTick(() => {
        this.emit("listening");
        args.findLast((arg) => typeof arg === "function")?.();
        resolve(this);
      });
      return this;
    };
    Server.prototype.address = () => ({ address: "127.0.0.1", family: "IPv4", port: 1 });
    process.argv[2] = "1";
    import(`./servers/${name}.mjs`).catch(reject);
  });

const toBytes = ({ path, method = "GET", body = "" }) =>
  Buffer.from(
    [
      `${method} ${path} HTTP/1.1`,
      "Host: 127.0.0.1:9100",
      ...(body ? ["Content-Type: application/json", `Content-Length: ${body.length}`] : []),
      "",
      body,
    ].join("\r\n"),
  );

/** Returns microseconds per request: the second percentile of many short slices, which excludes disturbances. */
const measure = async (name, workload) => {
  const server = await loadServer(name);
  const bytes = toBytes(workloads[workload]);
  const sockets = Array.from({ length: connections }, () => {
    const socket = new MemorySocket({ allowHalfOpen: true, decodeStrings: false });
    server.emit("connection", socket);
    return socket;
  });
  const sendAll = async () => {
    for (const socket of sockets) socket.push(bytes);
    // asynchronous handlers need these two turns of the event loop to respond
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  };
  for (let turn = 0; turn < 300; turn++) await sendAll();
  const costs = [];
  for (let slice = 0; slice < slices; slice++) {
    const before = MemorySocket.replies;
    const begin = performance.now();
    for (let turn = 0; turn < requestsOfSlice / connections; turn++) await sendAll();
    costs.push(((performance.now() - begin) * 1000) / requestsOfSlice);
    if (MemorySocket.replies - before !== requestsOfSlice)
      throw new Error(
        `${name}: ${MemorySocket.replies - before} replies to ${requestsOfSlice} requests`,
      );
  }
  process.stdout.write(String(costs.toSorted((one, other) => one - other)[slices / 50]));
  process.exit(0);
};

const main = async () => {
  if (values.help) {
    process.stdout.write(
      "Measures what a request costs in JavaScript and V8 alone.\n\n  --workload get,list,post  --rounds 6  --node 24\n",
    );
    return;
  }
  if (values.server !== undefined) {
    await measure(values.server, values.workload);
    return;
  }
  assertTools();
  const node = findNode(values.node);
  const own = fileURLToPath(import.meta.url);
  process.stdout.write(
    `Node.js ${versionOf(node)}, microseconds per request without the kernel, and the difference from bare\n\n`,
  );
  for (const workload of values.workload.split(",")) {
    const costs = servers.map(() => []);
    for (let round = 0; round < Number(values.rounds); round++)
      for (const [index, server] of servers.entries()) {
        const args = ["-c", "0", node, own, "--server", server, "--workload", workload];
        const env = { ...process.env, NODE_ENV: "production", NODE_NO_WARNINGS: "1" };
        costs[index].push(Number(execFileSync("taskset", args, { encoding: "utf8", env })));
      }
    const least = costs.map((some) => Math.min(...some));
    const cells = servers.map(
      (server, index) =>
        `${server} ${least[index].toFixed(2)} (+${(least[index] - least[0]).toFixed(2)})`,
    );
    process.stdout.write(`${workload.padEnd(6)} ${cells.join("   ")}\n`);
  }
};

await main();
