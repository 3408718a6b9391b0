import { expect, test } from "vitest";
import { toRuntimeWarning } from "./check-runtime.ts";

test("S12: a runtime without security fixes causes a warning, a maintained one does not", () => {
  expect(toRuntimeWarning("20.20.2")).toBe(
    "Node.js 20.20.2 no longer receives security fixes; use 22, 24 or 26.",
  );
  for (const version of ["22.23.2", "24.18.1", "26.5.1"])
    expect(toRuntimeWarning(version)).toBeUndefined();
});
