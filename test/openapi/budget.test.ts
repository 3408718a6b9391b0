import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

test("the document of 1,000 endpoints takes under 2 s of CPU time, and at most 150 MB", () => {
  const program = fileURLToPath(new URL("thousand-program.mjs", import.meta.url));
  const { stdout } = spawnSync(process.execPath, ["--expose-gc", "--import", "tsx", program], {
    encoding: "utf8",
    env: { ...process.env, NODE_OPTIONS: "", VITEST: "", NODE_ENV: "production" },
  });
  const { operations, milliseconds, megabytes } = JSON.parse(stdout) as Record<string, number>;
  expect(operations).toBe(1000);
  expect(milliseconds).toBeLessThan(2000);
  expect(megabytes).toBeLessThan(150);
});
