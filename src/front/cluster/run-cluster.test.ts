import { expect, test } from "vitest";
import { runCluster } from "./run-cluster.ts";

test.each([
  [{ workers: 0 }, "SLP_CONFIG_VALUE", "runCluster: `workers` must be a positive integer; got 0."],
  [{ workers: Number("x") }, "SLP_CONFIG_VALUE", "`workers` must be a positive integer; got NaN."],
  [{ restart: false }, "SLP_CONFIG_VALUE", "`restart` must be the name of a signal"],
  [{ restart: "SIGNOTHING" }, "SLP_CONFIG_VALUE", "`restart` must be the name of a signal"],
  [{ restart: "SIGKILL" }, "SLP_CONFIG_VALUE", "`restart` must be the name of a signal"],
  [{ restart: "SIGTERM" }, "SLP_CONFIG_VALUE", "`restart` must be the name of a signal"],
  [{ timeout: 0 }, "SLP_CONFIG_VALUE", "`timeout` must be a positive number of milliseconds"],
  [{ logger: 5 }, "SLP_CONFIG_VALUE", "`logger` must be a logger"],
  [{ worker: 2 }, "SLP_CONFIG_UNKNOWN_OPTION", "there is no option `worker`"],
  [() => undefined, "SLP_CONFIG_VALUE", "runCluster: `options` must be an object"],
] as [never, string, string][])("%o is refused: %s, %s", async (options, code, message) => {
  const error: unknown = await runCluster(options, () => undefined).catch((one: unknown) => one);
  expect(error).toMatchObject({ code, message: expect.stringContaining(message) as string });
});

test("a server in place of the function that starts one is refused", async () => {
  const running = Promise.resolve();
  await expect(runCluster({}, running as never)).rejects.toThrow(
    "runCluster: `start` must be a function",
  );
});
