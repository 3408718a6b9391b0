import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { ensureNode } from "./node-versions.ts";

const program = fileURLToPath(
  new URL("../../packages/contract/test/mock-msw-program.mjs", import.meta.url),
);

test.for(["22", "24"])("MSW answers from a mock, on Node.js %s", (version) => {
  const { status, stdout, stderr } = spawnSync(ensureNode(version), [program], {
    encoding: "utf8",
  });
  expect({ status, stderr }).toMatchObject({ status: 0 });
  const success = (data: object) => [200, { status: "success", data }];
  expect(JSON.parse(stdout)).toEqual([
    success({ id: 7, name: "Ada" }),
    success({ id: 7, name: "Ada" }),
    success({ id: 7, name: "Grace" }),
    [400, expect.anything()],
    [404, expect.anything()],
    [200, expect.any(Number)],
    "unhandled",
  ]);
});
