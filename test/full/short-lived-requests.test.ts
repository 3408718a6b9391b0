import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const program = fileURLToPath(new URL("short-lived-program.mjs", import.meta.url));

/** Returns the sizes of the heap, in megabytes, after each collection of young objects. */
const listSizes = (feature: string): readonly number[] => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["--trace-gc", "--import", "tsx", program, feature, "24000"],
    { encoding: "utf8", env: { ...process.env, NODE_ENV: "production", VITEST: "" } },
  );
  expect({ status, stderr: status === 0 ? "" : stderr }).toEqual({ status: 0, stderr: "" });
  const sizes = stdout.matchAll(/: Scavenge [\d.]+ \([\d.]+\) -> ([\d.]+) \(/g);
  return [...sizes].map(([, size]) => Number(size));
};

// what refers to a request from a WeakMap, or from a getter of its own, makes V8 copy it and keep it until a full
// collection: then these sizes grow by 20 to 60 MB
test.each(["nothing", "hook", "native", "conditions", "errors"])(
  "requests are freed while they are young: %s",
  (feature) => {
    const sizes = listSizes(feature);
    const last = sizes.slice(-Math.ceil(sizes.length / 3));
    expect(last.length).toBeGreaterThan(2);
    expect(Math.max(...last) - Math.min(...last)).toBeLessThan(8);
  },
  120_000,
);
