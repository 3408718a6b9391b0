import { execFileSync } from "node:child_process";
import { beforeAll, expect, test } from "vitest";
import { root } from "../compiler/compile.ts";

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

test.each([0, 1, 2])("endpoints stay within their compilation budget: program %i", (index) => {
  const { instantiations = 0, bound = 0 } = costs[index] ?? {};
  // the schemas alone cost more than this; a lower number would mean that nothing was checked
  expect(instantiations).toBeGreaterThan(100_000);
  expect(instantiations).toBeLessThanOrEqual(bound);
});

interface ClientCost {
  readonly endpoints: number;
  readonly server: { readonly instantiations: number };
  readonly client: number;
  readonly clientOnDeclarations: number;
  readonly clientOnWritten: number;
}

test("a client costs the compiler the same, however many endpoints there are", () => {
  const json = execFileSync(
    process.execPath,
    ["bench/types-client.mjs", "--endpoints", "100,300", "--json"],
    { cwd: root, encoding: "utf8" },
  );
  const [few, many] = JSON.parse(json) as readonly [ClientCost, ClientCost];
  expect(few.client).toBeGreaterThan(5000);
  // instantiations for 20 calls, about 9,000 of them in Zod's own inference
  expect(few.client).toBeLessThan(16_000);
  expect(few.clientOnDeclarations).toBeLessThan(17_500);
  expect(few.clientOnWritten).toBeLessThan(3000);
  // the server with 300 endpoints and its routing map
  expect(many.server.instantiations).toBeLessThan(300 * 868);
  expect(Math.abs(many.client - few.client)).toBeLessThan(300);
});
