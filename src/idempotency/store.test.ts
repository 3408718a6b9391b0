import { expect, test } from "vitest";
import { memoryStore, type Claim } from "./store.ts";

const toClaim = (key: string): Claim => ({ key, token: key, fingerprint: "" });

test("memoryStore keeps 64 MiB of bodies, and remembers that older requests have run", async () => {
  const store = memoryStore();
  const body = "x".repeat(1_048_576);
  const keep = async (key: string): Promise<void> => {
    await store.claim(toClaim(key), 1000);
    await store.keep(toClaim(key), { status: 200, headers: {}, body }, 60_000);
  };
  for (let number = 0; number < 64; number++) await keep(String(number));
  // a reply that is kept again is the latest
  await keep("0");
  await keep("64");
  const statusOf = async (key: string): Promise<number | undefined> =>
    (await store.claim({ ...toClaim(key), token: "other" }, 1000))?.reply?.status;
  expect(await Promise.all(["0", "1", "2", "64"].map(statusOf))).toEqual([200, 0, 200, 200]);
});
