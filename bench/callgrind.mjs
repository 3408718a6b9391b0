// Runs servers under callgrind, and reads how many instructions they have executed.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { untilServing } from "./measure.mjs";

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
  const port = await findPort();
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

const findPort = async () => {
  const server = createServer().listen(0);
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  return port;
};

/** Returns the number of instructions in a dump. */
export const readTotal = (dump) => Number(/^(?:totals|summary): (\d+)/m.exec(dump)[1]);
