import { afterEach, expect, test, vi } from "vitest";

const load = async () => {
  vi.resetModules();
  const { checkRuntime } = await import("./start-server.ts");
  const warn = vi.spyOn(process, "emitWarning").mockReturnValue(undefined);
  return { checkRuntime, warn };
};

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

test("S12: an unsupported Node.js version causes one warning per process", async () => {
  vi.stubEnv("NODE_ENV", "production");
  const { checkRuntime, warn } = await load();
  checkRuntime("20.20.2");
  checkRuntime("20.20.2");
  expect(warn).toHaveBeenCalledExactlyOnceWith(
    "Node.js 20.20.2 no longer receives security fixes; use 22, 24 or 26.",
    { code: "SLP_WARN_RUNTIME" },
  );
});

test.each(["22.23.2", "24.18.1", "26.5.1"])(
  "S12: Node.js %s causes no warning",
  async (version) => {
    vi.stubEnv("NODE_ENV", "production");
    const { checkRuntime, warn } = await load();
    checkRuntime(version);
    expect(warn).not.toHaveBeenCalled();
  },
);

test("S12: there is no warning in tests", async () => {
  const { checkRuntime, warn } = await load();
  checkRuntime("20.20.2");
  expect(warn).not.toHaveBeenCalled();
  vi.stubEnv("NODE_ENV", "production");
  checkRuntime("20.20.2");
  expect(warn).toHaveBeenCalledOnce();
});
