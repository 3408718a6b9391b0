// Runs servers under callgrind, sends them requests, and reads how many instructions they have executed.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { untilServing } from "./measure.mjs";

const toBytes = (port, { path, method = "GET", body = "", fields = {} }) =>
  Buffer.from(
    [
      `${method} ${path} HTTP/1.1`,
      `Host: 127.0.0.1:${port}`,
      ...Object.entries(fields).map(([name, value]) => `${name}: ${value}`),
      ...(body ? ["Content-Type: application/json", `Content-Length: ${body.length}`] : []),
      "",
      body,
    ].join("\r\n"),
  );

const open = async (port) => {
  const socket = connect(port, "127.0.0.1").setNoDelay(true);
  await once(socket, "connect");
  return socket;
};

/** Sends a request on a connection of its own, and returns the response as text. */
export const sendOne = async (port, workload) => {
  const socket = await open(port);
  socket.write(toBytes(port, workload));
  const text = await readReply(socket);
  socket.destroy();
  return text;
};

/** Sends the given number of requests over kept-alive connections. */
export const send = async (port, workload, total, connections = 16) => {
  const { status = 200 } = workload;
  const bytes = toBytes(port, workload);
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(port)));
  // sends on all connections at once, so that each turn of the server's event loop gets equally many requests, even if the
  // machine is busy
  for (let sent = 0; sent < total; sent += connections)
    await Promise.all(
      sockets.map(async (socket) => {
        socket.write(bytes);
        const text = await readReply(socket);
        if (!text.startsWith(`HTTP/1.1 ${status} `)) throw new Error(text.slice(0, 200));
      }),
    );
  for (const socket of sockets) socket.destroy();
};

const readReply = (socket) =>
  new Promise((resolve, reject) => {
    let text = "";
    const onData = (data) => {
      text += data.toString("latin1");
      const end = text.indexOf("\r\n\r\n");
      if (end < 0) return;
      const length = /^content-length: (\d+)/im.exec(text.slice(0, end));
      const isComplete = length
        ? text.length >= end + 4 + Number(length[1])
        : text.endsWith("\r\n0\r\n\r\n");
      if (!isComplete) return;
      socket.off("data", onData);
      resolve(text);
    };
    socket.on("data", onData);
    socket.off("error", socket.fail ?? reject).once("error", (socket.fail = reject));
  });

/** Waits until a server listens: under valgrind, its start takes half a minute. */
const untilListening = async (port, turns = 20) => {
  try {
    await untilServing(port);
  } catch (error) {
    if (turns === 1) throw error;
    await untilListening(port, turns - 1);
  }
};

const control = (pid, ...options) =>
  execFileSync("callgrind_control", [...options, String(pid)], { stdio: "ignore" });

/** Throws if valgrind is missing; the message names the command that installs it. */
export const assertValgrind = () => {
  try {
    execFileSync("valgrind", ["--version"], { stdio: "ignore" });
  } catch {
    throw new Error(
      "The benchmark needs valgrind: `apt-get install valgrind` on Debian and Ubuntu.",
    );
  }
};

/**
 * Starts a server under callgrind. What is executed is counted from the start or, if `counts` is false, once `setCounting`
 * says so: until then, the server is several times as fast.
 */
export const startCounted = async ({ node, file, args = [], flags = [], options = [], counts }) => {
  const port = nextPort++;
  const folder = mkdtempSync(join(tmpdir(), "sallyport-instructions-"));
  const child = spawn(
    "valgrind",
    [
      "--tool=callgrind",
      "--smc-check=all-non-file",
      "--fair-sched=yes",
      "--log-file=/dev/null",
      `--instr-atstart=${counts === false ? "no" : "yes"}`,
      ...options,
      `--callgrind-out-file=${join(folder, "out")}`,
      node,
      // callgrind makes node so slow that V8 takes it for idle, and shrinks the young generation in the middle
      "--no-memory-reducer",
      ...flags,
      file,
      String(port),
      ...args,
    ],
    {
      stdio: ["ignore", "ignore", "inherit"],
      env: {
        ...process.env,
        NODE_ENV: "production",
        NODE_NO_WARNINGS: "1",
        UV_THREADPOOL_SIZE: "1",
      },
    },
  );
  const server = {
    pid: child.pid,
    port,
    setCounting: (isOn) => control(child.pid, "-i", isOn ? "on" : "off"),
    reset: () => control(child.pid, "-z"),
    /** Returns the text of a dump of what has been counted since the last reset. */
    dump: () => {
      control(child.pid, "-d");
      const name = readdirSync(folder).find((one) => /^out\.\d+$/.test(one));
      const text = readFileSync(join(folder, name), "utf8");
      for (const one of readdirSync(folder)) rmSync(join(folder, one));
      return text;
    },
    stop: () => {
      child.kill("SIGKILL");
      rmSync(folder, { recursive: true, force: true });
    },
  };
  try {
    await untilListening(port);
    return server;
  } catch (error) {
    server.stop();
    throw error;
  }
};

let nextPort = 20_000 + (process.pid % 20_000);

/** Returns the number of instructions in a dump. */
export const readTotal = (dump) => Number(/^(?:totals|summary): (\d+)/m.exec(dump)[1]);
