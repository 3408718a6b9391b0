import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { compare, findPosition, type Position } from "../../src/parts/channel/position.ts";
import { findFreePort } from "../free-port.ts";
import { hasRedisServer, startRedis } from "../services/channel-redis.ts";
import { Follower, Load } from "../services/cluster-load.ts";
import { report, toCount } from "./harness.ts";
import { ensureNodes } from "./node-versions.ts";

const total = toCount("SALLYPORT_CLUSTER_REQUESTS", 60_000);
const restarts = toCount("SALLYPORT_CLUSTER_RESTARTS", 5);
const followerCount = 10;
const program = fileURLToPath(new URL("../services/cluster-program.ts", import.meta.url));

const compareIds = (one: string, other: string): number =>
  compare(findPosition(one) as Position, findPosition(other) as Position);

test.skipIf(!hasRedisServer).each([...ensureNodes()])(
  "Node.js %s: workers are replaced and ended under load without a failed request or a lost event",
  async (version, node) => {
    const redis = await startRedis();
    const port = await findFreePort();
    const child = spawn(node, ["--import", "tsx", program], {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, PORT: `${port}`, REDIS: `${redis.port}`, NODE_NO_WARNINGS: "1" },
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    let printed = "";
    child.stdout.on("data", (chunk: Buffer) => (printed += chunk.toString()));
    const count = (line: string): number => printed.split(line).length - 1;
    await expect.poll(() => count("All workers serve"), { timeout: 60_000 }).toBe(1);

    const begin = performance.now();
    const followers = Array.from({ length: followerCount }, () => new Follower(port));
    await expect.poll(() => followers.map(({ opened }) => opened)).not.toContain(0);
    const load = new Load(port);
    const untilSent = (number: number): Promise<void> =>
      expect.poll(() => load.total, { timeout: 300_000 }).toBeGreaterThanOrEqual(number);
    for (let done = 0; done < restarts; done++) {
      await untilSent((total * (done + 0.5)) / restarts);
      child.kill("SIGHUP");
      await expect
        .poll(() => count("All workers are replaced"), { timeout: 120_000 })
        .toBe(done + 1);
    }
    await untilSent(total);
    await load.end();
    for (const follower of followers)
      await expect.poll(() => follower.ids.length, { timeout: 60_000 }).toBe(load.published.size);
    const ended = followers.map((one) => one.ended);
    const exit = once(child, "exit");
    child.kill("SIGTERM");
    const [code] = (await exit) as [number];
    await Promise.all(followers.map((follower) => follower.leave()));
    report(
      `Node.js ${version}: ${load.total} requests, ${restarts} restarts, ${JSON.stringify([...load.failures])} failed; ` +
        `${load.published.size} events for ${followerCount} followers, whose ${ended.join(" + ")} streams were ended; ` +
        `${((performance.now() - begin) / 1000).toFixed(0)} s`,
    );
    expect([...load.failures]).toEqual([]);
    expect(code).toBe(0);
    for (const { ids, others, opened, ended: cut } of followers) {
      expect(others).toEqual([]);
      expect(new Set(ids)).toEqual(load.published);
      expect(ids).toHaveLength(load.published.size);
      expect(ids.toSorted(compareIds)).toEqual(ids);
      // each stream that was opened, the last one included
      expect(cut).toBe(opened);
      expect(opened).toBeGreaterThan(1);
    }
  },
);
