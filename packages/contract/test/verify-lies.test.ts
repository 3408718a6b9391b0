import { expect, test } from "vitest";
import { verify } from "../src/index.ts";
import { createTortureApi } from "./verify-api.ts";
import { toMiddleware } from "./verify-lies.ts";
import { replyLies } from "./verify-reply-lies.ts";
import { requestLies } from "./verify-request-lies.ts";

const lies = [...replyLies, ...requestLies];

const operations = (await verify({ ...createTortureApi(), runs: 0 })).table.map(
  ({ operation }) => operation,
);

test("there are many lies, each with a name of its own", () => {
  expect(new Set(lies.map(({ name }) => name)).size).toBe(lies.length);
  expect(lies.length).toBeGreaterThanOrEqual(60);
});

test.each(lies)("$on: $name", async (lie) => {
  const { config, ...api } = createTortureApi();
  const others = operations.filter((one) => one !== lie.on);
  const { failures, text } = await verify({
    ...api,
    config: { ...config, beforeRouting: ({ app }) => void app.use(toMiddleware(lie)) },
    skip: Object.fromEntries(others.map((one) => [one, "It does not lie."])),
  });
  const found = failures.filter(
    ({ operation, check }) => operation === lie.on && check === lie.check,
  );
  // the report shows what was found instead
  expect(found.length > 0 ? "found" : text).toBe("found");
  if (lie.smallest === undefined) return;
  const calls = found.map(({ request: { url, body = "" } }) => `${url} ${body}`);
  const { smallest } = lie;
  const isSmallest = (call: string): boolean =>
    typeof smallest === "string" ? call.includes(smallest) : smallest.test(call);
  expect(calls.some(isSmallest) ? "smallest" : calls).toBe("smallest");
});
