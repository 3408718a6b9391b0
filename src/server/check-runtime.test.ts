import { afterEach, expect, test, vi } from "vitest";
import { toRuntimeWarning } from "./start-server.ts";

test("S12: an unsupported Node.js version causes a warning, and a supported one does not", () => {
  expect(toRuntimeWarning("20.20.2")).toBe(
    "Node.js 20.20.2 no longer receives security fixes; use 22, 24 or 26.",
  );
  for (const version of ["22.23.2", "24.18.1", "26.5.1"])
    expect(toRuntimeWarning(version)).toBeUndefined();
});

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

test("S12: the warning appears once per process, and not in tests", async () => {
  vi.resetModules();
  const { checkRuntime } = await import("./start-server.ts");
  const warn = vi.spyOn(process, "emitWarning").mockReturnValue(undefined);
  checkRuntime("20.20.2");
  expect(warn).not.toHaveBeenCalled();
  vi.stubEnv("NODE_ENV", "production");
  checkRuntime("20.20.2");
  checkRuntime("20.20.2");
  expect(warn).toHaveBeenCalledExactlyOnceWith(toRuntimeWarning("20.20.2"), {
    code: "SLP_WARN_RUNTIME",
  });
});
