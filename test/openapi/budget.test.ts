import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

test("the document of 1,000 endpoints takes at most 3,000 calls of functions per endpoint, 3,300 characters of JSON, and a heap of 100 MB", () => {
  const program = fileURLToPath(new URL("thousand-program.mjs", import.meta.url));
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["--max-old-space-size=100", "--import", "tsx", program],
    { encoding: "utf8", env: { ...process.env, NODE_OPTIONS: "", VITEST: "" } },
  );
  // a heap that is too small ends the process before it prints
  expect({ status, stderr }).toMatchObject({ status: 0 });
  const { operations, calls, characters } = JSON.parse(stdout) as Record<string, number>;
  expect(operations).toBe(1000);
  expect(calls).toBeLessThan(3_000_000);
  expect(characters).toBeLessThan(3_300_000);
});
