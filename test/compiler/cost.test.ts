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
  const { name, instantiations, bound } = costs[index] ?? { name: "", instantiations: 0, bound: 0 };
  // what is declared alone costs more; less would mean that the endpoints were not checked
  expect(instantiations, name).toBeGreaterThan(100_000);
  expect(instantiations, name).toBeLessThanOrEqual(bound);
});
