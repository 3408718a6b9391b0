// Starts servers pinned to one core, loads them from the other, and measures the CPU time per request.
import { execFileSync, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL(".", import.meta.url));
/** The length of a tick, the unit of times in /proc. */
const microsecondsPerTick = 10_000;

const has = (command) => {
  try {
    execFileSync("sh", ["-c", `command -v ${command}`], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
};

/** Throws if this machine does not run Linux or lacks a tool; the message names the command that installs the tool. */
export const assertTools = () => {
  if (process.platform !== "linux")
    throw new Error(
      "The benchmark reads /proc and pins processes with taskset, so it needs Linux.",
    );
  if (!has("wrk"))
    throw new Error("The benchmark needs wrk: `apt-get install wrk` on Debian and Ubuntu.");
  if (!has("taskset"))
    throw new Error(
      "The benchmark needs taskset: `apt-get install util-linux` on Debian and Ubuntu.",
    );
};

export const median = (values) => {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
};

/** Returns the user and system CPU time that a process has used so far, in microseconds. */
export const readCpu = (pid) => {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  return (Number(fields[11]) + Number(fields[12])) * microsecondsPerTick;
};

/** Returns the CPU time that a process and its children have used so far, in microseconds. */
export const readCpuOfAll = (pid) => {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").split(" ").filter(Boolean),
  );
  return [pid, ...children].reduce((sum, one) => sum + readCpu(one), 0);
};

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Polls until a server responds. */
export const untilServing = async (port, path = "/") => {
  for (let turn = 0; turn < 400; turn++) {
    try {
      return await fetch(`http://127.0.0.1:${port}${path}`);
    } catch {
      await pause(25);
    }
  }
  throw new Error(`Nothing is listening on port ${port}`);
};

/** Starts a benchmark server, by default on the first core. */
export const startServer = async ({ file, node, port, args = [], env = {}, cpus = "0" }) => {
  const child = spawn("taskset", ["-c", cpus, node, file, String(port), ...args], {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, NODE_ENV: "production", NODE_NO_WARNINGS: "1", ...env },
  });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  await Promise.race([
    untilServing(port),
    ended.then((code) => Promise.reject(new Error(`${file} ended with code ${code}`))),
  ]);
  return {
    pid: child.pid,
    port,
    stop: async () => {
      child.kill("SIGKILL");
      await ended;
    },
  };
};

/** Sends requests to a port for the given seconds, by default from the second core. */
export const runWrk = (port, { path, method = "GET", body = "" }, seconds, cpus = "1") => {
  const target = `http://127.0.0.1:${port}${path}`;
  const args = ["wrk", "-t1", "-c64", `-d${seconds}s`, "-s", `${folder}wrk.lua`, target];
  const output = execFileSync("taskset", ["-c", cpus, ...args], {
    encoding: "utf8",
    env: { ...process.env, BENCH_METHOD: method, BENCH_BODY: body },
  });
  if (/Non-2xx|Socket errors/.test(output)) throw new Error(`${target}:\n${output}`);
  return {
    requests: Number(/(\d+) requests in/.exec(output)[1]),
    /** Requests per second. */
    rate: Number(/Requests\/sec:\s+([\d.]+)/.exec(output)[1]),
  };
};

/** Loads a server, and returns its CPU time per request in microseconds. */
export const load = ({ pid, port }, workload, seconds = 2) => {
  const before = readCpu(pid);
  const { requests } = runWrk(port, workload, seconds);
  return (readCpu(pid) - before) / requests;
};

/** Returns the version of a Node.js binary. */
export const versionOf = (node) => execFileSync(node, ["-v"], { encoding: "utf8" }).trim();
