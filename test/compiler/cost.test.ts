import { execFileSync } from "node:child_process";
import { beforeAll, expect, test } from "vitest";
import { root } from "./compile.ts";

interface Cost {
  readonly name: string;
  readonly instantiations: number;
  readonly bound: number;
}

let costs: readonly Cost[];

beforeAll(() => {
  const json = execFileSync(process.execPath, ["bench/types.mjs", "--bounds", "--json"], {
    cwd: root,
    encoding: "utf8",
  });
  costs = JSON.parse(json) as readonly Cost[];
});

test.each([0, 1, 2])("endpoints cost the compiler no more than they may: program %i", (index) => {
  const { instantiations = 0, bound = 0 } = costs[index] ?? {};
  // the schemas alone cost more; less would mean that nothing was checked
  expect(instantiations).toBeGreaterThan(100_000);
  expect(instantiations).toBeLessThanOrEqual(bound);
});
