import { execFile, execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { findFreePort } from "../free-port.ts";
import { Load } from "../services/cluster-load.ts";
import { ensureBuilt, report, toCount } from "./harness.ts";

const total = toCount("SALLYPORT_PM2_REQUESTS", 10_000);
const reloads = 2;
const version = "7.0.4";
const home = fileURLToPath(new URL("../../node_modules/.cache/pm2", import.meta.url));
const command = join(home, "node_modules/pm2/bin/pm2");
const program = fileURLToPath(new URL("pm2-program.mjs", import.meta.url));

beforeAll(() => {
  ensureBuilt();
  if (existsSync(command)) return;
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, "package.json"), '{ "private": true }');
  const install = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock"];
  execFileSync("npm", [...install, `pm2@${version}`], { cwd: home, stdio: "inherit" });
});

test("PM2 in its cluster mode reloads a server under load without a failed request", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sallyport-pm2-"));
  const port = await findFreePort();
  const env = { ...process.env, PM2_HOME: folder, PORT: `${port}`, NODE_OPTIONS: "", VITEST: "" };
  const runPm2 = (...args: readonly string[]): Promise<unknown> =>
    promisify(execFile)(process.execPath, [command, ...args], { env, cwd: folder });
  onTestFinished(async () => {
    await runPm2("kill");
    rmSync(folder, { recursive: true, force: true });
  });
  const app = {
    ...{ name: "api", script: program, exec_mode: "cluster", instances: 2 },
    kill_timeout: 40_000,
  };
  writeFileSync(join(folder, "ecosystem.config.json"), JSON.stringify({ apps: [app] }));
  await runPm2("start", "ecosystem.config.json");
  const answers = (): Promise<boolean> =>
    fetch(`http://127.0.0.1:${port}/who`).then(
      ({ ok }) => ok,
      () => false,
    );
  await expect.poll(answers, { timeout: 60_000 }).toBe(true);
  const load = new Load(port, { publishes: false });
  for (let done = 0; done < reloads; done++) {
    const next = (total * (done + 1)) / (reloads + 1);
    await expect.poll(() => load.total, { timeout: 300_000 }).toBeGreaterThan(next);
    await runPm2("reload", "api");
  }
  await expect.poll(() => load.total, { timeout: 300_000 }).toBeGreaterThan(total);
  await load.end();
  const failures = JSON.stringify([...load.failures]);
  report(`PM2 ${version}: ${load.total} requests, ${reloads} reloads, failures: ${failures}`);
  expect([...load.failures]).toEqual([]);
});
