import { expect, test } from "vitest";
import { verify } from "../src/index.ts";
import { createTortureApi } from "./verify-api.ts";
import { toMiddleware, type Lie } from "./verify-lies.ts";
import { replyLies } from "./verify-reply-lies.ts";
import { requestLies } from "./verify-request-lies.ts";
import { toStateLies } from "./verify-state-lies.ts";

const lies = [...replyLies, ...requestLies, ...toStateLies()];

const operations = (await verify({ ...createTortureApi(), runs: 0 })).table.map(
  ({ operation }) => operation,
);

test("there are many lies, each with a name of its own", () => {
  expect(new Set(lies.map(({ name }) => name)).size).toBe(lies.length);
  expect(lies.length).toBeGreaterThanOrEqual(60);
});

const verifyLie = async (lie: Lie, seed: number) => {
  const { config, ...api } = createTortureApi();
  const others = operations.filter((one) => one !== lie.on);
  const { failures, text } = await verify({
    ...{ ...api, seed },
    config: { ...config, beforeRouting: ({ app }) => void app.use(toMiddleware(lie)) },
    skip: Object.fromEntries(others.map((one) => [one, "It does not lie."])),
  });
  const found = failures.filter(
    ({ operation, check }) => operation === lie.on && check === lie.check,
  );
  // the report shows what was found instead
  expect(found.length > 0 ? "found" : text).toBe("found");
  return found;
};

test.each([2, 3, 4, 5])("lies about several requests are found with seed %i", async (seed) => {
  for (const lie of toStateLies()) await verifyLie(lie, seed);
});

test.each(lies)("$on: $name", async (lie) => {
  const found = await verifyLie(lie, 1);
  if (lie.smallest === undefined) return;
  const calls = found.map(({ request: { url, body = "" } }) => `${url} ${body}`);
  const { smallest } = lie;
  const isSmallest = (call: string): boolean =>
    typeof smallest === "string" ? call.includes(smallest) : smallest.test(call);
  expect(calls.some(isSmallest) ? "smallest" : calls).toBe("smallest");
});
