import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { ensureBuilt, sleep } from "./harness.ts";

const ping = "GET /ping HTTP/1.1\r\nHost: a\r\n\r\n";

/** Checks whether a new connection gets a response within a second. */
const isAnswered = async (socket: Socket): Promise<boolean> => {
  if (socket.destroyed) return false;
  socket.write(ping);
  const answer = once(socket, "data").then(
    ([bytes]: Buffer[]) => bytes?.toString().startsWith("HTTP/1.1 200") === true,
    () => false,
  );
  return Promise.race([answer, sleep(1000).then(() => false)]);
};

test("S4: without free file descriptors, open connections are served, new ones are dropped, and the server recovers later", async () => {
  ensureBuilt();
  const program = fileURLToPath(new URL("emfile-program.mjs", import.meta.url));
  const child = spawn("sh", ["-c", `ulimit -n 256; exec "${process.execPath}" "${program}"`], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const port = Number(/port (\d+)/.exec(line.toString())?.[1]);
  const open = (): Socket => {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => undefined);
    return socket;
  };
  const first = open();
  expect(await isAnswered(first)).toBe(true);
  const flood = Array.from({ length: 400 }, open);
  await sleep(500);
  expect(await isAnswered(first)).toBe(true);
  const served = await Promise.all(flood.map(isAnswered));
  expect(served).toContain(false);
  for (const socket of flood) socket.destroy();
  await sleep(500);
  expect(await isAnswered(open())).toBe(true);
  expect(child.exitCode).toBeNull();
  child.kill();
});
