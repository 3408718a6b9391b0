import { expect, test } from "vitest";
import { verify } from "../../packages/contract/src/index.ts";
import { torture, usersApi } from "./conformance/apis.ts";

test("the torture API keeps to its document", async () => {
  const { ok, text, calls } = await verify({ ...torture, seed: 1, runs: 0 });
  // the report is what helps
  expect(ok ? "ok" : text).toBe("ok");
  expect(calls).toBeGreaterThan(1000);
});

test("the users API keeps to its document, and each declared status is seen", async () => {
  const { ok, text, table } = await verify({ ...usersApi, seed: 1, runs: 5 });
  expect(ok ? "ok" : text).toBe("ok");
  const unseen = table.flatMap(({ operation, statuses }) =>
    statuses
      .filter(({ status, seen }) => seen === 0 && status < 500)
      .map(({ status }) => `${operation} ${status}`),
  );
  // its first event comes when a user changes
  expect(unseen).toEqual(["get /v1/users/watch 200"]);
});
